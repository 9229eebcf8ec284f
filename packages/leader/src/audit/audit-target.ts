import type { EndedRequest } from '@lcs/platform';
import { broadcast, namesIn } from '../queries/addressed-units.ts';
import { storedText } from './audit-entry.ts';

/** What a request concerns. */
export interface AuditTarget {
  readonly experiment: string | null;
  readonly unit: string | null;
  readonly job: string | null;
}

const longestName = 200;

/** The parts of a request that name its subject. */
export type AuditedRequest = Pick<EndedRequest, 'operation' | 'params' | 'body'>;

/** The first of these fields that is a text. */
function textIn(places: readonly unknown[], names: readonly string[]): string | null {
  for (const place of places) {
    if (typeof place !== 'object' || place === null) continue;
    for (const name of names) {
      const value: unknown = Object.hasOwn(place, name) ? Reflect.get(place, name) : undefined;
      if (typeof value === 'string' && value !== '') return value.slice(0, longestName);
    }
  }
  return null;
}

/** Experiment, unit and job that a request names, in its path before its body. */
export function targetOf({ params, body }: Pick<AuditedRequest, 'params' | 'body'>): AuditTarget {
  const places = [params, body];
  return {
    experiment: textIn(places, ['experiment']),
    unit: textIn(places, ['reactor_unit']),
    job: textIn(places, ['job', 'job_name']),
  };
}

/** As many units as a large cluster has; the query of a request may name any number. */
const mostUnits = 200;

/** The units that a command to several of them has chosen, as JSON; null: it addresses one, or all. */
export function chosenUnits({ params, query }: Pick<EndedRequest, 'params' | 'query'>): string | null {
  const list: unknown = Object.hasOwn(query, 'units') ? Reflect.get(query, 'units') : undefined;
  if (typeof list !== 'string' || params.reactor_unit !== broadcast) return null;
  const names = namesIn(list).slice(0, mostUnits);
  return JSON.stringify(names.map((name) => storedText(name.slice(0, longestName))));
}

/** A text in the path or the body of a request. */
export const fieldIn = ({ params, body }: AuditedRequest, name: string): string | null =>
  textIn([params, body], [name]);
