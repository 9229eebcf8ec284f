import type { Json } from '@lcs/contract';
import { type GrowthRateState, initialGrowthRateState } from '@lcs/domain';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { JobMemory } from '../shared/job-memory.ts';

const Numbers = Type.Record(Type.String(), Type.Number());
const Bases = Type.Record(Type.String(), Type.String());
const Flat = Type.Number();

const StoredEstimate = Type.Object({
  level: Flat,
  rate: Flat,
  drift: Flat,
  slow: Flat,
  covariance: Type.Tuple([Flat, Flat, Flat, Flat, Flat, Flat, Flat, Flat, Flat, Flat]),
});

/** The stored form of a filter's state. Its field names are older than those of the code. A state that does not fit is not used. */
const StoredFilter = Type.Object({
  warmUp: Type.Object({ factors: Numbers, variances: Numbers, level: Flat, atMs: Flat }),
  belief: StoredEstimate,
  minds: Type.Optional(Type.Object({ calm: StoredEstimate, lively: StoredEstimate, calmShare: Flat })),
  atMs: Flat,
  noise: Flat,
  texture: Type.Object({
    quick: Flat,
    bend: Flat,
    recent: Type.Array(Type.Object({ atMs: Flat, level: Flat })),
  }),
  risen: Flat,
  fallen: Flat,
  outliers: Type.Array(Flat),
  disturbed: Flat,
  doseShift: Type.Optional(Flat),
});

const StoredState = Type.Object({
  factors: Numbers,
  bases: Type.Optional(Bases),
  anchor: Type.Optional(Type.Object({ level: Flat, rate: Flat, atMs: Flat })),
  waiting: Type.Array(Type.Object({ atMs: Flat, ods: Numbers, bases: Type.Optional(Bases) })),
  running: Type.Union([Type.Null(), StoredFilter]),
});

type RunningFilter = NonNullable<GrowthRateState['running']>;

const key = 'growth_rate_calculating.filter';

/** Stores the state of an experiment's filter between runs of the job. */
export class GrowthRateMemory {
  readonly #memory: JobMemory;
  readonly #experimentUid: string;

  constructor(memory: JobMemory, experimentUid: string) {
    this.#memory = memory;
    this.#experimentUid = experimentUid;
  }

  /** The stored state, or the initial one. */
  read(): GrowthRateState {
    const stored: unknown = this.#memory.read(this.#experimentUid, key);
    if (!Value.Check(StoredState, stored)) return initialGrowthRateState();
    // An older version stored no bases: those of the next reading apply.
    return { ...stored, bases: stored.bases ?? {}, running: stored.running && filterFrom(stored.running) };
  }

  write({ factors, bases, anchor, waiting, running }: GrowthRateState): void {
    this.#memory.write(this.#experimentUid, key, {
      factors,
      bases,
      ...(anchor && { anchor: { level: anchor.level, rate: anchor.rate, atMs: anchor.atMs } }),
      waiting: waiting.map(({ atMs, ods, bases: own = {} }) => ({ atMs, ods, bases: own })),
      running: running === null ? null : storedFilter(running),
    });
  }

  forget(): void {
    this.#memory.write(this.#experimentUid, key, null);
  }
}

const estimateFrom = ({ slow, ...rest }: Static<typeof StoredEstimate>): RunningFilter['estimate'] => ({
  ...rest,
  correlatedNoise: slow,
});

function filterFrom(stored: Static<typeof StoredFilter>): RunningFilter {
  const { belief, minds, noise, texture, risen, fallen, disturbed, ...rest } = stored;
  return {
    ...rest,
    estimate: estimateFrom(belief),
    ...(minds && {
      modes: {
        slowMode: estimateFrom(minds.calm),
        fastMode: estimateFrom(minds.lively),
        slowModeProbability: minds.calmShare,
      },
    }),
    readingVariance: noise,
    noiseModel: { stepVariance: texture.quick, curvatureVariance: texture.bend, recent: texture.recent },
    cusumUp: risen,
    cusumDown: fallen,
    disturbedReadings: disturbed,
  };
}

const storedEstimate = ({ level, rate, drift, correlatedNoise, covariance }: RunningFilter['estimate']): Json => ({
  level,
  rate,
  drift,
  slow: correlatedNoise,
  covariance,
});

function storedFilter(running: RunningFilter): Json {
  const { warmUp, estimate, modes, noiseModel, atMs, outliers, doseShift = 0 } = running;
  return {
    warmUp: { factors: warmUp.factors, variances: warmUp.variances, level: warmUp.level, atMs: warmUp.atMs },
    belief: storedEstimate(estimate),
    ...(modes && {
      minds: {
        calm: storedEstimate(modes.slowMode),
        lively: storedEstimate(modes.fastMode),
        calmShare: modes.slowModeProbability,
      },
    }),
    texture: {
      quick: noiseModel.stepVariance,
      bend: noiseModel.curvatureVariance,
      recent: noiseModel.recent.map(({ atMs: levelAtMs, level }) => ({ atMs: levelAtMs, level })),
    },
    atMs,
    noise: running.readingVariance,
    risen: running.cusumUp,
    fallen: running.cusumDown,
    outliers,
    disturbed: running.disturbedReadings,
    doseShift,
  };
}
