import { ApiError, type FailedUnitOutcome, type UnitOutcome } from '@lcs/contract';
import type { Clock } from '@lcs/platform';
import type { NodeAgent, NodeHeaders, PassedOnAnswer } from '../core/leader-context.ts';
import { Lane } from './lane.ts';
import { failed, readAnswer, readTask } from './outcome.ts';
import { passedOn } from './pass-on.ts';
import { type UnitAnswer, type UnitCall, UnitHttp } from './unit-http.ts';
import { expectPlainPath, unitUrl } from './unit-url.ts';

/** Time limits of one call, in milliseconds. */
export interface CallLimits {
  /** For the response to a call. */
  readonly callMs: number;
  /** For the unit's own task to end, after the call. */
  readonly taskMs: number;
  /** The longest pause between two polls. */
  readonly pollIntervalMs: number;
  /** For the response to one poll. */
  readonly pollMs: number;
}

/** A call to one unit, before the look-up of its address. */
export interface Call {
  readonly method: UnitCall['method'];
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface UnitCallsOptions {
  readonly wire: Clock;
  /** Base URL of a unit; undefined when it is unknown. */
  readonly addressOf: (unit: string) => string | undefined;
  readonly nodeHeaders: NodeHeaders;
  /** Default: no connection is encrypted. */
  readonly nodeAgent?: NodeAgent;
}

/** The outcome, or the promise of it when the unit executes the work in a task. */
export type BegunCall = UnitOutcome | { readonly follow: () => Promise<UnitOutcome> };

/** The reason of an abort at a time limit. */
class TimeLimitPassed extends Error {
  readonly limitMs: number;
  constructor(limitMs: number) {
    super(`Nothing came within ${Math.round(limitMs) / 1000} s.`);
    this.limitMs = limitMs;
  }
}

/** The share of the remaining time that a node keeps for the transfer and its own response. */
const onTheWayMs = 50;
/** Most tasks of a unit end at once. Each further pause is twice as long, up to the interval of the limits. */
const firstPauseMs = 15;
/** Units that are polled at a time: a poll is short, and a unit has no place between two polls. */
const pollsAtOnce = 128;

/** Calls single units over HTTP, and follows their tasks. Never rejects: there is always an outcome. */
export class UnitCalls {
  readonly #options: UnitCallsOptions;
  readonly #http: UnitHttp;
  readonly #polls = new Lane(pollsAtOnce);
  #stopping = new AbortController();

  constructor(options: UnitCallsOptions) {
    this.#options = options;
    this.#http = new UnitHttp(options.nodeHeaders, options.nodeAgent ?? (async () => undefined));
  }

  start(): void {
    this.#stopping = new AbortController();
  }

  /** Aborts the running calls: their outcomes state it. */
  abort(): void {
    this.#stopping.abort();
  }

  close(): void {
    this.#http.close();
  }

  get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Calls a unit; when it responds with a task, the outcome is that of the task. */
  async call(unit: string, call: Call, limits: CallLimits, outer?: AbortSignal): Promise<UnitOutcome> {
    const begun = await this.begin(unit, call, limits, outer);
    return 'follow' in begun ? begun.follow() : begun;
  }

  /** The same in two steps: a caller that limits parallel calls need not wait for the tasks that they begin. */
  async begin(unit: string, call: Call, limits: CallLimits, outer?: AbortSignal): Promise<BegunCall> {
    const base = this.#options.addressOf(unit);
    expectPlainPath(call.path);
    if (base === undefined || !URL.canParse(call.path, base)) return unreachable(unit, base);
    const stopping = this.#stopping.signal;
    const signal = outer ? AbortSignal.any([outer, stopping]) : stopping;
    let read: Awaited<ReturnType<typeof readAnswer>>;
    try {
      read = await this.#within(limits.callMs, signal, (inTime) => this.#ask(unit, base, call, limits, inTime));
    } catch (error) {
      return this.#noAnswer(unit, call, error);
    }
    if (!('resultPath' in read)) return read;
    const { resultPath } = read;
    return { follow: () => this.#follow(unit, new URL(base), resultPath, limits, signal) };
  }

  /**
   * Passes a request on to a unit.
   * @throws PassedOnError, ApiError unit_gave_no_answer
   */
  async passOn(unit: string, call: Call, limitMs: number, outer?: AbortSignal): Promise<PassedOnAnswer> {
    const base = this.#options.addressOf(unit);
    expectPlainPath(call.path);
    if (base === undefined || !URL.canParse(call.path, base)) {
      throw noAnswerOf(unit, causeOfNoAddress(base));
    }
    const stopping = this.#stopping.signal;
    const signal = outer ? AbortSignal.any([outer, stopping]) : stopping;
    let answer: UnitAnswer;
    try {
      answer = await this.#within(limitMs, signal, (inTime) => this.#send(base, call, limitMs, inTime));
    } catch (error) {
      throw noAnswerOf(unit, this.#explain(error));
    }
    return passedOn(unit, answer);
  }

  async #ask(unit: string, base: string, call: Call, { callMs }: CallLimits, signal: AbortSignal) {
    return readAnswer(unit, await this.#send(base, call, callMs, signal));
  }

  #send(base: string, { method, path, headers, body }: Call, limitMs: number, signal: AbortSignal) {
    return this.#http.call({
      method,
      url: unitUrl(path, base),
      headers: { ...headers, 'x-deadline-ms': String(Math.max(1, Math.floor(limitMs - onTheWayMs))) },
      ...(method === 'GET' || method === 'DELETE' ? {} : { body: body ?? {} }),
      signal,
    });
  }

