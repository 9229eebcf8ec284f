import { type AuditEntry, ownValue } from '@lcs/contract';
import { plainWords } from '../api/plain-words.ts';
import { auditWords } from '../words/audit.ts';
import { commonWords } from '../words/common.ts';

/** What was done, by the first word of an operation. */
const pastTense: Readonly<Record<string, string>> = auditWords.pastTense;

/** Words of the API that people do not use. */
const plainParts: Readonly<Record<string, string>> = auditWords.plainParts;

const wordsOf = (operation: string): readonly string[] =>
  operation
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(' ');

/** Operations whose name says less than people need. */
const wholeSentences: Readonly<Record<string, string>> = auditWords.wholeSentences;

/** The verbs of operations on one job, which the entry names. */
const verbsOfJobs: ReadonlySet<string> = new Set(['run', 'stop', 'update']);

/** Whether there are words for what an operation did. */
export const isKnownDeed = (operation: string): boolean =>
  Object.hasOwn(wholeSentences, operation) || Object.hasOwn(pastTense, wordsOf(operation)[0] ?? '');

/** What somebody asked for that was not done, by the first word of an operation on a job. */
const requestedTense: Readonly<Record<string, string>> = auditWords.requestedTense;

/** A field of an entry that is JSON; undefined: it has none, or is recorded in part. */
function fieldOf(json: string | null, field: string): unknown {
  try {
    const value: unknown = JSON.parse(json ?? 'null');
    return typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a stop has found nothing to stop. */
const hasStoppedNothing = ({ after }: Pick<AuditEntry, 'after'>): boolean => {
  const stopped = fieldOf(after, 'stopped');
  return Array.isArray(stopped) && stopped.length === 0;
};

type Deed = Pick<AuditEntry, 'operation' | 'job' | 'body' | 'after' | 'status' | 'failure_code'>;

/** What a request did, or what it asked for in vain, without its subject: `started OD reading`. */
export function deedOf(entry: Deed): string {
  const { operation, job, body } = entry;
  const verb = ownValue(requestedTense, wordsOf(operation)[0] ?? '');
  const isDone = entry.status < 400 && entry.failure_code === null;
  if (!isDone && verb !== undefined && job !== null) return auditWords.askedTo(verb, plainWords(job));
  if (operation === 'stopEverywhere' && fieldOf(body, 'what') === 'pumps') return auditWords.stoppedAllPumps;
  if (operation === 'stopJobs' && hasStoppedNothing(entry)) return auditWords.stoppedNothing;
  return deedInWords({ operation, job });
}

function deedInWords({ operation, job }: Pick<AuditEntry, 'operation' | 'job'>): string {
  const known = ownValue(wholeSentences, operation);
  if (known !== undefined) return known;
  const [verb = '', ...rest] = wordsOf(operation);
  const done = ownValue(pastTense, verb) ?? verb;
  if (job !== null && verbsOfJobs.has(verb)) return `${done} ${plainWords(job)}`;
  const object = rest
    .filter((word) => word !== 'patch' && word !== 'by')
    .map((word) => ownValue(plainParts, word) ?? word);
  return [done, ...object].join(' ');
}

/** Operations of which a request may choose some of all units. */
const mayChooseUnits = (operation: string): boolean => /^(run|stop|update)(Worker|Unit)Job/.test(operation);

/** On what: `unit1 in ramp`. */
export function subjectOf({
  experiment,
  unit,
  units,
  operation,
}: Pick<AuditEntry, 'experiment' | 'unit' | 'units' | 'operation'>): string {
  // Entries of earlier versions do not have the chosen units.
  const all = units?.join(', ') ?? (mayChooseUnits(operation) ? auditWords.severalUnits : commonWords.allUnitsInline);
  const where = unit === '$broadcast' ? all : unit;
  const which = experiment === '$experiment' ? null : experiment;
  if (where === null) return which ?? '';
  return which === null ? where : commonWords.textInPlace(where, which);
}

/** The field of a request that names who is known once the request is done. */
const namingFields: Readonly<Record<string, string>> = {
  signIn: 'name',
  createFirstPerson: 'name',
  enrolUnit: 'reactor_unit',
};

/** Who has signed in or joined by this request; undefined: nobody. */
function newlyKnown({ operation, body, status }: Pick<AuditEntry, 'operation' | 'body' | 'status'>) {
  const field = ownValue(namingFields, operation);
  const name = field === undefined || status >= 400 ? undefined : fieldOf(body, field);
  return typeof name === 'string' ? name : undefined;
}

type Doer = Pick<AuditEntry, 'caller' | 'caller_kind' | 'channel' | 'operation' | 'body' | 'status'>;

/** Who: the name of an account, or what is known of a caller without one. */
export function callerOf({ caller, caller_kind: kind, channel, ...request }: Doer) {
  const known = kind === 'local' || kind === 'anonymous' ? newlyKnown(request) : undefined;
  if (known !== undefined) return known;
  if (channel === 'profile') return auditWords.runningProfile;
  if (kind === 'local' || kind === 'anonymous') return auditWords.somebodyNotSignedIn;
  if (kind === 'leader') return auditWords.leader;
  return caller;
}

/** Entries without those about the failure of a request that was accepted before: the entry of the request says that it failed. */
export function withoutRepeats<Entry extends Pick<AuditEntry, 'request_id' | 'status' | 'failure_code'>>(
  entries: readonly Entry[],
): readonly Entry[] {
  const failed = new Set(
    entries.filter(({ status, failure_code }) => status < 400 && failure_code !== null).map((each) => each.request_id),
  );
  return entries.filter(({ request_id, status }) => status < 400 || !failed.has(request_id));
}

const refusedStatuses = [401, 403];

/** Refusals and failures of commands for which there are words. */
const codeWords: Readonly<Record<string, string>> = auditWords.codeWords;

/** With what result, in a few words. */
export function outcomeOf({ status, code, failure_code }: Pick<AuditEntry, 'status' | 'code' | 'failure_code'>): {
  readonly text: string;
  readonly isBad: boolean;
} {
  if (status < 400 && failure_code === null) return { text: commonWords.done, isBad: false };
  const word = refusedStatuses.includes(status) ? auditWords.refused : commonWords.failed;
  return { text: ownValue(codeWords, failure_code ?? code ?? '') ?? word, isBad: true };
}
