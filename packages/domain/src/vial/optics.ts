import type { SignalDrift } from './signal-drift.ts';

/** Angle of a photodiode around the vial, in degrees from the LED; `REF` faces the LED itself. */
export type Angle = '45' | '90' | '135' | '180' | 'REF';

/** Coefficients of the response of one angle, volts at the default intensity of 80 %. */
interface Response {
  readonly stray: number;
  /** Bends in early: reflections of a thin culture. */
  readonly early: number;
  readonly earlyOd: number;
  readonly gain: number;
  readonly power: number;
  readonly halfOd: number;
  readonly steepness: number;
}

/**
 * Scattered light rises with the cells and falls when they shade each other; forward angles are strong and saturate
 * early, backward ones are weak and reach far. Chosen so that 135° peaks near OD 1, 90° near 5 and 45° near 13.
 */
const responses: Readonly<Record<'45' | '90' | '135', Response>> = {
  '45': { stray: 0.025, early: 0.041, earlyOd: 0.076, gain: 0.007, power: 2, halfOd: 10, steepness: 2.5 },
  '90': { stray: 0.0005, early: 0, earlyOd: 1, gain: 0.092, power: 1.08, halfOd: 5.77, steepness: 2.1 },
  '135': { stray: 0.012, early: 0, earlyOd: 1, gain: 1.84, power: 1.14, halfOd: 1.38, steepness: 2.6 },
};

/** Volts of the reference photodiode, and of the transmitted beam through clear liquid. */
const referenceV = 0.1;
const transmittedV = 1;

/** Volts of a photodiode at `od`, at an IR intensity of 80 %, without dark voltage and noise. */
export function photodiodeVolts(angle: Angle, od: number): number {
  if (angle === 'REF') return referenceV;
  if (angle === '180') return transmittedV * Math.exp(-0.9 * od) + 0.01;
  const r = responses[angle];
  const scattered = (r.gain * od ** r.power) / (1 + (od / r.halfOd) ** r.steepness);
  return r.stray + r.early * (1 - Math.exp(-od / r.earlyOd)) + scattered;
}

/** The noise of readings. Deviations are shares of the signal, of one reading of forty conversions. */
export interface NoiseProfile {
  readonly name: string;
  readonly readingDeviation: number;
  /** Share of the variance that wanders slowly instead of being new in each conversion. */
  readonly slowShare: number;
  readonly slowTimeS: number;
  /** Chance per five seconds that something (a bubble, a clump) moves the signal, and by how many deviations. */
  readonly shockChance: number;
  readonly shockDeviations: number;
  /** In addition; absent: none. */
  readonly drift?: SignalDrift;
}

const quickNoise = { slowTimeS: 60, shockChance: 0.003, shockDeviations: 4 } as const;
const typicalNoise = { readingDeviation: 0.0056, slowShare: 0, ...quickNoise } as const;

/** A well-built photodiode front end has about 0.5 % per reading; the other profiles are deliberately worse. Chosen. */
const noiseProfiles = {
  quiet: { readingDeviation: 0, slowShare: 0, slowTimeS: 60, shockChance: 0, shockDeviations: 0 },
  typical: typicalNoise,
  wandering: { readingDeviation: 0.0054, slowShare: 0.7, slowTimeS: 30, shockChance: 0.007, shockDeviations: 5 },
  noisy: { readingDeviation: 0.0114, slowShare: 0.9, slowTimeS: 60, shockChance: 0.015, shockDeviations: 6 },
  slow: { ...typicalNoise, readingDeviation: 0.0075, slowShare: 0.45, slowTimeS: 600 },
  pink: { ...typicalNoise, drift: { kind: 'pink', deviation: 0.005 } },
  cycling: { ...typicalNoise, drift: { kind: 'cycle', amplitude: 0.005, periodS: 1200 } },
  bursts: { ...typicalNoise, drift: { kind: 'bursts', everyS: 1200, lastsS: 120, rise: 0.05 } },
} as const satisfies Record<string, Omit<NoiseProfile, 'name'>>;

export type NoiseName = keyof typeof noiseProfiles;
export const noiseNames: readonly string[] = Object.keys(noiseProfiles);

/** The noise profile of that name, or undefined. */
export function findNoiseProfile(name: string): NoiseProfile | undefined {
  const found = Object.entries(noiseProfiles).find(([key]) => key === name);
  return found && { name: found[0], ...found[1] };
}

export const defaultNoise: NoiseProfile = { name: 'typical', ...noiseProfiles.typical };

export interface LedConditions {
  /** %, 0 to 100. */
  readonly intensity: number;
  readonly ledC: number;
  /** 0 when just switched on, 1 when warm. */
  readonly warmth: number;
  readonly hoursOn: number;
}

/** Light of the LED relative to 80 % at 25 °C: less when warm, less with age. Drift figures chosen. */
export function ledOutput({ intensity, ledC, warmth, hoursOn }: LedConditions): number {
  const drift = 1 - 0.0006 * (ledC - 25) - 0.015 * warmth - 0.00001 * hoursOn;
  return (intensity / 80) * Math.max(0, drift);
}
