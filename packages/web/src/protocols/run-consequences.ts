import type { PlannedAction, ProfilePlan } from '@lcs/contract';
import {
  biomassSignalSetting,
  dosingAutomationJob,
  elapsedText,
  pumpingJobs,
  temperatureAutomationJob,
} from '@lcs/domain';
import type { UnitSignals } from '../jobs/biomass-choices.ts';
import { dosingConsequences, dosingTotal } from '../jobs/dosing-consequence.ts';
import { temperatureConsequences, type UnitTemperature } from '../jobs/temperature-consequence.ts';
import { densityWarnings, temperatureWarnings } from '../jobs/value-warnings.ts';
import { protocolsWords } from '../words/protocols.ts';
import { stepSentence } from './step-sentence.ts';

/** A step that heats or pumps, with the units that take it at the same time. */
interface LiquidStep {
  readonly text: string;
  readonly units: readonly string[];
}

/** What a run does to the liquid of its units. */
export interface RunConsequences {
  readonly steps: readonly LiquidStep[];
  /** What its first steps mean for each unit as it is now. */
  readonly texts: readonly string[];
  /** Targets that are probably mistyped. */
  readonly warnings: readonly string[];
}

/** Of what is known of a unit now. */
export interface UnitNow {
  readonly signals: UnitSignals;
  readonly temperature: UnitTemperature;
}

/** Only for steps this soon the present values say what they will do. */
const soonS = 600;

const liquidJobs: ReadonlySet<string> = new Set([temperatureAutomationJob.name, ...pumpingJobs]);
const changes: ReadonlySet<string> = new Set(['start', 'update']);

const concernsLiquid = ({ job_name, action }: PlannedAction): boolean =>
  liquidJobs.has(job_name) && changes.has(action);

/** `Start temperature control (thermostat): target temperature 37 °C, at the start` */
function stepText(action: PlannedAction): string {
  const step = stepSentence(action);
  if (action.depends_on !== null) return protocolsWords.stepAfterWait(step);
  return action.at_s === 0
    ? protocolsWords.stepAtStart(step)
    : protocolsWords.stepAfter(step, elapsedText(1000 * action.at_s));
}

/** The values that an automation has after a step: those of its start, changed by the steps after it. */
type Values = Readonly<Record<string, unknown>>;

const valuesOf = ({ options, planned_options, biomass_signal }: PlannedAction): Values => ({
  ...(biomass_signal !== undefined && { [biomassSignalSetting]: biomass_signal }),
  ...options,
  ...planned_options,
});

interface Begun {
  readonly action: PlannedAction;
  readonly values: Values;
}

/** The steps of a job with the values that it has after each. */
function begunBy(actions: readonly PlannedAction[], job: string): readonly Begun[] {
  let values: Values = {};
  return actions
    .filter((action) => action.job_name === job && concernsLiquid(action))
    .map((action) => {
      values = action.action === 'start' ? valuesOf(action) : { ...values, ...valuesOf(action) };
      return { action, values };
    });
}

const isSoon = ({ action: { at_s, depends_on, condition } }: Begun): boolean =>
  at_s <= soonS && depends_on === null && condition === null;

/** Numbers only: what a formula gives is not known. */
const knownOf = (values: Values) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) =>
      typeof value === 'number' || (typeof value === 'string' && !value.includes('${{')) ? [[key, value] as const] : [],
    ),
  );

const nameIn = ({ automation_name: name }: Values): string | null => (typeof name === 'string' ? name : null);

/** The temperatures to which a run heats, its targets and its doses, and what the first of them mean for each unit. */
export function runConsequences(plan: Pick<ProfilePlan, 'units'>, nowOf: (unit: string) => UnitNow): RunConsequences {
  const steps = new Map<string, { text: string; units: string[] }>();
  const texts: string[] = [];
  const warnings = new Set<string>();
  const totals: Parameters<typeof dosingTotal>[0][number][] = [];
  for (const { reactor_unit: unit, actions } of plan.units) {
    const { signals, temperature } = nowOf(unit);
    for (const action of actions.filter(concernsLiquid)) {
      const text = stepText(action);
      const step = steps.get(text) ?? { text, units: [] };
      steps.set(text, step);
      if (!step.units.includes(signals.unit)) step.units.push(signals.unit);
    }
    const heating = begunBy(actions, temperatureAutomationJob.name);
    const [firstHeating] = heating;
    if (firstHeating !== undefined && isSoon(firstHeating)) {
      const { target_temperature: target } = knownOf(firstHeating.values);
      texts.push(...temperatureConsequences(nameIn(firstHeating.values), target, [temperature]));
    }
    for (const { values } of heating)
      for (const text of Object.values(temperatureWarnings(nameIn(values), knownOf(values))).flat()) warnings.add(text);
    const dosing = begunBy(actions, dosingAutomationJob.name);
    const [firstDosing] = dosing;
    if (firstDosing !== undefined && isSoon(firstDosing)) {
      const values = knownOf(firstDosing.values);
      const automation = nameIn(values);
      texts.push(...dosingConsequences(automation, values, [signals]));
      totals.push({ automation, values, reported: [signals] });
    }
    for (const { values } of dosing)
      for (const text of Object.values(densityWarnings(nameIn(values), knownOf(values), [signals])).flat())
        warnings.add(text);
  }
  return { steps: [...steps.values()], texts: [...texts, ...dosingTotal(totals)], warnings: [...warnings] };
}
