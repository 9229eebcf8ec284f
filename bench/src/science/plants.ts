import { readFileSync } from 'node:fs';
import {
  defaultOrganism,
  defaultVialParameters,
  findOrganism,
  type NoiseProfile,
  SeededStream,
  type VialParameters,
} from '@lcs/domain';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

const Noise = Type.Object({
  readingDeviation: Type.Number(),
  slowShare: Type.Number(),
  slowTimeS: Type.Number(),
  shockChance: Type.Number(),
  shockDeviations: Type.Number(),
  source: Type.String(),
});

const Parameter = Type.Object({
  name: Type.String(),
  value: Type.Number(),
  unit: Type.String(),
  offBy: Type.Number(),
  source: Type.String(),
});

const Plants = Type.Object({
  about: Type.String(),
  noise: Type.Record(Type.String(), Noise),
  parameters: Type.Array(Parameter),
  pumpNoise: Type.Object({ runDeviation: Type.Number(), startDeficitMl: Type.Number(), source: Type.String() }),
  seeds: Type.Array(Type.String()),
});

/** The frozen data file. */
export const plants: Static<typeof Plants> = Value.Parse(
  Plants,
  JSON.parse(readFileSync(new URL('./plants.json', import.meta.url), 'utf8')),
);

/** What one run is about: its chance, and the truth that estimators and controllers do not know. */
export interface Plant {
  /** Name of the run's chance; the same seed gives the same run. */
  readonly seed: string;
  /** Whether the true values are drawn around their middles (half of all runs) or are exactly those. */
  readonly isOff: boolean;
  /** For whatever a case draws itself; split it before use. */
  readonly chance: SeededStream;
  /** True value of a parameter of the data file. Throws on a name that is not in it. */
  of(name: string): number;
  /** A vial with these true values; noise `typical` where nothing else is asked for. */
  vial(noise?: string): VialParameters;
}

/** The plant of a run. With the same seed, always the same. */
export function plantOf(seed: string, isOff: boolean): Plant {
  const chance = new SeededStream(`science/${seed}`);
  const values = new Map(
    plants.parameters.map(({ name, value, offBy }) => {
      const share = isOff ? offBy * (2 * chance.split(name).uniform() - 1) : 0;
      return [name, value * (1 + share)];
    }),
  );
  const of = (name: string): number => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`plants.json has no parameter ${name}`);
    return value;
  };
  return { seed, isOff, chance, of, vial: (noise = 'typical') => vialOf(of, noiseOf(noise)) };
}

/** The same run with each thermal parameter anywhere within a share of its middle, whatever the data file says. */
export function plantOff(plant: Plant, offBy: number): Plant {
  const middles = new Map(plants.parameters.map(({ name, value }) => [name, value]));
  const of = (name: string): number => {
    const middle = middles.get(name);
    if (middle === undefined || !name.startsWith('thermal.')) return plant.of(name);
    return middle * (1 + offBy * (2 * plant.chance.split(`${name} off`).uniform() - 1));
  };
  return { ...plant, of, vial: (noise = 'typical') => vialOf(of, noiseOf(noise)) };
}

/** A noise profile of the data file. Throws on a name that is not in it. */
export function noiseOf(name: string): NoiseProfile {
  const profile = plants.noise[name];
  if (profile === undefined) throw new Error(`plants.json has no noise ${name}`);
  const { source: _, ...numbers } = profile;
  return { name, ...numbers };
}

function vialOf(of: Plant['of'], noise: NoiseProfile): VialParameters {
  const usual = defaultVialParameters();
  return {
    ...usual,
    noise,
    organism: {
      ...(findOrganism('ecoli_glucose') ?? defaultOrganism),
      bestRate: of('organism.bestRate'),
      readiness: of('organism.readiness'),
      yield: of('organism.yield'),
      gramsPerOd: of('organism.gramsPerOd'),
    },
    thermal: {
      heaterW: of('thermal.heaterW'),
      heaterCapacity: of('thermal.heaterCapacity'),
      sleeveCapacity: of('thermal.sleeveCapacity'),
      glassCapacity: of('thermal.glassCapacity'),
      heaterToSleeve: of('thermal.heaterToSleeve'),
      heaterToLiquid: of('thermal.heaterToLiquid'),
      heaterToAir: of('thermal.heaterToAir'),
      sleeveToLiquid: of('thermal.sleeveToLiquid'),
      sleeveToAir: of('thermal.sleeveToAir'),
      liquidToAir: of('thermal.liquidToAir'),
    },
    stirrer: {
      ...usual.stirrer,
      rpmPerPercent: of('stirrer.rpmPerPercent'),
      deadZonePercent: of('stirrer.deadZonePercent'),
      timeConstantS: of('stirrer.timeConstantS'),
    },
    ambientC: of('ambientC'),
    evaporationMlPerHour: of('evaporationMlPerHour'),
    pumpFlow: { media: of('pumps.media'), alt_media: of('pumps.altMedia'), waste: of('pumps.waste') },
    pumpRunDeviation: plants.pumpNoise.runDeviation,
    pumpStartDeficitMl: plants.pumpNoise.startDeficitMl,
    sensitivity: of('optics.sensitivity'),
    darkV: of('optics.darkV'),
  };
}
