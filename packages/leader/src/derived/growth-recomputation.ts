import { ApiError, type GrowthInput, type GrowthParameters, type Json, type SampleFlag } from '@lcs/contract';
import {
  defaultGrowthRateParameters,
  type GrowthRateEstimate,
  type GrowthRateParameters,
  GrowthReplay,
  GrowthSmoother,
  isPublishedGrowthFlag,
  type PastDose,
} from '@lcs/domain';
import type { TaskContext, TaskKind } from '@lcs/platform';
import type { Kysely } from 'kysely';
import type { LeaderContext, LeaderSchema } from '../core/leader-context.ts';
import { sampleFlags } from '../series/sample-flags.ts';
import type { BatchSeries, Reading } from '../series/series-ingest.ts';
import type { SeriesStore } from '../series/series-store.ts';
import { type DerivedSeriesStore, growthSources, recomputed } from './derived-series-store.ts';
import { GrowthInputReader, type LeftOut, type StoredObservation } from './growth-input.ts';

/** Input of the task; plain data, so that it continues after a restart. */
export type RecomputationInput = {
  readonly experiment_uid: string;
  readonly experiment: string;
  /** Permanent name of the new series. */
  readonly recomputation: string;
  readonly input: GrowthInput;
  readonly parameters: GrowthParameters;
  readonly units: readonly string[] | null;
  readonly exclude: readonly { readonly from: string; readonly to: string }[];
  readonly exclude_flags: readonly SampleFlag[];
  /** Absent in tasks of older versions. */
  readonly smooth?: boolean;
  readonly activate: boolean;
};

export interface RecomputationOptions {
  readonly context: LeaderContext;
  readonly series: Pick<SeriesStore, 'ingest' | 'read'>;
  readonly store: DerivedSeriesStore;
  /** Default volume of a vial, mL. */
  readonly usualVolumeMl: () => number;
}

const orUsual = (given: number | undefined, usual: number): number => given ?? usual;

/** The filter's parameters: the given ones, and the units' defaults. */
const growthParametersOf = (given: GrowthParameters): GrowthRateParameters => ({
  ...defaultGrowthRateParameters,
  warmUpReadings: orUsual(given.samples_for_od_statistics, defaultGrowthRateParameters.warmUpReadings),
  outlierDeviations: orUsual(given.ekf_outlier_std_threshold, defaultGrowthRateParameters.outlierDeviations),
  levelVariance: orUsual(given.level_variance, defaultGrowthRateParameters.levelVariance),
  rateVarianceScale: orUsual(given.rate_variance_scale, defaultGrowthRateParameters.rateVarianceScale),
  gapH: orUsual(given.gap_h, defaultGrowthRateParameters.gapH),
  doseDeviation: orUsual(given.dose_deviation, defaultGrowthRateParameters.doseDeviation),
  gainDeviation: orUsual(given.gain_deviation, defaultGrowthRateParameters.gainDeviation),
});

const leftOutOf = ({ exclude, exclude_flags }: RecomputationInput): LeftOut => ({
  spans: exclude.map(({ from, to }) => ({ fromMs: Date.parse(from), toMs: Date.parse(to) })),
  flags: exclude_flags.reduce((bits, flag) => bits | sampleFlags[flag], 0),
});

/** Computes growth rates of a stored run again, as new series; existing ones are unchanged. */
export class GrowthRecomputation {
  /** Register it before the tasks start. */
  readonly kind: TaskKind<RecomputationInput>;
  readonly #options: RecomputationOptions;

  constructor(options: RecomputationOptions) {
    this.#options = options;
    this.kind = {
      kind: 'recompute_growth',
      lock: 'recompute-growth-lock',
      resumable: true,
      run: (input, task) => this.#run(input, task),
    };
  }

