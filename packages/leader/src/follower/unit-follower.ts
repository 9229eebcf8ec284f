import { FeedAnswer, type FeedQuery, feedLimits, hasShape, type UnitFault } from '@lcs/contract';
import { type Clock, type Log, type Probe, StoreError } from '@lcs/platform';
import { Type } from 'typebox';
import type { Lane } from '../fleet/lane.ts';
import { Backoff } from './backoff.ts';
import { batchOf } from './feed-batch.ts';
import type { FeedClient } from './feed-client.ts';
import type { FeedBatch, FeedMark, IngestPort } from './ingest-port.ts';
import { FeedRefused } from './read-feed-answer.ts';

/** The data of a refusal by a unit whose numbering has changed. */
const NewEpoch = Type.Pick(FeedAnswer, ['epoch']);

export interface FollowerContext {
  readonly leaderId: string;
  readonly ingest: IngestPort;
  /** For time stamps, and for pauses between attempts to store. */
  readonly clock: Clock;
  /** Whether NTP synchronises the leader's clock. Absent: no. */
  readonly hostSynced?: () => boolean;
  readonly wire: Clock;
  readonly log: Log;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** Expensive work of the leader (catching up, storing) happens for a few units at a time. */
  readonly lane: Lane;
  /** Pause between two responses of a unit without a backlog, in milliseconds. */
  readonly restMs: () => number;
  /** Whether the unit has enrolled with this new numbering. */
  readonly mayFollow: (unit: string, epoch: string) => boolean;
  readonly onAnswer: (unit: string, answer: FeedAnswer) => void;
  /** The position up to which the unit's feed is stored. */
  readonly onPosition: (unit: string, mark: FeedMark) => void;
  readonly onRefusal: (unit: string, fault: UnitFault) => void;
  /** Called at `feed.batch_committed`. */
  readonly probe?: Probe;
}

/** Why a unit is not followed until it enrols again. */
const faultCodes: readonly UnitFault[] = [
  'foreign_leader',
  'not_enrolled',
  'feed_epoch_changed',
  'protocol_unsupported',
];
const needsEnrolment = (code: string): code is UnitFault => faultCodes.some((fault) => fault === code);

/**
 * The state of reading a feed. `unread`: the stored mark is not read yet. `rewind`: the feed is read again from here, even if it is stored.
 * `unknown`: the unit has not answered lately. `behind`: it has more. `level`: it has no more at present.
 */
type Position =
  | { readonly is: 'unread' | 'unknown' | 'behind' | 'level' }
  | { readonly is: 'rewind'; readonly to: FeedMark };

const catchUpRecords = feedLimits.records;
/** For the response to a call, beyond its long-poll time. */
const answerMs = 5_000;
const ackEveryMs = 5_000;
/** For storing one batch before it is read again. */
const mostAttempts = 4;

/** Follows the feed of one unit: reads, stores, acknowledges, until it is stopped. */
export class UnitFollower {
  readonly #unit: string;
  readonly #client: FeedClient;
  readonly #context: FollowerContext;
  readonly #retry: Backoff;
  #mark: FeedMark | undefined;
  /** The newest number that the unit has confirmed as acknowledged in this run. */
  #acked = 0;
  /** The unit's run and the time of its last response: an earlier time, or another run, means that the unit has started again. */
  #lastAnswer: Pick<FeedAnswer, 'boot' | 'mono'> | undefined;
  #ackedAtMs = Number.NEGATIVE_INFINITY;
  #position: Position = { is: 'unread' };
  /** Aborted when the current call has become useless. */
  #turnEnd = new AbortController();

  constructor(unit: string, client: FeedClient, context: FollowerContext) {
    this.#unit = unit;
    this.#client = client;
    this.#context = context;
    this.#retry = new Backoff(500, 10_000, context.random);
  }

  /** The unit has enrolled: it may have another address or be another machine, and the reason for not following it may have ended. */
  enrolled(): void {
    this.#turnEnd.abort();
  }

