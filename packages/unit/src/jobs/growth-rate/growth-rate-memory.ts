import { bankSize, type GrowthRateState, initialGrowthRateState } from '@lcs/domain';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { JobMemory } from '../shared/job-memory.ts';

const Numbers = Type.Record(Type.String(), Type.Number());
const Bases = Type.Record(Type.String(), Type.String());
const Flat = Type.Number();

const Estimate = Type.Object({
  level: Flat,
  rate: Flat,
  drift: Flat,
  fastNoise: Flat,
  slowNoise: Flat,
  gain: Flat,
  covariance: Type.Tuple([
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
    Flat,
  ]),
});

/** The numbers of estimates and probabilities are those of this version's filter: a bank of another size is not used. */
const Bank = Type.Object({
  estimates: Type.Array(Estimate, { minItems: bankSize, maxItems: bankSize }),
  probabilities: Type.Array(Flat, { minItems: bankSize, maxItems: bankSize }),
});

const Filter = Type.Object({
  warmUp: Type.Object({ factors: Numbers, variances: Numbers }),
  bank: Bank,
  atMs: Flat,
  noiseModel: Type.Object({
    stepVariance: Flat,
    curvatureVariance: Flat,
    recent: Type.Array(Type.Object({ atMs: Flat, level: Flat })),
  }),
  realised: Type.Object({
    scale: Flat,
    comparisons: Flat,
    nextMs: Flat,
    blocks: Type.Array(Type.Object({ atMs: Flat, level: Flat, readings: Flat })),
    rates: Type.Array(Type.Object({ atMs: Flat, rate: Flat, rateSd: Flat })),
  }),
  pending: Type.Union([
    Type.Null(),
    Type.Object({ withoutDose: Bank, logOdds: Flat, shift: Flat, atMs: Flat, readings: Flat }),
  ]),
  doseLogOdds: Flat,
  mixing: Flat,
  unseenAtMs: Type.Union([Type.Null(), Flat]),
  move: Type.Optional(Type.Object({ atMs: Flat, level: Flat, rate: Flat, newestMs: Flat })),
  emerging: Type.Optional(Type.Literal(true)),
});

const Anchor = Type.Object({ level: Flat, rate: Flat, atMs: Flat });

const common = {
  factors: Numbers,
  bases: Bases,
  anchor: Type.Optional(Anchor),
  waiting: Type.Array(Type.Object({ atMs: Flat, ods: Numbers, bases: Type.Optional(Bases) })),
  nearBackground: Type.Optional(Type.Literal(true)),
};

/** The stored state, written and read as it is. */
const StoredState = Type.Object({ filter: Type.Literal(2), ...common, running: Type.Union([Type.Null(), Filter]) });

type Unchanging<Value> = { readonly [Key in keyof Value]: Unchanging<Value[Key]> };

/** What is used of a state of version 1: normalised OD keeps its scale and its value, and the filter warms up again. */
const OldState = Type.Object({
  factors: Numbers,
  bases: Type.Optional(Bases),
  anchor: Type.Optional(Anchor),
  running: Type.Union([Type.Null(), Type.Object({ belief: Type.Object({ level: Flat, rate: Flat }), atMs: Flat })]),
});

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
    if (Value.Check(StoredState, stored)) {
      const { filter: _, ...state } = stored;
      return state;
    }
    return Value.Check(OldState, stored) ? fromOld(stored) : initialGrowthRateState();
  }

  write(state: GrowthRateState): void {
    // The compiler compares the shapes: a check of each write would take more time than the filter itself.
    const stored: Unchanging<Static<typeof StoredState>> = { filter: 2, ...state };
    this.#memory.write(this.#experimentUid, key, stored);
  }

  forget(): void {
    this.#memory.write(this.#experimentUid, key, null);
  }
}

function fromOld({ factors, bases = {}, anchor, running }: Static<typeof OldState>): GrowthRateState {
  const last =
    running === null ? anchor : { level: running.belief.level, rate: running.belief.rate, atMs: running.atMs };
  return { factors, bases, ...(last && { anchor: last }), waiting: [], running: null };
}