  async #run(input: RecomputationInput, task: TaskContext): Promise<Json> {
    const { store } = this.#options;
    try {
      const units = await this.#compute(input, task);
      const derivation = await store.numberOf(input.recomputation);
      await this.#expectExperiment(input);
      if (derivation !== undefined) await store.closeMeasured(input.experiment_uid, derivation);
      if (derivation === undefined) return { derivation: null, active: false, units };
      if (input.activate) await store.activate(input.experiment_uid, derivation);
      return { derivation, active: input.activate, units };
    } catch (error) {
      // After a stop of the node the task continues at the next start; any other end removes its data.
      const isToGoOn = error instanceof ApiError && error.code === 'shutting_down';
      const unfinished = isToGoOn ? undefined : await store.numberOf(input.recomputation);
      if (unfinished !== undefined) await store.remove(input.experiment_uid, unfinished, new AbortController().signal);
      throw error;
    }
  }

  async #compute(input: RecomputationInput, task: TaskContext) {
    const readers = await this.#readers(input);
    const stretches = await Promise.all(readers.map(async ({ reader }) => reader.stretches()));
    const total = stretches.flat().reduce((sum, { readings }) => sum + readings, 0);
    const outcome: Record<string, { readings: number; samples: number }> = {};
    let done = 0;
    for (const [index, { unit, reader }] of readers.entries()) {
      const run = new UnitReplay(input, unit);
      const doses = [...(await reader.doses('corrected'))];
      for (const stretch of stretches[index] ?? []) {
        task.signal.throwIfAborted();
        await this.#expectExperiment(input);
        for (const observation of await reader.observations(stretch)) {
          while ((doses[0]?.atMs ?? Number.POSITIVE_INFINITY) <= observation.atMs) run.dose(doses.shift());
          run.take(observation);
        }
        await this.#store(run.taken(), input);
        done += stretch.readings;
        task.progress(total === 0 ? null : Math.min(1, done / total), `${unit}: ${run.samples} growth rates`);
      }
      for (const part of run.rest()) {
        task.signal.throwIfAborted();
        await this.#expectExperiment(input);
        await this.#store(part, input);
      }
      outcome[unit] = { readings: run.readings, samples: run.samples };
    }
    return outcome;
  }

  /**
   * A deletion of the experiment removes the present series; later ones would belong to no experiment. Series that the deletion
   * did not find are removed by this task.
   * @throws ApiError experiment_not_found
   */
  async #expectExperiment({ experiment_uid, experiment }: RecomputationInput): Promise<void> {
    const found = await this.#options.context.database.read
      .selectFrom('experiments')
      .where('uid', '=', experiment_uid)
      .where('deleting_at', 'is', null)
      .select('id')
      .executeTakeFirst();
    if (found === undefined) throw new ApiError('experiment_not_found', { experiment });
  }

  async #readers(input: RecomputationInput) {
    const { series, usualVolumeMl } = this.#options;
    const units = await unitsWith(series.read, input);
    const shared = { read: series.read, experimentUid: input.experiment_uid, input: input.input };
    const rest = { leftOut: leftOutOf(input), usualVolumeMl: usualVolumeMl() };
    return units.map((unit) => ({ unit, reader: new GrowthInputReader({ ...shared, unit, ...rest }) }));
  }

  /** New series are hidden while they are empty, so that incomplete ones are never shown. */
  async #store({ series, readings }: Taken, input: RecomputationInput): Promise<void> {
    if (readings.length === 0) return;
    await this.#options.store.hide(series, this.#options.context.clock.now());
    await this.#options.series.ingest.write({ series, readings, nowMs: this.#options.context.clock.now() });
    for (const source of growthSources) this.#options.store.noteChange(input.experiment_uid, source);
  }
}

/** The units that have readings of the input. */
export async function unitsWith(
  read: Kysely<LeaderSchema>,
  { experiment_uid: uid, input, units }: Pick<RecomputationInput, 'experiment_uid' | 'input' | 'units'>,
): Promise<readonly string[]> {
  const found = await read
    .selectFrom('series')
    .where('experiment_uid', '=', uid)
    .where('source', '=', input)
    .select('unit')
    .distinct()
    .orderBy('unit')
    .execute();
  return found.map(({ unit }) => unit).filter((unit) => units?.includes(unit) ?? true);
}

interface Taken {
  readonly series: readonly BatchSeries[];
  readonly readings: readonly Reading[];
}

/** Estimates of the way back at once. */
const smoothedAtOnce = 3_000;

/** One unit's readings through the filter, or through the smoother, whose results come at the end. */
export class UnitReplay {
  readings = 0;
  samples = 0;
  readonly #series: readonly BatchSeries[];
  readonly #replay: GrowthReplay | GrowthSmoother;
  /** Flags of the ODs by their times, for the smoother. */
  readonly #flags = new Map<number, number>();
  #taken: Reading[] = [];

  constructor(input: RecomputationInput, unit: string, parameters = growthParametersOf(input.parameters)) {
    this.#replay = input.smooth === true ? new GrowthSmoother(parameters) : new GrowthReplay(parameters);
    const derivation = recomputed(input, parameters);
    const common = { experimentUid: input.experiment_uid, unit, channel: null, angle: null, derivation };
    this.#series = growthSources.map((source) => ({ ...common, source }));
  }

  dose(dose: PastDose | undefined): void {
    if (dose !== undefined) this.#replay.dose(dose);
  }

  take(observation: StoredObservation): void {
    this.readings += 1;
    const isUsable = Object.keys(observation.ods).length > 0;
    if (this.#replay instanceof GrowthSmoother) {
      if (observation.flags !== 0) this.#flags.set(observation.atMs, observation.flags);
      this.#replay.take({ ...observation, isUsable });
      return;
    }
    this.#add(isUsable ? this.#replay.take(observation) : this.#replay.skip(observation.atMs), observation.flags);
  }

  #add(estimate: GrowthRateEstimate | undefined, flags: number): void {
    if (estimate === undefined) return;
    this.samples += 1;
    this.#taken.push(...rowsOf(estimate, flags));
  }

  /** The results since the last call. */
  taken(): Taken {
    const readings = this.#taken;
    this.#taken = [];
    return { series: this.#series, readings };
  }

  /** The results of the way back, newest part first. */
  *rest(): Generator<Taken> {
    if (!(this.#replay instanceof GrowthSmoother)) return;
    for (const estimates of this.#replay.smoothed(smoothedAtOnce)) {
      for (const estimate of estimates.toReversed()) this.#add(estimate, this.#flags.get(estimate.atMs) ?? 0);
      yield this.taken();
    }
  }
}

/** Flags of the times of the ODs, not of the derived values. */
const ofMoment = sampleFlags.unsynced | sampleFlags.moved;

/** One reading of each of `growthSources`. Flags of the ODs apply to the derived values too. */
function rowsOf({ atMs: at, rate, rateSd, normalizedOd, flags: own }: GrowthRateEstimate, ofOds: number): Reading[] {
  const flags = own.filter(isPublishedGrowthFlag).reduce((bits, flag) => bits | sampleFlags[flag], ofOds & ~ofMoment);
  const marked = flags === 0 ? {} : { flags };
  const values = { growth_rate: rate, growth_rate_sd: rateSd, od_filtered: normalizedOd };
  return growthSources.map((source, series) => ({ series, at, value: values[source], ...marked }));
}
