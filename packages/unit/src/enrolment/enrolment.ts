import { type Enrolled, type Enrolment as EnrolmentBody, minuteMs, unitProtocol } from '@lcs/contract';
import type { Clock, Log, Service } from '@lcs/platform';
import type { NewNote } from '../outbox/new-record.ts';
import { unitLog } from '../outbox/unit-note.ts';
import { type EnrolCall, EnrolmentRefused } from './enrol-call.ts';
import type { LeaderLink } from './leader-link.ts';

/** The state of the enrolment. */
export type EnrolmentState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'asking'; readonly attempt: number }
  | { readonly kind: 'enrolled'; readonly leader: string; readonly isWorker: boolean; readonly isReachable: boolean }
  /** No response, an invalid one, or it could not be stored. */
  | { readonly kind: 'failed'; readonly reason: string; readonly retryMs: number }
  | { readonly kind: 'refused'; readonly code: string; readonly reason: string; readonly retryMs: number };

export interface EnrolmentOptions {
  readonly unit: string;
  /** `id` of the identity file. */
  readonly machineId: string;
  readonly appVersion: string;
  readonly boot: number;
  /** Drawn at this start of the program. */
  readonly instance?: string;
  /** Read at each attempt. */
  readonly epoch: () => string;
  /** The address of this unit; a null base URL: the source address of its request. */
  readonly address: () => { readonly baseUrl: string | null; readonly port: number };
  readonly model?: () => { readonly model_name: string; readonly model_version: string } | null;
  /** One-time code. */
  readonly code?: string;
  /** Take the name over from another machine. */
  readonly replace?: boolean;
  readonly link: Pick<LeaderLink, 'current' | 'bind'>;
  readonly call: EnrolCall;
  readonly wire: Clock;
  readonly log: Log;
  /** From 0 to 1. */
  readonly random: () => number;
  /** To the unit's log. */
  readonly note: (note: NewNote) => void;
  /** The leader's time, milliseconds since 1970. */
  readonly onLeaderTime?: (leaderTimeMs: number) => void;
  /** Called when another machine has this unit's name: the unit must act as released. */
  readonly onReplaced?: () => Promise<void>;
}

const responseLimitMs = 10_000;
/** The unit enrols again after this time without a message from the leader. */
const silenceMs = 10 * minuteMs;
/** First and longest pause after a failure, and after a rejection, which a user must resolve. */
const failedMs = { first: 500, most: 60_000 };
const refusedMs = { first: 10_000, most: 10 * minuteMs };

/** The leader does not know this machine. */
const unknownCodes: readonly string[] = ['enrol_code_needed', 'enrol_approval_needed', 'unit_revoked'];

/** A person decides soon: the leader states when to ask again. */
const isWaiting = ({ code, retryAfterMs }: EnrolmentRefused): boolean =>
  code === 'enrol_approval_needed' && retryAfterMs !== undefined;

/** Enrols the unit with its leader whenever necessary, and retries without end. */
export class Enrolment implements Service {
  readonly name = 'enrolment';
  readonly #options: EnrolmentOptions;
  readonly #ended = new AbortController();
  #state: EnrolmentState = { kind: 'idle' };
  #loop: Promise<void> | undefined;
  #wake: () => void = () => {};
  /** Something has changed since the last attempt began. */
  #isStale = false;
  #lastContactMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  /** The leader has asked for a code or an approval. */
  #isRefusedAsUnknown = false;
  #isCodeUsed = false;
  /** The last refusal in the log: a unit that waits for its approval asks every few seconds. */
  #logged: string | undefined;
  #hasEnrolled = false;

  constructor(options: EnrolmentOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    this.#wake();
    await this.#loop;
  }

  get state(): EnrolmentState {
    return this.#state;
  }

  /** The leader has sent a request, so it has this unit's address. */
  noteContact(): void {
    this.#lastContactMs = this.#options.wire.monotonic();
  }

  /** Base URL or epoch have changed, or the leader rejected the token: enrol at once. */
  changed(): void {
    this.#isStale = true;
    this.#wake();
  }

