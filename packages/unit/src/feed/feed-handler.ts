import {
  ApiError,
  type FeedAck,
  type FeedAcked,
  type FeedAnswer,
  type FeedBoot,
  type FeedHeldJob,
  type FeedJob,
  type FeedQuery,
  type FeedRecord,
  type FeedSeries,
  feedLimits,
  unitProtocol,
} from '@lcs/contract';
import type { Clock, Probe, Service } from '@lcs/platform';
import type { Outbox } from '../outbox/outbox.ts';
import { bytesOf, type RecordRow, recordOf, rowBytes, type SampleExtras } from '../outbox/record-row.ts';
import type { UnitTime } from '../time/unit-time.ts';

/** The part of the heartbeat that is not about the buffer. */
export interface Heartbeat {
  readonly desired_version: number;
  readonly desired_pending: readonly string[];
  readonly jobs: readonly FeedJob[];
  /** Jobs that a restart has interrupted and that wait for a person. */
  readonly held_jobs: readonly FeedHeldJob[];
  /** Whether effective changes are not on disk. */
  readonly unrecorded: boolean;
}

export interface FeedHandlerOptions {
  readonly unit: string;
  readonly outbox: Outbox;
  readonly time: UnitTime;
  readonly wire: Clock;
  /** ID of the unit's leader. */
  readonly leaderId: () => string | undefined;
  readonly heartbeat: () => Heartbeat;
  /** Called at a request of the unit's own leader. */
  readonly onLeader?: () => void;
  /** Called at `feed.acked`. */
  readonly probe?: Probe;
}

/** Approximate size of a sample in a response, without its stored body, in bytes. */
const sampleJsonBytes = 110;

/** Serves the outbox to the leader: `GET /unit_api/feed` and its acknowledgement. */
export class FeedHandler implements Service {
  readonly name = 'feed';
  readonly #options: FeedHandlerOptions;
  /** Ends the running long poll of the leader. */
  #supersede: (() => void) | undefined;
  #isUp = false;

  constructor(options: FeedHandlerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#isUp = true;
  }

  async stop(): Promise<void> {
    this.#isUp = false;
    this.#supersede?.();
  }

  /**
   * The records after a number. Waits up to `query.wait` if there are none.
   * @throws ApiError `not_enrolled`, `foreign_leader`, `feed_epoch_changed`, `feed_ahead`, `invalid_query`, `shutting_down`
   */
  async read(query: FeedQuery, signal: AbortSignal): Promise<FeedAnswer> {
    const { outbox, time, onLeader } = this.#options;
    const after = query.after ?? 0;
    const isLeader = query.leader_id !== undefined;
    if (query.leader_id !== undefined) this.#checkLeader(query.leader_id);
    if (query.epoch !== undefined) await this.#checkEpoch(query.epoch);
    else if (after > 0) {
      const cause = 'A number means nothing without the numbering it belongs to.';
      throw new ApiError('invalid_query', {
        name: 'after',
        cause,
        remediation: 'Send the epoch of the last response.',
      });
    }
    if (isLeader) {
      if (query.leader_time !== undefined) time.receiveLeaderTime(query.leader_time, query.leader_synced);
      onLeader?.();
    }
    await this.#checkReach(after, isLeader);
    if (isLeader) this.#supersede?.();
    if (outbox.head <= after && query.wait !== undefined && query.wait > 0) {
      await this.#waitForCommit(query.wait, isLeader, signal);
    }
    if (!this.#isUp) throw new ApiError('shutting_down', {});
    return this.#respond(after, query.limit ?? feedLimits.defaultRecords);
  }

  /** @throws ApiError `not_enrolled`, `foreign_leader`, `feed_epoch_changed`, `feed_ahead` */
  async acknowledge({ leader_id, epoch, seq }: FeedAck): Promise<FeedAcked> {
    this.#checkLeader(leader_id);
    await this.#checkEpoch(epoch);
    await this.#checkReach(seq, true);
    const { outbox, probe } = this.#options;
    const ackedSeq = await outbox.acknowledge(seq);
    probe?.('feed.acked');
    return { status: 'success', acked_seq: ackedSeq };
  }

  #checkLeader(leaderId: string): void {
    const { unit } = this.#options;
    const own = this.#options.leaderId();
    if (own === undefined) throw new ApiError('not_enrolled', { unit });
    if (own !== leaderId) throw new ApiError('foreign_leader', { unit });
  }

