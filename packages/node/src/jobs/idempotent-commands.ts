import { createHash } from 'node:crypto';
import { ApiError, type Caller, hasAccount, type Json } from '@lcs/contract';
import { type Clock, type QueryTarget, queryBuilder, runOn } from '@lcs/platform';
import type { JobDatabase } from './job-registry.ts';
import type { JobTables } from './job-tables.ts';

/** Records an answer in the transaction of its change. */
export type RecordAnswer<Answer extends Json> = (transaction: QueryTarget, answer: Answer) => Promise<void>;

export interface CommandAnswer<Answer extends Json> {
  readonly answer: Answer;
  /** The answer of an earlier identical command; nothing was done. */
  readonly isReplayed: boolean;
}

const keptMs = 24 * 3600 * 1000;
const maxKept = 10_000;

const build = queryBuilder<JobTables>();

const keyPattern = /^[A-Za-z0-9._:-]{1,128}$/;

/**
 * A key that no other account can repeat: the same key of another person or program is another command. An invalid key stays invalid. Without
 * accounts, and from the leader, a key is what it is.
 */
export function keyOfCaller(key: string | null, caller: Caller): string | null {
  if (key === null) return null;
  if (!hasAccount(caller) || !keyPattern.test(key)) return key;
  const account = caller.kind === 'person' ? caller.personId : caller.id;
  return createHash('sha256').update(`${caller.kind} ${account} ${key}`).digest('base64url');
}

/** Answers to commands with an Idempotency-Key: within a day the same command receives the same answer and is not repeated. */
export class IdempotentCommands {
  readonly #database: JobDatabase;
  readonly #clock: Clock;
  /** Running commands by key. */
  readonly #atWork = new Map<string, { readonly fingerprint: string; readonly answer: Promise<Json> }>();

  constructor(database: JobDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /**
   * Runs a command once per key; without a key always. A failed command is not recorded.
   * @param command its identity: method, path and body.
   * @throws ApiError `idempotency_key_reused`, `malformed_request`, and what `work` throws
   */
  async once<Answer extends Json>(
    key: string | undefined,
    command: Json,
    work: (remember: RecordAnswer<Answer>) => Promise<Answer>,
    isAnswer: (value: unknown) => value is Answer,
  ): Promise<CommandAnswer<Answer>> {
    if (key === undefined) return { answer: await work(async () => {}), isReplayed: false };
    if (!keyPattern.test(key))
      throw new ApiError('malformed_request', { cause: 'An Idempotency-Key has 1 to 128 of A-Z a-z 0-9 . _ : -' });
    const fingerprint = createHash('sha256').update(JSON.stringify(command)).digest('hex');
    const present = this.#atWork.get(key);
    if (present !== undefined) {
      if (present.fingerprint !== fingerprint) throw new ApiError('idempotency_key_reused', {});
      return { answer: checked(await present.answer), isReplayed: true };
    }
    const attempt = this.#attempt(key, fingerprint, work);
    this.#atWork.set(key, { fingerprint, answer: attempt.then(({ answer }) => answer) });
    // The callers receive the failure.
    this.#atWork.get(key)?.answer.catch(() => {});
    try {
      const { answer, isReplayed } = await attempt;
      return { answer: checked(answer), isReplayed };
    } finally {
      this.#atWork.delete(key);
    }

    function checked(answer: Json): Answer {
      if (!isAnswer(answer)) throw new Error(`The recorded answer for ${key} is incomplete.`);
      return answer;
    }
  }

  async #attempt<Answer extends Json>(
    key: string,
    fingerprint: string,
    work: (remember: RecordAnswer<Answer>) => Promise<Answer>,
  ): Promise<CommandAnswer<Json>> {
    const known = build.selectFrom('job_commands').selectAll().where('key', '=', key);
    const { rows } = await runOn(this.#database.read, known.where('at_ms', '>', this.#clock.now() - keptMs));
    const [row] = rows;
    if (row === undefined) {
      const answer = await work((transaction, given) => this.#remember(transaction, key, fingerprint, given));
      return { answer, isReplayed: false };
    }
    if (row.fingerprint !== fingerprint) throw new ApiError('idempotency_key_reused', {});
    return { answer: JSON.parse(row.answer), isReplayed: true };
  }

  async #remember(transaction: QueryTarget, key: string, fingerprint: string, answer: Json): Promise<void> {
    const nowMs = this.#clock.now();
    const newest = build
      .selectFrom('job_commands')
      .select('key')
      .orderBy('at_ms', 'desc')
      .limit(Number.MAX_SAFE_INTEGER)
      .offset(maxKept - 1);
    await runOn(transaction, build.deleteFrom('job_commands').where('at_ms', '<=', nowMs - keptMs));
    await runOn(transaction, build.deleteFrom('job_commands').where('key', 'in', newest));
    const row = { key, fingerprint, answer: JSON.stringify(answer), at_ms: nowMs };
    await runOn(transaction, build.insertInto('job_commands').values(row));
  }
}