  /** Runs until `signal` is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#turnEnd = new AbortController();
      const turn = AbortSignal.any([signal, this.#turnEnd.signal]);
      try {
        await this.#prepare();
        await this.#turn(turn);
        this.#retry.reset();
      } catch (error) {
        if (this.#position.is === 'behind' || this.#position.is === 'level') this.#position = { is: 'unknown' };
        if (this.#turnEnd.signal.aborted) this.#retry.reset();
        else await this.#afterFailure(error, turn);
      }
    }
  }

  /** Reads the stored mark at the start, and moves it back if the feed must be read again. */
  async #prepare(): Promise<void> {
    const position = this.#position;
    if (position.is === 'rewind') await this.#rewind(position.to);
    if (position.is !== 'unread') return;
    this.#moveTo(await this.#context.ingest.mark(this.#unit));
    this.#position = { is: 'unknown' };
  }

  #moveTo(mark: FeedMark | undefined): void {
    const before = this.#mark;
    this.#mark = mark;
    if (mark && mark !== before) this.#context.onPosition(this.#unit, mark);
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { lane, wire, restMs } = this.#context;
    // Acknowledging is cheap for the leader, and a slow unit must not delay the others.
    if (this.#position.is === 'behind') {
      const taken = await lane.run(async () => {
        if (signal.aborted) return undefined;
        const read = await this.#read(0, catchUpRecords, signal);
        return (await this.#take(read, signal)) ? read : undefined;
      });
      if (taken) await this.#acknowledge(taken, signal);
      return;
    }
    const wait = this.#position.is === 'level' ? feedLimits.waitMs : 0;
    const answer = await this.#read(wait, feedLimits.defaultRecords, signal);
    if (await lane.run(() => this.#take(answer, signal))) await this.#acknowledge(answer, signal);
    if (answer.records.length > 0 && !answer.more) await rest(wire, restMs(), signal);
  }

  async #read(wait: number, limit: number, signal: AbortSignal): Promise<FeedAnswer> {
    const { leaderId, clock, hostSynced = () => false, onAnswer } = this.#context;
    const query: FeedQuery = {
      ...(this.#mark && { epoch: this.#mark.epoch }),
      after: this.#mark?.seq ?? 0,
      limit,
      wait,
      leader_id: leaderId,
      leader_time: Math.floor(clock.now()),
      leader_synced: hostSynced(),
    };
    const answer = await this.#within(wait + answerMs, signal, (limited) => this.#client.read(query, limited));
    onAnswer(this.#unit, answer);
    return answer;
  }

  /** Stores a response; resolves to whether it may be acknowledged. */
  async #take(answer: FeedAnswer, signal: AbortSignal): Promise<boolean> {
    const { probe } = this.#context;
    const mark = this.#mark ?? { epoch: answer.epoch, seq: 0 };
    if (answer.epoch !== mark.epoch)
      throw new FeedRefused('feed_epoch_changed', 'The epoch differs from the requested one.');
    if (this.#hasGoneBack(answer, mark)) return false;
    const batch = batchOf({ ...answer, reactor_unit: this.#unit }, mark);
    if (batch.records.length > 0 || batch.forgotten !== undefined) {
      if (!(await this.#store(batch, signal))) return false;
      probe?.('feed.batch_committed');
      this.#moveTo({ epoch: batch.epoch, seq: batch.upTo });
    } else this.#moveTo(mark);
    this.#position = { is: answer.more ? 'behind' : 'level' };
    return true;
  }

  /**
   * A unit that has started again and knows fewer acknowledged records than it has confirmed runs on an older copy of its disk: higher
   * numbers belong to other records now.
   */
  #hasGoneBack({ boot, mono, acked_seq }: FeedAnswer, { epoch }: FeedMark): boolean {
    const last = this.#lastAnswer;
    const hasStarted = last === undefined || boot !== last.boot || mono < last.mono;
    const hasGoneBack = hasStarted && acked_seq < this.#acked;
    this.#lastAnswer = { boot, mono };
    if (hasGoneBack) this.#position = { is: 'rewind', to: { epoch, seq: acked_seq } };
    return hasGoneBack;
  }

  async #rewind(mark: FeedMark): Promise<void> {
    this.#context.log.debug('Records of a unit are read again', { unit: this.#unit, ...mark });
    await this.#context.ingest.rewind(this.#unit, mark);
    this.#moveTo(mark);
    this.#acked = mark.seq;
    this.#position = { is: 'unknown' };
  }

  /**
   * Whether the batch is stored; false at the end. Tries a few times, then gives its place to other units: a lasting failure (a full disk, a
   * batch that no store accepts) must not delay them. The unit keeps its records, and the follower reads them again.
   */
  async #store(batch: FeedBatch, signal: AbortSignal): Promise<boolean> {
    const { ingest, clock, log, random } = this.#context;
    const pauses = new Backoff(100, 5_000, random);
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        await ingest.ingest(batch);
        return true;
      } catch (error) {
        if (signal.aborted) return false;
        if (attempt >= mostAttempts || (error instanceof StoreError && error.code === 'disk_full')) throw error;
        log.error('A batch of a unit could not be stored; the leader retries', { unit: this.#unit, error });
        await rest(clock, pauses.next(), signal);
      }
    }
    return false;
  }

  async #acknowledge(answer: FeedAnswer, signal: AbortSignal): Promise<void> {
    const { leaderId, wire } = this.#context;
    const mark = this.#mark;
    if (mark === undefined || mark.seq === this.#acked) return;
    const isDue = answer.more || answer.records.length === 0 || wire.monotonic() - this.#ackedAtMs >= ackEveryMs;
    if (!isDue) return;
    const ack = { leader_id: leaderId, epoch: mark.epoch, seq: mark.seq };
    await this.#within(answerMs, signal, (limited) => this.#client.acknowledge(ack, limited));
    this.#acked = mark.seq;
    this.#ackedAtMs = wire.monotonic();
  }

  async #afterFailure(error: unknown, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { log, wire } = this.#context;
    if (error instanceof FeedRefused && needsEnrolment(error.code)) {
      if (error.code === 'feed_epoch_changed' && this.#followsNewEpoch(error)) return;
      await this.#waitForEnrolment(error, error.code, signal);
      return;
    }
    const pauseMs = this.#retry.next();
    const isFault =
      error instanceof FeedRefused && ['invalid_query', 'invalid_body', 'invalid_answer'].includes(error.code);
    log[isFault ? 'error' : 'debug']('A unit could not be followed; the leader retries', {
      unit: this.#unit,
      error,
      pauseMs,
    });
    await rest(wire, pauseMs, signal);
  }

  /** Whether the unit's new numbering is known from an enrolment; it is then read from its start. */
  #followsNewEpoch({ diagnostics }: FeedRefused): boolean {
    const [diagnostic] = diagnostics;
    if (!hasShape(NewEpoch, diagnostic)) return false;
    const { epoch } = diagnostic;
    if (epoch === this.#mark?.epoch) return false;
    if (!this.#context.mayFollow(this.#unit, epoch)) return false;
    // It may have been stored before: from an older copy of the unit's disk, whose numbers then continued differently.
    this.#position = { is: 'rewind', to: { epoch, seq: 0 } };
    return true;
  }

  async #waitForEnrolment(error: FeedRefused, code: UnitFault, signal: AbortSignal): Promise<void> {
    const { log, onRefusal } = this.#context;
    log.warn('A unit is not followed until it enrols again', { unit: this.#unit, code, reason: error.message });
    const enrolled = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => enrolled.resolve(), { once: true });
    onRefusal(this.#unit, code);
    if (!signal.aborted) await enrolled.promise;
  }

  async #within<Result>(
    limitMs: number,
    signal: AbortSignal,
    call: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const limit = new AbortController();
    const end = () => limit.abort(signal.reason);
    const cancel = this.#context.wire.after(limitMs, () => limit.abort(new Error(`No answer within ${limitMs} ms.`)));
    signal.addEventListener('abort', end, { once: true });
    try {
      signal.throwIfAborted();
      return await call(limit.signal);
    } finally {
      cancel();
      signal.removeEventListener('abort', end);
    }
  }
}

/** Sleeps; wakes early without an error when the follower ends. */
async function rest(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
