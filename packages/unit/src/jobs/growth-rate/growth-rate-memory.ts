import type { Json } from '@lcs/contract';
import { freshGrowthRate, type GrowthRateState } from '@lcs/domain';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { JobMemory } from '../shared/job-memory.ts';

const Numbers = Type.Record(Type.String(), Type.Number());
const Bases = Type.Record(Type.String(), Type.String());
const Flat = Type.Number();

const Belief = Type.Object({
  level: Flat,
  rate: Flat,
  drift: Flat,
  slow: Flat,
  covariance: Type.Tuple([Flat, Flat, Flat, Flat, Flat, Flat, Flat, Flat, Flat, Flat]),
});

/** What the filter keeps, as it is written down. What was written by another version and does not fit is not used. */
const Kept = Type.Object({
  factors: Numbers,
  bases: Type.Optional(Bases),
  anchor: Type.Optional(Type.Object({ level: Flat, rate: Flat, atMs: Flat })),
  waiting: Type.Array(Type.Object({ atMs: Flat, ods: Numbers, bases: Type.Optional(Bases) })),
  running: Type.Union([
    Type.Null(),
    Type.Object({
      warmUp: Type.Object({ factors: Numbers, variances: Numbers, level: Flat, atMs: Flat }),
      belief: Belief,
      minds: Type.Optional(Type.Object({ calm: Belief, lively: Belief, calmShare: Flat })),
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
    }),
  ]),
});

const key = 'growth_rate_calculating.filter';

/** The state of an experiment's filter, kept from one run of the job to the next. */
export class GrowthRateMemory {
  readonly #memory: JobMemory;
  readonly #experimentUid: string;

  constructor(memory: JobMemory, experimentUid: string) {
    this.#memory = memory;
    this.#experimentUid = experimentUid;
  }

  read(): GrowthRateState {
    const kept: unknown = this.#memory.read(this.#experimentUid, key);
    // An older version kept no bases: they are those of the next reading.
    return Value.Check(Kept, kept) ? { bases: {}, ...kept } : freshGrowthRate();
  }

  write({ factors, bases, anchor, waiting, running }: GrowthRateState): void {
    this.#memory.write(this.#experimentUid, key, {
      factors,
      bases,
      ...(anchor && { anchor: { level: anchor.level, rate: anchor.rate, atMs: anchor.atMs } }),
      waiting: waiting.map(({ atMs, ods, bases: own = {} }) => ({ atMs, ods, bases: own })),
      running: running === null ? null : asJson(running),
    });
  }

  forget(): void {
    this.#memory.write(this.#experimentUid, key, null);
  }
}

const beliefAsJson = ({
  level,
  rate,
  drift,
  slow,
  covariance,
}: NonNullable<GrowthRateState['running']>['belief']): Json => ({
  level,
  rate,
  drift,
  slow,
  covariance,
});

function asJson(running: NonNullable<GrowthRateState['running']>): Json {
  const { warmUp, belief, minds, texture, atMs, noise, risen, fallen, outliers, disturbed, doseShift = 0 } = running;
  return {
    warmUp: { factors: warmUp.factors, variances: warmUp.variances, level: warmUp.level, atMs: warmUp.atMs },
    belief: beliefAsJson(belief),
    ...(minds && {
      minds: { calm: beliefAsJson(minds.calm), lively: beliefAsJson(minds.lively), calmShare: minds.calmShare },
    }),
    texture: {
      quick: texture.quick,
      bend: texture.bend,
      recent: texture.recent.map((seen) => ({ atMs: seen.atMs, level: seen.level })),
    },
    atMs,
    noise,
    risen,
    fallen,
    outliers,
    disturbed,
    doseShift,
  };
}
