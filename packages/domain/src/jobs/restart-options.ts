import type { Json, LiveJob } from '@lcs/contract';
import { isAutomationType } from '../automations/automation.ts';
import { builtInAutomations } from '../automations/automations.ts';
import { biomassScaleSetting, biomassSignalSetting } from '../automations/biomass.ts';
import { builtInJobs } from './built-in-jobs.ts';

type RunningJob = Pick<LiveJob, 'job_name' | 'settings'>;
type Settings = Readonly<Record<string, Json>>;

const automationName = 'automation_name';

/** The planned end of a job, among its published settings. */
export const endsAtSetting = '$ends_at';

/** The options of a start that people set and that the running job publishes. */
function optionNames(jobName: string, automation: Json | undefined): readonly string[] {
  const job = builtInJobs.find(({ name }) => name === jobName);
  const declared = (job?.descriptor?.published_settings ?? []).flatMap(({ key, editable }) =>
    editable && Object.hasOwn(job?.options ?? {}, key) ? [key] : [],
  );
  const type = jobName.replace(/_automation$/, '');
  if (!isAutomationType(type)) return declared;
  const found = builtInAutomations[type].find(({ automation_name }) => automation_name === automation);
  return [...declared, automationName, ...(found?.fields.map(({ key }) => key) ?? [])];
}

const picked = (settings: Settings, names: readonly string[]): Settings =>
  Object.fromEntries(names.flatMap((name) => (settings[name] === undefined ? [] : [[name, settings[name]]])));

const optionsIn = ({ job_name, settings }: RunningJob): Settings =>
  picked(settings, optionNames(job_name, settings[automationName]));

/** The options that start a job with the values that it has now. */
export function restartOptions(job: RunningJob): Readonly<Record<string, number | string | boolean>> {
  return Object.fromEntries(
    Object.entries(optionsIn(job)).flatMap(([name, value]) =>
      typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
        ? [[name, value] as const]
        : [],
    ),
  );
}

/** The settings of a job that a later start with the same values needs: without what it has measured. */
export const restartSettings = (job: RunningJob): Settings => ({
  ...optionsIn(job),
  ...picked(job.settings, [biomassSignalSetting, biomassScaleSetting, endsAtSetting]),
});
