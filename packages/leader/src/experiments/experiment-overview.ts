import { type AssignmentCount, type Experiment, PreparedJson } from '@lcs/contract';
import { nextDeltaHoursChange } from '@lcs/domain';
import type { LeaderContext } from '../core/leader-context.ts';
import { allExperiments, type StoredExperiment, toExperiment, withoutCreator } from '../queries/experiments.ts';

/** The lists as serialised responses. */
interface Overview {
  readonly all: PreparedJson<Experiment[]>;
  /** As `all`, with `created_by`; serialised when it is first asked for. */
  readonly withCreators: () => PreparedJson<Experiment[]>;
  readonly active: PreparedJson<Experiment[]>;
  readonly latest: PreparedJson<Experiment | null>;
  readonly assignmentCounts: PreparedJson<AssignmentCount[]>;
  /** The time (milliseconds) until which their ages are right. */
  readonly until: number;
}

const byName = (a: StoredExperiment, b: StoredExperiment): number => (a.name < b.name ? -1 : 1);

/** Makes the responses from the existing experiments, newest first, at the time `now`. */
function overviewOf(stored: readonly StoredExperiment[], now: number): Overview {
  const rows = stored.map((row) => {
    const withCreator = toExperiment(row, now);
    return { row, withCreator, experiment: withoutCreator(withCreator) };
  });
  // Creation times are out of order after the clock was set back; IDs never are.
  const latest = rows.reduce<(typeof rows)[number] | undefined>(
    (last, each) => (last && last.row.id > each.row.id ? last : each),
    undefined,
  );
  let withCreators: PreparedJson<Experiment[]> | undefined;
  return {
    withCreators: () => {
      withCreators ??= PreparedJson.of(rows.map(({ withCreator }) => withCreator));
      return withCreators;
    },
    all: PreparedJson.of(rows.map(({ experiment }) => experiment)),
    active: PreparedJson.of(rows.filter(({ row }) => row.active_worker_count > 0).map(({ experiment }) => experiment)),
    latest: PreparedJson.of(latest ? latest.experiment : null),
    assignmentCounts: PreparedJson.of(
      stored
        .filter(({ worker_count }) => worker_count > 0)
        .toSorted(byName)
        .map(({ name, worker_count }) => ({ experiment: name, worker_count })),
    ),
    until: Math.min(...stored.map(({ created_at }) => nextDeltaHoursChange(created_at, now))),
  };
}

interface Kept {
  /** The store's version before the reading: the result may be newer, never older. */
  readonly version: number;
  readonly from: number;
  /** Unknown until the reading has ended. */
  until: number;
  readonly overview: Promise<Overview>;
}

/**
 * Caches the lists that every page requests again and again. They are made again after a commit, when the age of an experiment changes, and
 * when the clock is set back.
 */
export class ExperimentOverview {
  readonly #context: Pick<LeaderContext, 'database' | 'clock'>;
  #kept: Kept | undefined;

  constructor(context: Pick<LeaderContext, 'database' | 'clock'>) {
    this.#context = context;
  }

  async current(): Promise<Overview> {
    const { database, clock } = this.#context;
    const { version } = database;
    const now = clock.now();
    const kept = this.#kept;
    if (kept?.version === version && kept.from <= now && now < kept.until) return kept.overview;
    return this.#renew(version, now);
  }

  async #renew(version: number, now: number): Promise<Overview> {
    const kept: Kept = { version, from: now, until: Number.POSITIVE_INFINITY, overview: this.#read(now) };
    this.#kept = kept;
    try {
      const overview = await kept.overview;
      kept.until = overview.until;
      return overview;
    } catch (error) {
      if (this.#kept === kept) this.#kept = undefined;
      throw error;
    }
  }

  async #read(now: number): Promise<Overview> {
    return overviewOf(await allExperiments(this.#context.database.read).execute(), now);
  }
}
