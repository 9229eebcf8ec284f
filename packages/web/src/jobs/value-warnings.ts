import {
  biomassScales,
  dosingAutomations,
  isTooSlowToMeasure,
  slowestMeasuredRpm,
  stirringTargets,
  thermostatAutomation,
} from '@lcs/domain';
import { digitsText } from '../ui/number-text.ts';
import { jobsWords } from '../words/jobs.ts';
import { signalOfTarget, type UnitSignals } from './biomass-choices.ts';
import type { StartValues } from './job-forms.ts';

/** Warnings by field. */
type FieldWarnings = Readonly<Record<string, readonly string[]>>;

/** A culture does not become denser by this factor within the usual time of a run: the target is of another scale, or mistyped. Chosen. */
const plausibleFactor = 10;

/** Above the highest growth temperature of E. coli (46 °C) and of budding yeast (about 41 °C). */
const mostCelsius = 45;

const shown = (value: number): string => digitsText(value, 3);

/** A target far above what the culture has now. */
function targetWarning({ unit, signals }: UnitSignals, signal: string, target: number): readonly string[] {
  const own = signals?.signals.find((each) => each.signal === signal);
  const value = own?.value ?? null;
  if (own === undefined || value === null || value <= 0 || target <= plausibleFactor * value) return [];
  const { unit: of } = biomassScales[own.scale];
  return [jobsWords.targetFarFromValue(unit, shown(target / value), shown(value), of)];
}

/** Densities of an automation that no culture has soon, by field. A person confirms them before they are sent. */
export function densityWarnings(
  automation: string | null,
  values: Readonly<Record<string, unknown>>,
  units: readonly UnitSignals[],
): FieldWarnings {
  const density = dosingAutomations.find(({ name }) => name === automation)?.density;
  if (automation === null || density === undefined) return {};
  const { [density.setting]: target, biomass_signal: chosen } = values;
  const fixed = signalOfTarget(automation, density.setting);
  const signal = fixed === 'chosen' ? chosen : fixed;
  if (typeof target !== 'number' || typeof signal !== 'string') return {};
  return { [density.setting]: units.flatMap((unit) => targetWarning(unit, signal, target)) };
}

/** A stirrer that turns so slowly counts as standing still. */
export function stirringWarnings(values: Readonly<Record<string, unknown>>): FieldWarnings {
  const slow = Object.entries(values).filter(
    ([name, rpm]) => stirringTargets.includes(name) && typeof rpm === 'number' && isTooSlowToMeasure(rpm),
  );
  return Object.fromEntries(slow.map(([name]) => [name, [jobsWords.tooSlowToMeasure(slowestMeasuredRpm)]]));
}

/** Temperatures that cultures do not survive, by field. */
export function temperatureWarnings(automation: string | null, values: StartValues): FieldWarnings {
  const { target_temperature: target } = values;
  if (automation !== thermostatAutomation.name || typeof target !== 'number' || target <= mostCelsius) return {};
  return { target_temperature: [jobsWords.mostCulturesDie(mostCelsius)] };
}
