import { type Cancel, type Clock, type Log, type Probe, type Service, toTimestamp } from '@lcs/platform';
import type { ChangeRunner, LeaderDatabase } from '../core/leader-context.ts';
import type { SeriesChanges } from '../series/series-changes.ts';
import { type EraMove, type MovedSeries, moveNextSamples } from './sample-mover.ts';

export interface ClockCorrectionsOptions {
  readonly database: LeaderDatabase;
  readonly changes: SeriesChanges;
  readonly change: ChangeRunner;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  /** Called at `clock_correction.samples_moved`. */
  readonly probe?: Probe;
}

const retryMs = 10_000;

/**
 * Moves the stored samples of units whose clock was wrong to their corrected times, in small transactions, one correction after the other.
 * The pending corrections are in the store: a restart continues them.
 */
export class ClockCorrections implements Service {
  readonly name = 'clock corrections';
  readonly #options: ClockCorrectionsOptions;
  #ending = new AbortController();
  /** Settles when all corrections so far were tried. Never rejects. */
  #work: Promise<void> = Promise.resolve();
  #cancelRetry: Cancel | undefined;
  #isUp = false;

  constructor(options: ClockCorrectionsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#ending = new AbortController();
    this.#isUp = true;
    this.wake();
  }

  async stop(): Promise<void> {
    this.#isUp = false;
    this.#ending.abort();
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    await this.#work;
  }

  /** A correction is on disk. */
  wake(): void {
    if (this.#isUp) this.#work = this.#work.then(() => this.#moveAll());
  }

  async #moveAll(): Promise<void> {
    const { log, wire } = this.#options;
    const { signal } = this.#ending;
    try {
      for (let era = await this.#next(); era !== undefined && !signal.aborted; era = await this.#next())
        await this.#correct(era, signal);
    } catch (error) {
      if (signal.aborted) return;
      log.error('The times of readings could not be corrected; it is tried again', { error, retryMs });
      this.#cancelRetry?.();
      this.#cancelRetry = wire.after(retryMs, () => this.wake());
    }
  }

  /** The oldest era into which samples remain to be moved: each sample passes through the eras of its boot in their order. */
  async #next() {
    return this.#options.database.read
      .selectFrom('boot_eras')
      .where('moved_at', 'is', null)
      .orderBy('id')
      .selectAll()
      .limit(1)
      .executeTakeFirst();
  }

  async #correct(era: PendingEra, signal: AbortSignal): Promise<void> {
    const { database } = this.#options;
    const before = await database.read
      .selectFrom('boot_eras')
      .where('machine_id', '=', era.machine_id)
      .where('boot', '=', era.boot)
      .where('since_mono', '<', era.since_mono)
      .orderBy('since_mono', 'desc')
      .select(['id', 'first_at', 'last_at'])
      .limit(1)
      .executeTakeFirst();
    const span =
      before === undefined || before.first_at === null || before.last_at === null
        ? undefined
        : { fromEra: before.id, firstAt: before.first_at, lastAt: before.last_at };
    if (span !== undefined) {
      const move: EraMove = { ...span, unit: era.reactor_unit, toEra: era.id, offsetMs: era.offset_ms };
      for (const series of await this.#seriesOf(era.reactor_unit)) await this.#moveSeries(series, move, signal);
    }
    if (!signal.aborted) await this.#finish(era, span);
  }

  async #seriesOf(unit: string) {
    const { read } = this.#options.database;
    return read
      .selectFrom('series')
      .where('unit', '=', unit)
      .select(['id', 'source', 'experiment_uid as experimentUid'])
      .execute();
  }

  async #moveSeries(series: MovedSeries & { readonly source: string }, move: EraMove, signal: AbortSignal) {
    const { database, changes, probe } = this.#options;
    let cursor: number | undefined;
    while (!signal.aborted) {
      cursor = await database.write((transaction) => moveNextSamples(transaction, series, move, cursor));
      if (cursor === undefined) return;
      changes.note(series.experimentUid, series.source);
      probe?.('clock_correction.samples_moved');
    }
  }

  /** The entry of the event log is written once, with the end of the correction. */
  async #finish(era: PendingEra, span: { readonly firstAt: number; readonly lastAt: number } | undefined) {
    const { change, clock } = this.#options;
    await change(async (transaction, effects) => {
      const { moved_samples, moved_notes } = await transaction
        .updateTable('boot_eras')
        .set({ moved_at: Math.floor(clock.now()) })
        .where('id', '=', era.id)
        .returning(['moved_samples', 'moved_notes'])
        .executeTakeFirstOrThrow();
      const message = correctionText(era, span, moved_samples, moved_notes);
      await effects.logEvent({ level: 'WARNING', message, task: 'clock_correction', unit: era.reactor_unit });
    });
  }
}

interface PendingEra {
  readonly id: number;
  readonly reactor_unit: string;
  readonly machine_id: string;
  readonly boot: number;
  readonly since_mono: number;
  readonly offset_ms: number;
}

function correctionText(
  { reactor_unit, offset_ms }: PendingEra,
  span: { readonly firstAt: number; readonly lastAt: number } | undefined,
  samples: number,
  notes: number,
): string {
  const seconds = (Math.abs(offset_ms) / 1_000).toFixed(3);
  const moved = `The clock of ${reactor_unit} was ${seconds} s ${offset_ms < 0 ? 'ahead' : 'behind'}. ${samples} readings and ${notes} events and log entries were moved to their right time.`;
  if (span === undefined) return moved;
  const between = (offsetMs: number) =>
    `${toTimestamp(span.firstAt + offsetMs)} to ${toTimestamp(span.lastAt + offsetMs)}`;
  return `${moved} The readings were stored as of ${between(0)}; they are of ${between(offset_ms)}.`;
}
