import type { UnitStatus } from '@lcs/contract';
import type { BasicAction, ProfileItem } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import type { StoredKey, StoredRun } from './run-store.ts';
import type { RunTime } from './run-time.ts';
import type { StepDelivery } from './step-delivery.ts';

/** The list of actions in which an item stands, in its iteration: all its times are known. */
const listOf = ({ unit, path, iteration }: StoredKey): string =>
  `${unit} ${path.replace(/\.actions\[\d+]$/, '')}#${iteration}`;

const isCertainStop = ({ action }: ProfileItem): boolean => action.type === 'stop' && action.if === true;

/** The lights are not a running job. */
const instantJob = 'led_intensity';

/** A unit ends a job by itself so much after the planned stop of the leader, in milliseconds. */
const unitEndDelayMs = 2_000;

/** With a clock that is further off a unit would end a job early, or refuse its start, in milliseconds. */
const mostOffsetMs = 5_000;

/** How far the clocks of units are from that of the leader, as far as is known. */
export interface KnownClocks {
  statusOf(unit: string): Pick<UnitStatus, 'clock_offset_ms'> | undefined;
}

export interface PlannedStopsOptions {
  readonly context: Pick<LeaderContext, 'clock' | 'log'> & { readonly units: KnownClocks };
  readonly run: Pick<StoredRun, 'uid' | 'isDryRun'>;
  readonly time: Pick<RunTime, 'isPaused' | 'elapsedMs' | 'dueAt'>;
  readonly delivery: Pick<StepDelivery, 'changeEnd'>;
}

/**
 * Which started jobs of a run will certainly be stopped, and when. Their units end them a moment later by themselves, so that the jobs end
 * in time while the leader is away.
 */
export class PlannedStops {
  readonly #options: PlannedStopsOptions;
  /** By list of actions: whether its newest settled start or stop is a start that was done. */
  readonly #isStarted = new Map<string, boolean>();
  /** Changes on units, one after the other. Never rejects. */
  #sent: Promise<void> = Promise.resolve();

  constructor(options: PlannedStopsOptions) {
    this.#options = options;
  }

  /** Resolves when the changes so far are answered. */
  get sent(): Promise<void> {
    return this.#sent;
  }

  /** Call it for each settled start and stop, in the order of their times. */
  settled(key: StoredKey, type: 'start' | 'stop', isDone: boolean): void {
    this.#isStarted.set(listOf(key), type === 'start' && isDone);
  }

  /**
   * When the unit ends a job that is about to start; undefined: no stop without a condition follows in the same list, it
   * was missed, or the clock of the unit is wrong.
   */
  endOf(start: ProfileItem<BasicAction>, waiting: readonly ProfileItem[]): string | undefined {
    if (start.job === instantJob || !this.#hasTime(start.unit)) return undefined;
    const list = listOf(start);
    const next = waiting.slice(waiting.indexOf(start) + 1).find((item) => isCertainStop(item) && listOf(item) === list);
    if (next === undefined || next.atMs <= this.#options.time.elapsedMs) return undefined;
    return this.#unitEnd(next.atMs);
  }

  /** A pause or a skip has moved the stops of the jobs that run: their units receive the new times, or none during a pause. */
  moved(waiting: Iterable<readonly ProfileItem[]>): void {
    const { run, time, delivery, context } = this.#options;
    if (run.isDryRun) return;
    const stops = [...waiting].flatMap((items) => this.#stopsIn(items)).filter(({ atMs }) => atMs > time.elapsedMs);
    if (stops.length === 0) return;
    const changes = stops.map(
      ({ unit, job, atMs }) => [unit, job, time.isPaused || !this.#hasTime(unit) ? null : this.#unitEnd(atMs)] as const,
    );
    const release = context.clock.hold('changes of planned ends');
    this.#sent = this.#sent
      .then(() => Promise.all(changes.map((change) => delivery.changeEnd(...change))))
      .then(
        () => {},
        (error: unknown) =>
          context.log.error('Planned ends could not be changed', { run: run.uid, error: String(error) }),
      )
      .finally(release);
  }

  /** The next stops of the jobs that run now. */
  #stopsIn(waiting: readonly ProfileItem[]): readonly ProfileItem[] {
    const seen = new Set<string>();
    return waiting.filter((item) => {
      const list = listOf(item);
      if (!isCertainStop(item) || item.job === instantJob || seen.has(list)) return false;
      seen.add(list);
      return this.#isStarted.get(list) === true;
    });
  }

  /** Whether the clock of a unit is that of the leader, as far as is known. */
  #hasTime(unit: string): boolean {
    const { clock_offset_ms: offsetMs = 0 } = this.#options.context.units.statusOf(unit) ?? {};
    return Math.abs(offsetMs ?? 0) <= mostOffsetMs;
  }

  #unitEnd(atMs: number): string {
    return toTimestamp(this.#options.time.dueAt(atMs) + unitEndDelayMs);
  }
}
