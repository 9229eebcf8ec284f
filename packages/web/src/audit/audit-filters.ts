import type { AuditQuery } from '@lcs/contract';

type Kind = NonNullable<AuditQuery['kind']>;

/** What a person has entered; an empty text is no filter. Times are local, as `datetime-local` has them. */
export interface AuditFilters {
  readonly caller: string;
  readonly experiment: string;
  readonly unit: string;
  readonly kind: Kind | '';
  readonly since: string;
  readonly until: string;
}

export const noFilters: AuditFilters = { caller: '', experiment: '', unit: '', kind: '', since: '', until: '' };

export const isAuditKind = (text: string): text is AuditFilters['kind'] =>
  ['', 'change', 'sign_in', 'refusal', 'failure'].includes(text);

/** UTC; undefined for a time that is not complete. */
function utcOf(local: string): string | undefined {
  const at = Date.parse(local);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

/** The request for these filters. */
export function auditQueryOf({ caller, experiment, unit, kind, since, until }: AuditFilters): AuditQuery {
  const filters = {
    caller: caller.trim(),
    experiment: experiment.trim(),
    unit: unit.trim(),
    since: utcOf(since),
    until: utcOf(until),
  };
  const given = Object.entries(filters).filter(([, value]) => value !== undefined && value !== '');
  return { ...Object.fromEntries(given), ...(kind !== '' && { kind }) };
}
