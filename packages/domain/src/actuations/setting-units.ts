import type { AutomationDeclaration } from '../automations/automation.ts';
import { dosingAutomations, ledAutomations, temperatureAutomations } from '../automations/automations.ts';
import { biomassScales } from '../automations/biomass.ts';

/** The target of a density: its unit is that of the signal. */
const target = 'target_biomass';

const unitsOf = ({ parameters, ignored = {}, constants = {} }: AutomationDeclaration): (readonly [string, string])[] =>
  Object.entries({ ...ignored, ...constants, ...parameters }).flatMap(([key, { unit = '' }]) =>
    unit === '' || key === target ? [] : [[key, unit.replace('℃', '°C')] as const],
  );

const declared: ReadonlyMap<string, string> = new Map([
  ...[...dosingAutomations, ...ledAutomations, ...temperatureAutomations].flatMap(unitsOf),
  // They are ratios to the density at the start, whatever older forms call them.
  ['normalized_od', biomassScales.normalized_od.unit] as const,
  ['target_normalized_od', biomassScales.normalized_od.unit] as const,
]);

/**
 * The unit of a setting in the reason of an actuation; undefined: it has none, or its unit is not known.
 * @param source of the reading on which the decision was based
 */
export function unitOfSetting(key: string, source: string | undefined): string | undefined {
  if (key === target) return source?.includes('normalized') ? biomassScales.normalized_od.unit : undefined;
  return declared.get(key);
}
