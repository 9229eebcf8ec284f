import type { Interruption } from '@lcs/contract';
import { interruptionSentence } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import type { StoredInterruption } from './interruption-store.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A JSON object; empty for any other value. */
function fieldsOf(json: string): Fields {
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

const namesOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];

function jobsOf(json: string | null): Interruption['jobs'] {
  if (json === null) return null;
  const { resumed, held, off } = fieldsOf(json);
  return { resumed: namesOf(resumed), held: namesOf(held), off: namesOf(off) };
}

const countsOf = (json: string): Record<string, number> =>
  Object.fromEntries(
    Object.entries(fieldsOf(json)).flatMap(([kind, count]) =>
      Number.isSafeInteger(count) ? [[kind, Number(count)]] : [],
    ),
  );

/** The resource as the API returns it; values in another form than declared are omitted. */
export function toInterruption(row: StoredInterruption): Interruption {
  const { reactor_unit, kind, from_at, at, clock_unset, reason, records, dropped, jobs } = row;
  const facts: Omit<Interruption, 'message'> = {
    reactor_unit,
    kind,
    reason,
    records,
    from: from_at === null ? null : toTimestamp(from_at),
    to: toTimestamp(at),
    clock_unset: clock_unset === 1 || (from_at !== null && from_at > at),
    jobs: jobsOf(jobs),
    dropped: dropped === null ? null : countsOf(dropped),
  };
  return { ...facts, message: interruptionSentence(facts) };
}
