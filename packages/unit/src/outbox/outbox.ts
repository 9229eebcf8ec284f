import { clusterExperiment, type FeedBoot, type FeedOutbox, type FeedSeries, hourMs, type Json } from '@lcs/contract';
import { type Cancel, Listeners, type Service, StoreError } from '@lcs/platform';
import type { ClockStep, RefusedTime, Stamp } from '../time/unit-time.ts';
import { type Acceptance, acceptanceFor, type FreeSpace, freeSpaceOf } from './disk-space.ts';
import type { NewRecord, NewSample } from './new-record.ts';
import { defaultLimits, type OutboxLimits, type OutboxOptions } from './outbox-options.ts';
import { type OutboxState, OutboxStore } from './outbox-store.ts';
import { type PendingRecord, pendingNote, pendingSample, type RecordRow } from './record-row.ts';
import { RefusedRecords } from './refused-records.ts';
import { SeriesCache } from './series-cache.ts';
import { Thinning } from './thinning.ts';
import { unitLog } from './unit-note.ts';

/** `committed`: on disk; `refused`: not kept, because the storage is full; `unwritten`: the outbox stopped before. */
export type Flushed = 'committed' | 'refused' | 'unwritten';

export interface Appended {
  readonly stamp: Stamp;
  /** Never rejects. */
  readonly flushed: Promise<Flushed>;
}

/** Records that go to the disk together. */
interface Batch {
  readonly records: PendingRecord[];
  readonly flushed: PromiseWithResolvers<Flushed>;
}

const retryMs = 1_000;
const diskCheckMs = 10_000;
const retentionMs = hourMs;
/** Once above its limit the buffer is brought down to this share of it, so that it is not thinned at every commit. */
const thinnedToShare = 0.95;
/** Slices of upkeep in one go; what remains follows the next commit. */
const slicesAtOnce = 50;
const refused: Promise<Flushed> = Promise.resolve('refused');

const refusedTimeText = ({ source, offset_ms }: RefusedTime): string => {
  const hours = `${(Math.abs(offset_ms) / hourMs).toFixed(2)} h ${offset_ms > 0 ? 'ahead of' : 'behind'}`;
  return source === 'leader'
    ? `The clock of the leader is ${hours} that of this unit. This unit keeps its own time. Check the clock of the leader; if it is right, set the clocks of all machines (POST /api/system/utc_clock).`
    : `The clock of this machine was set and is ${hours} the time of this unit, which it keeps. Check the clock; if it is right, restart this unit.`;
};

/**
 * All records of this unit, numbered and on its disk, until the leader has them. Appending is immediate; the
 * commit follows within 250 ms, for all records of that time together.
 */
