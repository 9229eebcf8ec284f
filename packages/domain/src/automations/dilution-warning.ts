import type { BiomassScale, JobWarning } from '@lcs/contract';
import { biomassScales } from './biomass.ts';

/** What is known of the density when an automation that holds it is started or changed. */
export interface KnownDensity {
  /** As the setting says it. */
  readonly signal: string;
  /** Undefined: nobody knows it. */
  readonly scale: BiomassScale | undefined;
  /** Undefined: there is no current reading that may be trusted. */
  readonly value: number | undefined;
}

const shown = (value: number): string => String(Number(value.toPrecision(4)));

/**
 * What a person must know before pumps follow this target; undefined: the culture is below it.
 * @param dilutesFrom the density from which on the pumps dilute
 */
export function dilutionWarning(
  { signal, scale, value }: KnownDensity,
  { target, dilutesFrom }: { readonly target: number; readonly dilutesFrom: number },
): JobWarning | undefined {
  const { label, unit } = scale === undefined ? { label: signal, unit: '' } : biomassScales[scale];
  const withUnit = (number: number): string => `${shown(number)} ${unit}`.trim();
  const said = { biomass_signal: signal, target };
  if (value === undefined) {
    const message = `There is no current reading of the biomass signal (${label}): the pumps may dilute the culture as soon as there is one. The target is ${withUnit(target)}.`;
    return { code: 'density_unknown', message, ...said, value: null };
  }
  if (value < dilutesFrom) return undefined;
  const from = dilutesFrom === target ? '' : ` (dilutes from ${withUnit(dilutesFrom)})`;
  const message = `${label} is ${withUnit(value)} now, the target is ${withUnit(target)}${from}: the pumps dilute the culture at once.`;
  return { code: 'dilutes_at_once', message, ...said, value };
}
