import { type ImportReport, isObject, type PioreactorImport } from '@lcs/contract';
import { countText } from '../ui/number-text.ts';

/** An import that was begun in this browser; its task is on the leader. */
export interface BegunImport {
  readonly task_id: string;
  readonly request: PioreactorImport;
  /** The folder, or the name of the archive. */
  readonly source: string;
}

/** The import that a browser has stored; undefined: none that can be read. */
export function readBegunImport(stored: string | null): BegunImport | undefined {
  try {
    const value: unknown = JSON.parse(stored ?? 'null');
    if (!isObject(value) || !isObject(value.request)) return undefined;
    const { task_id, source, request } = value;
    const { folder, upload_id, dry_run, experiments, on_conflict } = request;
    if (typeof task_id !== 'string' || typeof source !== 'string') return undefined;
    return {
      task_id,
      source,
      request: {
        ...(typeof folder === 'string' && { folder }),
        ...(typeof upload_id === 'string' && { upload_id }),
        ...(Array.isArray(experiments) && { experiments: experiments.map(String) }),
        on_conflict: on_conflict === 'skip' ? 'skip' : 'rename',
        dry_run: dry_run === true,
      },
    };
  } catch {
    return undefined;
  }
}

const count = (number: number, one: string, many: string): string =>
  `${countText(number)} ${number === 1 ? one : many}`;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Rows of the tables that come. */
const importedRows = ({ tables }: Pick<ImportReport, 'tables'>): number => sum(tables.map(({ imported }) => imported));

/** What a plan says, or how an import has ended. */
export function importVerdict(report: ImportReport): { readonly text: string; readonly isGood: boolean } {
  const { is_dry_run, is_verified, source_changed, experiments, tables } = report;
  const coming = experiments.filter(({ experiment }) => experiment !== null).length;
  const skipped = sum(tables.flatMap((table) => table.skipped.map(({ rows }) => rows)));
  const what = `${count(coming, 'experiment', 'experiments')} with ${count(importedRows(report), 'row', 'rows')}`;
  const others = experiments.length - coming;
  const isWhole = others === 0 && skipped === 0;
  const left = `${count(others, 'experiment', 'experiments')} and ${count(skipped, 'row', 'rows')}`;
  if (source_changed)
    return {
      text: 'Something wrote the database meanwhile: stop the other system, then read it again.',
      isGood: false,
    };
  if (is_dry_run)
    return {
      text: `${what} will come; ${isWhole ? 'nothing is left out' : `${left} will not`}. Nothing was changed yet.`,
      isGood: coming > 0,
    };
  if (is_verified !== true)
    return { text: `The import is not complete: ${what} came. Start it again: it continues.`, isGood: false };
  return {
    text: `${what} came and were verified; ${isWhole ? 'nothing was left out' : `${left} did not come, for the reasons below`}.`,
    isGood: true,
  };
}

const statusWords = { imported: 'comes', known: 'is here already', skipped: 'does not come' } as const;

/** What becomes of a file. */
export const fileStatusText = (
  { status, target, messages }: ImportReport['files'][number],
  isDryRun: boolean,
): string => {
  const words = status === 'imported' && !isDryRun ? 'came' : statusWords[status];
  return [`${words}${target === null || status === 'skipped' ? '' : ` as ${target}`}`, ...messages].join(': ');
};

/** How many settings have another value, or no meaning here. */
export function settingsText({ configuration }: Pick<ImportReport, 'configuration'>): string {
  const of = (wanted: ImportReport['configuration'][number]['status']): number =>
    configuration.filter(({ status }) => status === wanted).length;
  return `The configuration is compared and not applied: ${of('same')} settings are the same, ${of('differs')} differ, ${of('no_meaning')} have no meaning here.`;
}
