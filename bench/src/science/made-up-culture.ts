import type { NoiseProfile, SeededStream } from '@lcs/domain';
import type { OdReading } from './reference-filter.ts';
import type { SignalDisturbance } from './signal-disturbances.ts';

/** A synthetic culture with a known growth rate, as one photodiode measures it. */
export interface MadeUpCulture {
  readonly untilS: number;
  /** Seconds to the next reading. */
  readonly intervalS: (timeS: number) => number;
  /** True growth rate, h⁻¹. */
  readonly rate: (timeS: number) => number;
  readonly noise: NoiseProfile;
  /** In addition to the noise; default none. */
  readonly disturbance?: SignalDisturbance;
  /** OD at the start; default 0.1. */
  readonly startOd?: number;
  /** Standard deviation of the noise that does not depend on OD; default 0. */
  readonly additiveDeviation?: number;
  /** Part of the signal that is not from cells; default 0. */
  readonly background?: number;
  /** Times (s) between which the vial is lifted: the signal is that of the empty holder, and flagged. */
  readonly lifted?: readonly [fromS: number, toS: number];
  readonly chance: SeededStream;
  /** Added liquid, and the volume that the filter receives. */
  readonly doses?: readonly Dose[];
  /** Times (s) between which nothing is read. */
  readonly silence?: readonly [fromS: number, toS: number];
  /** Chance of a wild reading, half as high again or half as low. */
  readonly wildChance?: number;
}

export interface Dose {
  readonly atS: number;
  readonly volumeMl: number;
  readonly addedMl: number;
  /** Volume that the filter receives, mL; undefined: it receives no dose. */
  readonly reportedMl: number | undefined;
}

export interface MadeUpReading extends OdReading {
  readonly timeS: number;
  readonly truth: number;
  readonly isWild: boolean;
  /** Flags of the signal. */
  readonly signalFlags: readonly string[];
  /** Doses since the reading before. */
  readonly doses: readonly Dose[];
}

const startMs = Date.UTC(2026, 0, 1);
const tickS = 5;
/** Relative signal of an empty holder. */
const emptySignal = 0.15;

/** The readings of a culture, in order. */
export function readingsOf(culture: MadeUpCulture): MadeUpReading[] {
  const { noise, chance, doses = [], silence, lifted, wildChance = 0, disturbance = () => 0 } = culture;
  const { startOd = 0.1, additiveDeviation = 0, background = 0 } = culture;
  const [white, slow, shocks, wild] = ['white', 'slow', 'shocks', 'wild'].map((name) => chance.split(name));
  if (!white || !slow || !shocks || !wild) return [];
  const additive = chance.split('additive');
  const readings: MadeUpReading[] = [];
  let [level, wander, stepS] = [Math.log(startOd), slow.normal(), 0];
  for (let timeS = 0; timeS < culture.untilS; timeS += stepS) {
    const since = doses.filter(({ atS }) => atS > timeS - stepS && atS <= timeS);
    for (const { volumeMl, addedMl } of since) level += Math.log(volumeMl / (volumeMl + addedMl));
    const stays = Math.exp(-stepS / noise.slowTimeS);
    wander = stays * wander + Math.sqrt(1 - stays * stays) * slow.normal();
    const isShocked = shocks.chance(1 - (1 - noise.shockChance) ** (Math.max(stepS, tickS) / tickS));
    const shock = isShocked ? noise.shockDeviations * (shocks.chance(0.5) ? 1 : -1) : 0;
    const deviations = Math.sqrt(1 - noise.slowShare) * white.normal() + Math.sqrt(noise.slowShare) * wander + shock;
    const isWild = wild.chance(wildChance);
    const wildness = isWild ? (wild.chance(0.5) ? 1.5 : 0.5) : 1;
    const truth = culture.rate(timeS);
    const isSilent = silence !== undefined && timeS >= silence[0] && timeS < silence[1];
    const disturbed = 1 + noise.readingDeviation * deviations + disturbance(timeS);
    const isLifted = lifted !== undefined && timeS >= lifted[0] && timeS < lifted[1];
    const signal = (isLifted ? emptySignal : 1) * (Math.exp(level) + background) * disturbed * wildness;
    const od = additiveDeviation > 0 ? signal + additiveDeviation * additive.normal() : signal;
    const signalFlags = isLifted ? ['vial_out'] : [];
    const added = isSilent
      ? []
      : [{ timeS, atMs: startMs + 1000 * timeS, od, truth, isWild, signalFlags, doses: since }];
    readings.push(...added);
    stepS = culture.intervalS(timeS);
    level += (truth * stepS) / 3600;
  }
  return readings;
}