  async #run(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      this.#isStale = false;
      await this.#wait(await this.#attempt());
    }
  }

  /** Sends one request; returns the pause after it. */
  async #attempt(): Promise<number> {
    this.#state = { kind: 'asking', attempt: this.#failures + 1 };
    try {
      const enrolled = await this.#request();
      await this.#accept(enrolled);
      return silenceMs;
    } catch (error) {
      if (this.#ended.signal.aborted) return 0;
      return await this.#failed(error);
    }
  }

  async #request(): Promise<Enrolled> {
    const { link, call, wire } = this.#options;
    const late = new AbortController();
    const cancel = wire.after(responseLimitMs, () => late.abort(new Error('The leader did not respond in time.')));
    const leaderKey = link.current?.leader_key;
    // A code is used up by an enrolment: it must not be tried again at the next start.
    const isKnown = leaderKey !== undefined && !this.#isRefusedAsUnknown;
    const code = isKnown || this.#isCodeUsed ? undefined : this.#options.code;
    try {
      return await call(this.#body(), { leaderKey, code }, AbortSignal.any([this.#ended.signal, late.signal]));
    } catch (error) {
      throw late.signal.aborted ? late.signal.reason : error;
    } finally {
      cancel();
    }
  }

  #body(): EnrolmentBody {
    const { unit, machineId, appVersion, boot, instance, epoch, address, model, replace } = this.#options;
    const { baseUrl, port } = address();
    return {
      reactor_unit: unit,
      machine_id: machineId,
      protocol: unitProtocol,
      app_version: appVersion,
      base_url: baseUrl,
      port,
      epoch: epoch(),
      boot,
      ...(instance && { instance }),
      model: model?.() ?? null,
      // Only once: a replaced machine must not take its name back automatically.
      ...(replace === undefined || this.#hasEnrolled ? {} : { replace }),
    };
  }

  async #accept(enrolled: Enrolled): Promise<void> {
    const { link, log, note, onLeaderTime } = this.#options;
    const before = link.current?.leader_id;
    await link.bind(enrolled);
    this.#failures = 0;
    this.#isRefusedAsUnknown = false;
    this.#isCodeUsed = true;
    this.#logged = undefined;
    this.#hasEnrolled = true;
    this.noteContact();
    onLeaderTime?.(enrolled.leader_time);
    const { leader, worker: isWorker, reachable: isReachable } = enrolled;
    this.#state = { kind: 'enrolled', leader, isWorker, isReachable };
    log.info('Enrolled', { leader, leaderId: enrolled.leader_id, isWorker, isReachable });
    if (before !== undefined && before !== enrolled.leader_id)
      note(unitLog('NOTICE', 'enrolment', `This unit belongs to another leader now: ${leader}.`));
    if (!isReachable)
      note(unitLog('WARNING', 'enrolment', `${leader} cannot reach this unit at its address; it retries.`));
  }

  async #failed(error: unknown): Promise<number> {
    const { log } = this.#options;
    const reason = error instanceof Error ? error.message : String(error);
    this.#failures += 1;
    // An invalid response may be from a proxy in front of a starting leader, so it is not a message of the leader.
    if (error instanceof EnrolmentRefused && error.status >= 400 && error.status < 500) {
      const { code, retryAfterMs = 0 } = error;
      const isUnknown = unknownCodes.includes(code);
      // With a code the unit can continue at once.
      const hasCode = this.#options.code !== undefined && !this.#isCodeUsed && !this.#isRefusedAsUnknown;
      this.#isRefusedAsUnknown ||= isUnknown;
      if (code === 'enrol_code_wrong') this.#isCodeUsed = true;
      const retryMs =
        isUnknown && hasCode
          ? failedMs.first
          : isWaiting(error)
            ? retryAfterMs
            : Math.max(retryAfterMs, this.#backoffMs(refusedMs));
      this.#state = { kind: 'refused', code, reason, retryMs };
      const what = isWaiting(error) ? 'This unit waits for its approval' : 'The leader does not accept this unit';
      log[this.#logged === reason ? 'debug' : 'warn'](`${what}: ${reason}`, {
        code,
        reason,
        retryMs,
      });
      this.#logged = reason;
      if (code === 'unit_replaced') await this.#beReplaced();
      return retryMs;
    }
    const retryMs = this.#backoffMs(failedMs);
    this.#state = { kind: 'failed', reason, retryMs };
    log[this.#failures === 1 ? 'warn' : 'debug']('Not enrolled yet; this unit continues to work and retries', {
      reason,
      retryMs,
    });
    return retryMs;
  }

  async #beReplaced(): Promise<void> {
    const { onReplaced, log } = this.#options;
    try {
      await onReplaced?.();
    } catch (error) {
      log.error('This unit was replaced, and could not leave; it tries again', { error: String(error) });
    }
  }

  #backoffMs({ first, most }: { readonly first: number; readonly most: number }): number {
    return Math.min(most, first * 2 ** (this.#failures - 1)) * (0.8 + 0.4 * this.#options.random());
  }

  /** Waits; after a success, each message of the leader restarts the wait. */
  async #wait(waitMs: number): Promise<void> {
    let leftMs = waitMs;
    while (leftMs > 0 && !this.#isStale && !this.#ended.signal.aborted) {
      await this.#sleep(leftMs);
      leftMs = this.#failures > 0 ? 0 : this.#lastContactMs + silenceMs - this.#options.wire.monotonic();
    }
  }

  #sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.wire.after(delayMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
