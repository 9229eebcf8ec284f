import { namedSources } from '@lcs/domain';
import { code, page, table } from './markdown.ts';

/** The catalogue of reading sources. */
export function sourcesPage(): string {
  const head = ['source', 'unit', 'decimals', 'line for each channel', 'job', 'table and column', 'meaning'];
  const rows = namedSources.map(([name, { unit, decimals, byChannel, job = '', table: stored }]) => [
    code(name),
    unit,
    String(decimals),
    byChannel ? 'yes' : '',
    code(job),
    stored === undefined ? '' : code(`${stored.name}.${stored.column}`),
    stored === undefined ? '' : `${stored.title}. ${stored.description}`,
  ]);
  const note =
    'What jobs record as samples. Sources of plugins have 7 decimals and no unit. Tables: [store](../interfaces/store.md).';
  return page('Sources of readings', '`packages/domain` (`src/readings`)', [note, table(head, rows)]);
}
