import type { LiveJob } from '@lcs/contract';
import { dosingAutomationJob, onlyRecordTemperature, pumpJobs, thermostatAutomation } from '@lcs/domain';
import type { ShownJob } from '../jobs/job-catalog.ts';
import {
  enteredIn,
  fieldFault,
  fieldsFor,
  lastVariant,
  type StartForm,
  type StartValues,
  startOptions,
} from '../jobs/job-forms.ts';
import { isRunning, jobOf, jobPhase } from '../jobs/job-phase.ts';
import { waitingDosings } from '../jobs/running-dosing.ts';
import { profileExperiments } from '../jobs/start-again.ts';
import { digitsText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { usualStartWords } from '../words/usual-start.ts';

/** A job that moves heat; its mode is chosen. */
export const temperatureJob = 'temperature_automation';

/** The jobs that every culture needs, in the order of their start. None of them runs a pump: each dosing has a target of its own. */
const usualJobs = ['stirring', 'od_reading', 'growth_rate_calculating', temperatureJob] as const;

/** A job and the units on which it is started or stopped. */
export interface JobOnUnits {
  readonly job: string;
  readonly units: readonly string[];
}

const runs = (jobs: readonly LiveJob[], unit: string, experiment: string, name: string): boolean =>
  isRunning(jobPhase(jobOf(jobs, unit, experiment, name)));

/** The starts that are missing for the usual jobs on some units. */
export const missingStarts = (
  jobs: readonly LiveJob[],
  units: readonly string[],
  experiment: string,
): readonly JobOnUnits[] =>
  usualJobs
    .map((job) => ({ job, units: units.filter((unit) => !runs(jobs, unit, experiment, job)) }))
    .filter((start) => start.units.length > 0);

/** Whether one of the usual jobs that only measure or stir is off; temperature control is not needed by all cultures. */
export const lacksUsualJob = (jobs: readonly LiveJob[], units: readonly string[], experiment: string): boolean =>
  missingStarts(jobs, units, experiment).some(({ job }) => job !== temperatureJob);

/** The mode that a person used last on all units, otherwise to record without heat; `null`: neither is possible. */
export const usualMode = (form: StartForm): string | null =>
  lastVariant(form) ??
  form.variants.find(({ name, missing }) => missing === null && name === onlyRecordTemperature.name)?.name ??
  null;

/** What a person has chosen for the temperature; `mode` null: it stays off. */
export interface TemperatureChoice {
  readonly mode: string | null;
  readonly values: StartValues;
}

/** One of the starts: a job with its options, and its values as text. */
export interface UsualStart {
  readonly job: ShownJob;
  readonly units: readonly string[];
  readonly options: ReturnType<typeof startOptions>;
  readonly values: string;
}

export interface UsualPlan {
  readonly starts: readonly UsualStart[];
  /** Jobs that run already; they keep their values. */
  readonly kept: readonly { readonly title: string; readonly units: readonly string[] }[];
  /** Units that cannot start a job. */
  readonly impossible: readonly { readonly title: string; readonly unit: string; readonly reason: string }[];
}

interface PlanFacts {
  readonly shown: readonly ShownJob[];
  /** By job: the units that cannot start it. */
  readonly shortfalls: ReadonlyMap<string, readonly { readonly unit: string; readonly reason: string }[]>;
  readonly jobs: readonly LiveJob[];
  readonly units: readonly string[];
  readonly experiment: string;
  readonly temperature: TemperatureChoice;
}

/** The numbers with which a job starts: entered, last used or configured. */
function valuesText(form: StartForm, mode: string | null, values: StartValues): string {
  const numbers = fieldsFor(form, mode).flatMap((field) => {
    const entered = enteredIn(field, values);
    const value = entered === '' ? field.configured : entered;
    return field.isMain && typeof value === 'number'
      ? [[digitsText(value, 4), field.unit].filter((part) => part !== null).join(' ')]
      : [];
  });
  const label = form.variants.find(({ name }) => name === mode)?.label;
  return [...(label === undefined ? [] : [label]), ...numbers].join(', ');
}

/** What one confirmation starts on these units. */
export function usualPlan({ shown, shortfalls, jobs, units, experiment, temperature }: PlanFacts): UsualPlan {
  const plan = usualJobs.flatMap((name) => {
    const job = shown.find((each) => each.name === name);
    if (job === undefined) return [];
    const [mode, values] = name === temperatureJob ? [temperature.mode, temperature.values] : [null, {}];
    if (name === temperatureJob && mode === null) return [];
    const running = units.filter((unit) => runs(jobs, unit, experiment, name));
    const impossible = (shortfalls.get(name) ?? []).filter(
      ({ unit }) => units.includes(unit) && !running.includes(unit),
    );
    const possible = units.filter(
      (unit) => !running.includes(unit) && !impossible.some((shortfall) => shortfall.unit === unit),
    );
    const options = startOptions(job.form, mode, values);
    return [{ job, units: possible, options, values: valuesText(job.form, mode, values), running, impossible }];
  });
  return {
    starts: plan.filter((each) => each.units.length > 0),
    kept: plan.flatMap(({ job: { title }, running }) => (running.length === 0 ? [] : [{ title, units: running }])),
    impossible: plan.flatMap(({ job: { title }, impossible }) => impossible.map((each) => ({ ...each, title }))),
  };
}

/** Whether the values of the chosen mode can be sent. */
export const isTemperatureValid = (form: StartForm | undefined, { mode, values }: TemperatureChoice): boolean =>
  form === undefined || mode === null || fieldsFor(form, mode).every((field) => fieldFault(field, values) === null);

const unitCount = ({ length }: readonly string[]): string => commonWords.unitCount(length);

/** `a`, `a and b`, `a, b and c` */
const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : commonWords.listAnd(parts.slice(0, -1).join(', '), parts.at(-1));

const withValues = ({ job, values }: UsualStart): string => (values === '' ? job.title : `${job.title} (${values})`);

/** What these starts set off in dosing automations that wait for the readings. */
function waitingFor(
  starts: readonly UsualStart[],
  nameOf: (unit: string) => string,
  running: readonly LiveJob[],
): readonly string[] {
  const units = [...new Set(starts.flatMap((start) => start.units))];
  const onUnits = units.map((unit) => ({
    unit,
    jobs: starts.filter((start) => start.units.includes(unit)).map(({ job }) => job.name),
  }));
  return waitingDosings(onUnits, nameOf, running);
}

/** What a running profile of the experiment may do to the started jobs; it is not ended by a start. */
export const profileConsequences = (running: readonly LiveJob[], experiment: string): readonly string[] =>
  profileExperiments(running).has(experiment) ? [usualStartWords.profileGoesOn] : [];

const isHeating = ({ job_name, settings }: LiveJob): boolean =>
  job_name === temperatureJob && settings.automation_name === thermostatAutomation.name;

const dosingJobs: readonly string[] = [dosingAutomationJob, ...pumpJobs].map(({ name }) => name);

/** What these starts do to the heaters. "No heater" beside one that is on already would be read as a statement about that. */
function heatText(heats: boolean, running: readonly LiveJob[]): readonly string[] {
  if (heats) return [usualStartWords.heatersWarmVials];
  return running.some(isHeating) ? [] : [usualStartWords.noHeaterStarts];
}

/** The same with the pumps, where no dosing waits for the started jobs. */
function heatAndPumpText(heats: boolean, running: readonly LiveJob[]): readonly string[] {
  const doses = running.some(({ job_name }) => dosingJobs.includes(job_name));
  if (heats) {
    const warm = usualStartWords.heatersWarmVials;
    return [doses ? warm : `${warm} ${usualStartWords.noPumpStarts}`];
  }
  return doses || running.some(isHeating) ? [] : [usualStartWords.noHeaterNoPump];
}

/** What the confirmation does, in sentences. */
export function usualConsequences(
  { starts, kept }: UsualPlan,
  nameOf: (unit: string) => string,
  running: readonly LiveJob[],
): readonly string[] {
  const byUnits = [...Map.groupBy(starts, ({ units }) => units.join('\n')).values()];
  const heats = starts.some(({ options }) => options.automation_name === thermostatAutomation.name);
  const begun = byUnits.map((same) => {
    const started = listed(same.map(withValues));
    return usualStartWords.jobsStartOn(started, same.length, unitCount(same[0]?.units ?? []));
  });
  const keeps = kept.map(({ title, units }) =>
    usualStartWords.runsAlready(title, units.length > 3 ? unitCount(units) : listed(units.map(nameOf))),
  );
  const waiting = waitingFor(starts, nameOf, running);
  const touched = new Set([...starts, ...kept].flatMap(({ units }) => units));
  const others = running.filter((job) => touched.has(job.reactor_unit) && isRunning(jobPhase(job)));
  const effects = waiting.length > 0 ? [...heatText(heats, others), ...waiting] : heatAndPumpText(heats, others);
  return [...begun, ...keeps, ...(starts.length === 0 ? [] : effects)];
}