  async #checkEpoch(requested: string): Promise<void> {
    const { outbox } = this.#options;
    const { epoch, head } = outbox;
    if (requested === epoch) return;
    const { firstSeq } = await outbox.summary();
    throw new ApiError('feed_epoch_changed', {}, [{ epoch, first_seq: firstSeq, head_seq: head }]);
  }

  /** The leader has more records than this disk: the disk was restored to an earlier state, so a new epoch begins. */
  async #checkReach(seq: number, isLeader: boolean): Promise<void> {
    const { outbox } = this.#options;
    const { head } = outbox;
    if (seq <= head) return;
    if (isLeader) await outbox.beginEpoch();
    throw new ApiError('feed_ahead', { seq, head });
  }

  async #waitForCommit(waitMs: number, isLeader: boolean, signal: AbortSignal): Promise<void> {
    const { outbox, wire } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stopListening = outbox.onCommit(resolve);
    const cancel = wire.after(Math.min(waitMs, feedLimits.waitMs), resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (isLeader) this.#supersede = resolve;
    try {
      if (!signal.aborted) await promise;
    } finally {
      stopListening();
      cancel();
      if (this.#supersede === resolve) this.#supersede = undefined;
    }
  }

  async #respond(after: number, limit: number): Promise<FeedAnswer> {
    const { unit, outbox, time, heartbeat } = this.#options;
    const { epoch, head, acked } = outbox;
    const rows = withinBytes(await outbox.readAfter(after, Math.min(limit, feedLimits.records)));
    const dictionary = new Dictionary((id) => outbox.seriesById(id));
    const records: FeedRecord[] = rows.map((row) => recordOf(row, dictionary.position, dictionary.furtherOf));
    const { firstSeq, outbox: buffer } = await outbox.summary();
    const { desired_version, desired_pending, jobs, held_jobs, unrecorded } = heartbeat();
    return {
      reactor_unit: unit,
      protocol: unitProtocol,
      epoch,
      boot: time.boot.boot,
      first_seq: firstSeq,
      head_seq: head,
      acked_seq: acked,
      time: time.now(),
      mono: time.mono(),
      synced: time.synced,
      desired_version,
      desired_pending: [...desired_pending],
      jobs: [...jobs],
      ...(held_jobs.length > 0 && { held_jobs: [...held_jobs] }),
      outbox: buffer,
      ...(unrecorded && { unrecorded: true }),
      boots: bootsOf(rows, (boot) => outbox.bootOf(boot)),
      series: dictionary.entries,
      records,
      more: rows.length > 0 && (rows.at(-1)?.seq ?? after) < head,
    };
  }
}

/** The first rows whose records fit into one response; at least one. */
function withinBytes(rows: readonly RecordRow[]): readonly RecordRow[] {
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    bytes += bytesOf(row) - rowBytes + sampleJsonBytes;
    if (bytes > feedLimits.bytes && index > 0) return rows.slice(0, index);
  }
  return rows;
}

function bootsOf(rows: readonly RecordRow[], find: (boot: number) => FeedBoot | undefined): FeedBoot[] {
  return [...new Set(rows.map(({ boot }) => boot))].flatMap((boot) => find(boot) ?? []);
}

/** The series of one response with their positions. */
class Dictionary {
  readonly entries: FeedSeries[] = [];
  readonly #positions = new Map<number, number>();
  /** By their text: most samples of a response have the same. */
  readonly #further = new Map<string, SampleExtras>();
  readonly #find: (id: number) => FeedSeries | undefined;

  constructor(find: (id: number) => FeedSeries | undefined) {
    this.#find = find;
  }

  readonly position = (id: number): number => {
    const known = this.#positions.get(id);
    if (known !== undefined) return known;
    const series = this.#find(id);
    if (series === undefined) throw new Error(`The outbox has a sample of an unknown series (${id}).`);
    this.#positions.set(id, this.entries.length);
    this.entries.push(series);
    return this.entries.length - 1;
  };

  readonly furtherOf = (body: string): SampleExtras => {
    const known = this.#further.get(body);
    if (known !== undefined) return known;
    const further: SampleExtras = JSON.parse(body);
    this.#further.set(body, further);
    return further;
  };
}
