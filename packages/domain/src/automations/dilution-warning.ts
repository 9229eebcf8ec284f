import type { BiomassScale, JobWarning } from '@lcs/contract';
import { dilutionMl } from '../dosing/dosing-forecast.ts';
import { biomassScales } from './biomass.ts';

/** The density when an automation with a density target is started or changed. */
export interface DensityReading {
  /** Value of the setting `biomass_signal`. */
  readonly signal: string;
  /** Undefined: unknown. */
  readonly scale: BiomassScale | undefined;
  /** Undefined: there is no fresh reading. */
  readonly value: number | undefined;
}

/** The maintained density, and what is known of the liquid. */
export interface HeldDensity {
  readonly target: number;
  /** The density from which on the automation dilutes. */
  readonly dilutesFrom: number;
  /** Undefined: unknown. */
  readonly volumeMl?: number | undefined;
}

const fourDigits = (value: number): string => String(Number(value.toPrecision(4)));

/**
 * The warning that a person must confirm before the pumps maintain this target; undefined: the density is below the threshold.
 */
export function dilutionWarning(
  { signal, scale, value }: DensityReading,
  { target, dilutesFrom, volumeMl }: HeldDensity,
): JobWarning | undefined {
  const { label, unit } = scale === undefined ? { label: signal, unit: '' } : biomassScales[scale];
  // An automation that begins below its target does not dilute to it.
  const mediumText = (density: number): string => {
    const ml = volumeMl === undefined || dilutesFrom !== target ? undefined : dilutionMl(density, target, volumeMl);
    return ml === undefined
      ? ''
      : ` It takes about ${Number(ml.toPrecision(2))} mL of medium until the target is reached.`;
  };
  const withUnit = (number: number): string => `${fourDigits(number)} ${unit}`.trim();
  const fields = { biomass_signal: signal, target };
  if (value === undefined) {
    const message = `There is no current reading of the biomass signal (${label}). The pumps may dilute the culture at the next reading. The target is ${withUnit(target)}.`;
    return { code: 'density_unknown', message, ...fields, value: null };
  }
  if (value < dilutesFrom) return undefined;
  const from = dilutesFrom === target ? '' : ` (dilution from ${withUnit(dilutesFrom)})`;
  const message = `${label} is ${withUnit(value)}, the target is ${withUnit(target)}${from}: the pumps will dilute the culture at once.${mediumText(value)}`;
  return { code: 'dilutes_at_once', message, ...fields, value };
}