export class Outbox implements Service {
  readonly name = 'outbox';
  readonly #options: OutboxOptions;
  readonly #fixedLimits: OutboxLimits;
  readonly #store: OutboxStore;
  readonly #thinning = new Thinning();
  readonly #refused = new RefusedRecords();
  readonly #commits = new Listeners();
  readonly #epochs = new Listeners<string>();
  readonly #timers = new Set<Cancel>();
  #seriesCache = new SeriesCache();
  #storedSeries = new Set<number>();
  #boots = new Map<number, FeedBoot>();
  #storedBoot = '';
  #state: OutboxState = { epoch: '', head: 0, acked: 0, records: 0, bytes: 0 };
  #batches: Batch[] = [];
  #waiting = 0;
  /** Where the time of this boot changed last. */
  #lastStepMono = 0;
  #freeSpace: FreeSpace = 'ample';
  /** Nothing more may be thinned and the buffer is still above its limit. */
  #isOverfull = false;
  #cancelCommit: Cancel | undefined;
  /** All that touches the disk, one after the other. */
  #work: Promise<void> = Promise.resolve();
  #isUp = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#fixedLimits = { ...defaultLimits, ...options.limits };
    this.#store = new OutboxStore(options.database, options.probe);
  }

  async start(): Promise<void> {
    const { newId, clock, wire, time } = this.#options;
    this.#lastStepMono = 0;
    this.#state = await this.#store.open(newId);
    this.#seriesCache = new SeriesCache();
    const series = await this.#store.series();
    this.#seriesCache.load(series);
    this.#storedSeries = new Set(series.map(({ id }) => id));
    this.#boots = new Map(await this.#store.boots());
    this.#isUp = true;
    await this.#checkDisk();
    this.#timers.add(time.onStep((step) => this.#stepped(step)));
    this.#timers.add(time.onRefusal((refused) => this.#timeRefused(refused)));
    this.#timers.add(clock.every(retentionMs, () => this.#enqueue(() => this.#forgetOld())));
    this.#timers.add(wire.every(diskCheckMs, () => this.#enqueue(() => this.#checkDisk())));
  }

  /** Writes what waits, if the disk takes it. */
  async stop(): Promise<void> {
    if (!this.#isUp) return;
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    await this.flush();
    this.#isUp = false;
    this.#cancelCommit?.();
    for (const { flushed } of this.#batches) flushed.resolve('unwritten');
    this.#batches = [];
    this.#waiting = 0;
  }

  get #limits(): Pick<OutboxLimits, 'maxBytes' | 'keepMs'> {
    return { ...this.#fixedLimits, ...this.#options.configured?.() };
  }

  get epoch(): string {
    return this.#state.epoch;
  }

  /** Number of the newest committed record. */
  get head(): number {
    return this.#state.head;
  }

  get acked(): number {
    return this.#state.acked;
  }

  /** Whether nothing can be written now. */
  get isFull(): boolean {
    return this.#freeSpace === 'none';
  }

  /** Whether commands may be taken: what cannot be remembered is not begun. */
  canAccept(): Acceptance {
    return acceptanceFor(this.#freeSpace === 'ample' && this.#isOverfull ? 'scarce' : this.#freeSpace);
  }

  /**
   * Takes a record over, at once. `stamp` is the moment of the reading, by default now.
   * @throws RangeError for a value that is not finite: no reading.
   */
  append(record: NewRecord, stamp: Stamp = this.#options.time.stamp()): Appended {
    if (record.kind === 'sample' && !Number.isFinite(record.value)) {
      throw new RangeError(`A reading must be a finite number, not ${record.value} (${record.series.source}).`);
    }
    const accepts = this.#freeSpace === 'ample' && !this.#isOverfull;
    const isRefused = (record.kind === 'sample' && !accepts) || this.#waiting >= this.#fixedLimits.maxWaiting;
    if (isRefused || !this.#isUp) {
      this.#refused.add(record, stamp.at);
      return { stamp, flushed: refused };
    }
    const pending =
      record.kind === 'sample'
        ? pendingSample(this.#flagged(record), this.#seriesCache.of(record.series), stamp, this.#lastStepMono)
        : pendingNote(record, stamp);
    return { stamp: pending.stamp, flushed: this.#wait(pending) };
  }

  #flagged(sample: NewSample): NewSample {
    const { flags: own = [] } = this.#options;
    return own.length === 0 ? sample : { ...sample, flags: [...(sample.flags ?? []), ...own] };
  }

  /** Commits what waits now; resolves when that was done or has failed. */
  flush(): Promise<void> {
    this.#cancelCommit?.();
    this.#cancelCommit = undefined;
    return this.#enqueue(() => this.#commitWaiting());
  }

  /** Calls `listener` after each commit; the returned function ends that. */
  onCommit(listener: () => void): Cancel {
    return this.#commits.add(listener);
  }

  /** Calls `listener` when a new numbering begins: the unit must enrol again. The returned function ends that. */
  onEpoch(listener: (epoch: string) => void): Cancel {
    return this.#epochs.add(listener);
  }

  /** Committed records after `after`, at most `limit`, in order. */
  readAfter(after: number, limit: number): Promise<readonly RecordRow[]> {
    return this.#store.readAfter(after, this.#state.head, limit);
  }

  /** The last record of the run before this one, if it is still stored. */
  lastOfEarlierRun(): Promise<RecordRow | undefined> {
    return this.#store.newestOfOthers(this.#options.time.boot.boot);
  }

  seriesById(id: number): FeedSeries | undefined {
    return this.#seriesCache.byId(id)?.series;
  }

  /** How the times of a boot map to wall time; undefined for a boot without records. */
  bootOf(boot: number): FeedBoot | undefined {
    const now = this.#options.time.boot;
    return now.boot === boot ? now : this.#boots.get(boot);
  }

  /** The state of the buffer for the heartbeat, and the number of the oldest record (0: none). */
  async summary(): Promise<{ readonly firstSeq: number; readonly outbox: FeedOutbox }> {
    const oldest = await this.#store.oldest();
    const { records, bytes } = this.#state;
    const full = !this.canAccept().accepts;
    const outbox = { records, bytes, oldest_at: oldest?.at ?? null, limit_bytes: this.#limits.maxBytes, full };
    return { firstSeq: oldest?.seq ?? 0, outbox };
  }

  /** The leader has stored everything up to `seq`; resolves with the highest acknowledged number, on disk. */
  async acknowledge(seq: number): Promise<number> {
    await this.#enqueue(async () => {
      if (seq <= this.#state.acked) return;
      await this.#store.acknowledge(seq);
      this.#state = { ...this.#state, acked: seq };
      this.#isOverfull = false;
    }, 'pass on');
    return this.#state.acked;
  }

  /** Begins another numbering because the leader has records that this disk does not have. */
  async beginEpoch(): Promise<void> {
    const epoch = this.#options.newId();
    await this.#enqueue(async () => {
      await this.#store.beginEpoch(epoch);
      this.#state = { ...this.#state, epoch, acked: 0 };
    }, 'pass on');
    this.#options.log.error('The leader has records that this unit has lost; a new numbering begins', { epoch });
    this.#log(
      'ERROR',
      'The storage of this unit is older than what the leader has stored: it was restored or damaged. The unit has begun a new epoch; its records keep their numbers.',
    );
    this.#epochs.publish(epoch);
  }

  #wait(pending: PendingRecord): Promise<Flushed> {
    let batch = this.#batches.at(-1);
    if (batch === undefined) {
      batch = { records: [], flushed: Promise.withResolvers() };
      this.#batches.push(batch);
    }
    batch.records.push(pending);
    this.#waiting += 1;
    if (batch.records.length === this.#fixedLimits.commitAtRecords) void this.flush();
    else this.#commitSoon(this.#fixedLimits.commitAfterMs);
    return batch.flushed.promise;
  }

  #commitSoon(delayMs: number): void {
    this.#cancelCommit ??= this.#options.wire.after(delayMs, () => void this.flush());
  }

  async #commitWaiting(): Promise<void> {
    if (!(await this.#reportRefused())) return;
    for (let batch = this.#batches.shift(); batch !== undefined; batch = this.#batches.shift()) {
      if (!(await this.#commit(batch.records, this.#state.head))) {
        this.#batches.unshift(batch);
        return;
      }
      this.#waiting -= batch.records.length;
      batch.flushed.resolve('committed');
    }
    if (this.#state.bytes > this.#limits.maxBytes && !this.#isOverfull) await this.#deleteForSpace(0);
  }

  /** Gives the refused records numbers and their gap, as soon as records are taken again. */
  async #reportRefused(): Promise<boolean> {
    const count = this.#refused.total;
    if (count === 0 || !this.canAccept().accepts) return true;
    const { head } = this.#state;
    const gap = pendingNote(this.#refused.gapAfter(head), this.#options.time.stamp());
    this.#refused.clear();
    return this.#commit([gap], head + count);
  }

  /** Whether the records are on disk now, numbered from `head` + 1. */
  async #commit(records: readonly PendingRecord[], head: number): Promise<boolean> {
    const last = head + records.length;
    const { probe, time } = this.#options;
    const series = new Set(records.flatMap((record) => record.series ?? []));
    const unknown = [...series].filter(({ id }) => !this.#storedSeries.has(id));
    const { boot } = time;
    const bootText = JSON.stringify(boot);
    try {
      probe?.('outbox.before_commit');
      const isNewBoot = bootText !== this.#storedBoot;
      const added = await this.#store.commit({ records, head, series: unknown, boot: isNewBoot ? boot : undefined });
      this.#state = {
        ...this.#state,
        head: last,
        records: this.#state.records + records.length,
        bytes: this.#state.bytes + added,
      };
      probe?.('outbox.after_commit');
    } catch (error) {
      if (!(await this.#isOnDisk(last))) {
        await this.#failed(error);
        return false;
      }
      await this.#reload();
    }
    for (const { id } of unknown) this.#storedSeries.add(id);
    this.#boots.set(boot.boot, boot);
    this.#storedBoot = bootText;
    if (this.#freeSpace === 'none' && this.#options.freeBytes === undefined) this.#enter('ample');
    this.#commits.publish();
    return true;
  }

  /** After a failure only the disk has the information whether the commit succeeded. */
  async #isOnDisk(last: number): Promise<boolean> {
    try {
      return (await this.#store.state())?.head === last;
    } catch (error) {
      this.#options.log.warn('The outbox cannot be read after a failed commit', { error });
      return false;
    }
  }

  async #failed(error: unknown): Promise<void> {
    this.#options.log.error('Records could not be written; they wait in memory', { error, waiting: this.#waiting });
    if (error instanceof StoreError && error.code === 'disk_full') {
      this.#enter('none');
      await this.#deleteForSpace(this.#limits.maxBytes * (1 - thinnedToShare));
    }
    if (this.#isUp) this.#commitSoon(retryMs);
  }

  /** Brings the buffer below its limit, or frees `atLeastBytes`: acknowledged records first, then by the order of thinning. */
  async #deleteForSpace(atLeastBytes: number): Promise<void> {
    const target = Math.min(this.#limits.maxBytes * thinnedToShare, this.#state.bytes - atLeastBytes);
    let thinned = 0;
    try {
      for (let slice = 0; slice < slicesAtOnce && this.#state.bytes > target; slice += 1) {
        const forgotten = await this.#store.forget({ bytesToFree: this.#state.bytes - target });
        if (forgotten === 0) {
          const { database, time } = this.#options;
          const round = await this.#thinning.round(database, this.#state.head, () => time.stamp());
          if (round === undefined) {
            this.#isOverfull = this.#state.bytes > this.#limits.maxBytes;
            break;
          }
          thinned += round.records;
        }
        await this.#reload();
      }
    } catch (error) {
      this.#options.log.error('The outbox could not be thinned', { error });
    }
    if (thinned > 0) this.#log('WARNING', `The buffer is full: ${thinned} of the oldest records were thinned out.`);
    if (this.#isOverfull) this.#log('CRITICAL', 'The buffer is full and nothing may be thinned: readings are refused.');
  }

  async #forgetOld(): Promise<void> {
    const olderThan = this.#options.clock.now() - this.#limits.keepMs;
    let forgotten = 1;
    for (let slice = 0; slice < slicesAtOnce && forgotten > 0; slice += 1) {
      forgotten = await this.#store.forget({ olderThan });
    }
    await this.#reload();
  }

  async #checkDisk(): Promise<void> {
    const free = await this.#options.freeBytes?.();
    if (free !== undefined) this.#enter(freeSpaceOf(free));
  }

  #enter(space: FreeSpace): void {
    if (space === this.#freeSpace) return;
    this.#freeSpace = space;
    if (space === 'ample') {
      this.#log('NOTICE', 'The storage of this unit takes records again.');
      return;
    }
    const acceptance = acceptanceFor(space);
    if (!acceptance.accepts) this.#log('CRITICAL', acceptance.reason);
  }

  #log(level: 'NOTICE' | 'WARNING' | 'ERROR' | 'CRITICAL', message: string): void {
    this.#options.log.warn(message);
    this.append({ kind: 'log', experiment_uid: clusterExperiment, level, task: 'outbox', source: 'app', message });
  }

  /**
   * What was recorded before keeps its time here: with a correction the leader moves it, stored or not, when it reads this
   * event (see its clock corrections), so that it does not matter how far the leader has read.
   */
  #stepped({ from_ms, to_ms, offset_ms, source, stamp, isCorrection }: ClockStep): void {
    this.#lastStepMono = stamp.mono;
    this.#seriesCache.forgetMoments();
    const data = { from_ms, to_ms, offset_ms, source, is_correction: isCorrection };
    this.#noteClock('clock_step', source, data, null, stamp);
  }

  #timeRefused(refused: RefusedTime | undefined): void {
    if (refused === undefined) {
      this.#logClock('NOTICE', 'The clocks of this unit and of its leader agree again.');
      return;
    }
    const { source, offset_ms } = refused;
    const message = refusedTimeText(refused);
    this.#logClock('ERROR', message);
    this.#noteClock('clock_step_refused', source, { source, offset_ms }, message);
  }

  #logClock(level: 'NOTICE' | 'ERROR', message: string): void {
    this.#options.log[level === 'ERROR' ? 'error' : 'info'](message);
    this.append(unitLog(level, 'clock', message));
  }

  #noteClock(name: string, source: string, data: Record<string, Json>, message: string | null, stamp?: Stamp): void {
    this.append({ kind: 'event', experiment_uid: clusterExperiment, name, source, message, data }, stamp);
  }

  async #reload(): Promise<void> {
    this.#state = (await this.#store.state()) ?? this.#state;
  }

  /** Runs `work` after the earlier requests. Its failure is logged, or also passed on to the caller. */
  #enqueue(work: () => Promise<void>, onFailure: 'log' | 'pass on' = 'log'): Promise<void> {
    const outcome = this.#work.then(work);
    this.#work = outcome.catch((error: unknown) => this.#options.log.error('Work of the outbox failed', { error }));
    return onFailure === 'log' ? this.#work : outcome;
  }
}