  /** Polls the unit's task until it has ended. A poll without a response is not a failure before the time limit. */
  async #follow(unit: string, base: URL, path: string, limits: CallLimits, outer: AbortSignal): Promise<UnitOutcome> {
    const url = URL.canParse(path, base.origin) ? new URL(path, base) : undefined;
    if (url?.origin !== base.origin) {
      const message = `${unit} named a task result that is not its own.`;
      return failed(unit, 'invalid_response', { message }, 202, false);
    }
    let lastPollAnswered = false;
    let pauseMs = Math.min(firstPauseMs, limits.pollIntervalMs);
    try {
      return await this.#within(limits.taskMs, outer, async (signal) => {
        for (;;) {
          try {
            const answer = await this.#polls.run(() =>
              this.#within(limits.pollMs, signal, (poll) => this.#http.call({ method: 'GET', url, signal: poll })),
            );
            lastPollAnswered = true;
            const outcome = await readTask(unit, answer);
            if (outcome) return outcome;
          } catch (error) {
            if (signal.aborted) throw error;
            lastPollAnswered = false;
          }
          await this.#options.wire.sleep(pauseMs, signal);
          pauseMs = Math.min(pauseMs * 2, limits.pollIntervalMs);
        }
      });
    } catch (error) {
      return this.#taskNotEnded(unit, lastPollAnswered, error);
    }
  }

  /** Runs `work` with a signal that is aborted after `limitMs`, or with `outer`. */
  async #within<Result>(
    limitMs: number,
    outer: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const limit = new AbortController();
    const cancel = this.#options.wire.after(limitMs, () => limit.abort(new TimeLimitPassed(limitMs)));
    try {
      return await work(AbortSignal.any([limit.signal, outer]));
    } catch (error) {
      throw limit.signal.aborted ? limit.signal.reason : outer.aborted ? outer.reason : error;
    } finally {
      cancel();
    }
  }

  #noAnswer(unit: string, { method, path }: Call, error: unknown): FailedUnitOutcome {
    const message = `No answer to ${method} ${path} from ${unit}.`;
    return failed(unit, 'connection_error', { message, cause: this.#explain(error) }, null, true);
  }

  #taskNotEnded(unit: string, lastPollAnswered: boolean, error: unknown): FailedUnitOutcome {
    const cause = this.#explain(error);
    if (lastPollAnswered)
      return failed(unit, 'task_timeout', { message: `The task of ${unit} has not ended.`, cause }, 202, true);
    const message = `${unit} did not answer the poll of its task.`;
    return failed(unit, 'connection_error', { message, cause }, null, true);
  }

  #explain(error: unknown): string {
    if (this.isStopping) return 'The leader was stopping.';
    return error instanceof Error && error.message !== '' ? error.message : String(error);
  }
}

const noAnswerOf = (unit: string, cause: string) => new ApiError('unit_gave_no_answer', { unit, cause });

const causeOfNoAddress = (address: string | undefined): string =>
  address === undefined
    ? 'The leader does not know its address: the unit has not enrolled.'
    : `Its address '${address}' is not valid.`;

function unreachable(unit: string, address: string | undefined): FailedUnitOutcome {
  const cause = causeOfNoAddress(address);
  const remediation = 'Start the unit, or enter its address under [cluster.addresses] in the shared configuration.';
  const message = `${unit} cannot be reached.`;
  return failed(unit, 'connection_error', { message, cause, remediation }, null, true);
}
