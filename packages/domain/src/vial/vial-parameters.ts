import type { SeededStream } from '../random/seeded-stream.ts';
import type { Fault } from './faults.ts';
import { defaultNoise, type NoiseProfile } from './optics.ts';
import { defaultOrganism, type Organism } from './organism.ts';
import type { RoomCourse } from './room.ts';
import { defaultStirrer, type StirrerParameters } from './stirrer.ts';
import { defaultThermal, type ThermalParameters } from './thermal.ts';

export type Pump = 'media' | 'alt_media' | 'waste';
export type LedChannel = 'A' | 'B' | 'C' | 'D';

/** Slows growth with the share of alternative medium in the vial (Hill's law). */
export interface Inhibition {
  /** Share at which growth is half as fast. */
  readonly halfShare: number;
  readonly steepness: number;
}

/** Everything about one simulated unit that does not change while it runs. */
export interface VialParameters {
  readonly organism: Organism;
  readonly noise: NoiseProfile;
  readonly thermal: ThermalParameters;
  readonly stirrer: StirrerParameters;
  readonly inhibition: Inhibition | null;
  /** Growth runs this many times faster; nothing else does. */
  readonly speed: number;
  readonly ambientC: number;
  /** How the room changes; absent: it keeps `ambientC`, but for small fluctuations. */
  readonly room?: RoomCourse;
  readonly capacityMl: number;
  /** Volume at which the waste pump's tube draws air. */
  readonly effluxMl: number;
  /** Below this the light passes above the liquid. */
  readonly opticsMl: number;
  readonly evaporationMlPerHour: number;
  /** ml/s at full duty. */
  readonly pumpFlow: Readonly<Record<Pump, number>>;
  /** Runs of a pump differ by this share (standard deviation) from its flow. Default 0.02; none in a quiet vial. */
  readonly pumpRunDeviation?: number;
  /** ml that a pump does not give at each start, for its tube has run back a little. Default 0. */
  readonly pumpStartDeficitMl?: number;
  /** Share by which the flow changes per hour, as tubes wear: below 0. Default 0. */
  readonly pumpDriftPerHour?: Readonly<Partial<Record<Pump, number>>>;
  readonly irLed: LedChannel;
  /** Around 1: how much light this unit's photodiodes see. */
  readonly sensitivity: number;
  readonly darkV: number;
  readonly mainsHz: 50 | 60;
  readonly faults: readonly Fault[];
}

/** The initial state of a vial. */
export interface VialStart {
  readonly volumeMl: number;
  readonly od: number;
  readonly reservoirMl: number;
}

export const defaultStart: VialStart = { volumeMl: 15, od: 0.05, reservoirMl: 1000 };

/** ml/s of a small peristaltic pump (5.5 ml/min). Chosen. */
const defaultFlow = 0.0911;

/** The waste pump is the faster one, so that no vial runs over. Chosen. */
const wasteAdvantage = 1.15;

/** A 20 mL or 40 mL unit with every constant at its middle. */
export const defaultVialParameters = (capacityMl: 20 | 40 = 20): VialParameters => ({
  organism: defaultOrganism,
  noise: defaultNoise,
  thermal:
    capacityMl === 20 ? defaultThermal : { ...defaultThermal, heaterW: 9, sleeveCapacity: 30, liquidToAir: 0.045 },
  stirrer: defaultStirrer,
  inhibition: null,
  speed: 1,
  ambientC: 22,
  capacityMl,
  effluxMl: 15,
  opticsMl: capacityMl === 20 ? 7 : 12,
  evaporationMlPerHour: 0.02,
  pumpFlow: { media: defaultFlow, alt_media: defaultFlow, waste: defaultFlow * wasteAdvantage },
  irLed: 'A',
  sensitivity: 1,
  darkV: 0.002,
  mainsHz: 50,
  faults: [],
});

/** The same unit as one of many: constants spread as parts and hands do (deviations from 3 to 12 %). Chosen. */
export function oneOfMany(parameters: VialParameters, stream: SeededStream): VialParameters {
  const unit = stream.split('unit constants');
  const near = (value: number, deviation: number): number =>
    value * Math.max(0.5, Math.min(1.5, 1 + deviation * unit.normal()));
  const { organism, stirrer, pumpFlow } = parameters;
  return {
    ...parameters,
    organism: {
      ...organism,
      bestRate: near(organism.bestRate, 0.03),
      readiness: near(organism.readiness, 0.2),
    },
    stirrer: { ...stirrer, rpmPerPercent: near(stirrer.rpmPerPercent, 0.12) },
    pumpFlow: {
      media: near(pumpFlow.media, 0.08),
      alt_media: near(pumpFlow.alt_media, 0.08),
      waste: near(pumpFlow.waste, 0.08),
    },
    sensitivity: near(parameters.sensitivity, 0.07),
    darkV: near(parameters.darkV, 0.1),
  };
}
