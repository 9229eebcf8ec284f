import type { LiveJob } from '@lcs/contract';
import {
  builtInJobs,
  dependentJobs,
  dosingAutomationJob,
  jobTitle,
  type RunningJob,
  temperatureAutomationJob,
  type WithoutUsed,
  withoutStopped,
} from '@lcs/domain';
import { labelFromName } from '../forms/field-rules.ts';
import { commonWords } from '../words/common.ts';
import { jobsWords } from '../words/jobs.ts';
import { automationOf, type NamedJob, type UnitFacts, usesOfRunning } from './job-uses.ts';

/** A running job that needs the job which is to be stopped. */
export interface DependentJob extends NamedJob {
  /** What it does without it. */
  readonly effect: string;
}

const declaredWithout = (name: string): WithoutUsed | undefined =>
  builtInJobs.find((job) => job.name === name)?.withoutUsed;

/** What a job does without one that it needs, in words. */
function effectText(name: string, effect: WithoutUsed | undefined): string {
  const doses = name === dosingAutomationJob.name;
  if (effect === undefined) return jobsWords.effectNotDeclared;
  if (effect === 'waits') return doses ? jobsWords.waitsWithoutDosing : jobsWords.waitsWithoutValues;
  if (name === temperatureAutomationJob.name) return jobsWords.heatsUnevenly;
  return doses ? jobsWords.dosesByDoubtfulValues : jobsWords.valuesAreDoubtful;
}

/** The running jobs of a unit that need a job, in the order in which they stop. */
export function dependentsOf(jobName: string, { jobs, capabilities, descriptors }: UnitFacts): readonly DependentJob[] {
  const running = jobs
    .filter(({ state }) => state === 'init' || state === 'ready' || state === 'sleeping')
    .map((job): RunningJob & { readonly job: LiveJob } => ({
      name: job.job_name,
      settings: job.settings,
      usesJobs: usesOfRunning(job, capabilities),
      job,
    }));
  const dependents = dependentJobs(jobName, running);
  const effects = withoutStopped(jobName, dependents, declaredWithout);
  return dependents.map(({ name, job }) => {
    const title = jobTitle(name, descriptors);
    const automation = automationOf(job);
    return {
      name,
      title: automation === undefined ? title : `${title} – ${labelFromName(automation)}`,
      effect: effectText(name, effects.get(name)),
    };
  });
}

/** A dependent job with the units on which it runs. */
export interface DependentOnUnits extends DependentJob {
  readonly units: readonly string[];
}

/** Names in an order that agrees with all of these orders, as far as one exists. */
function commonOrder(orders: readonly (readonly string[])[]): readonly string[] {
  const left = orders.filter((order) => order.length > 0);
  const heads = left.flatMap(([head]) => head ?? []);
  const next = heads.find((head) => left.every((order) => order.indexOf(head) <= 0)) ?? heads[0];
  return next === undefined ? [] : [next, ...commonOrder(left.map((order) => order.filter((name) => name !== next)))];
}

/** The dependent jobs of several units, each once, in the order in which they stop. */
export function dependentsOnUnits(
  units: readonly string[],
  dependentsOn: (unit: string) => readonly DependentJob[],
): readonly DependentOnUnits[] {
  const byUnit = units.map((unit) => dependentsOn(unit).map((job) => ({ ...job, unit })));
  const byName = Map.groupBy(byUnit.flat(), ({ name }) => name);
  return commonOrder(byUnit.map((jobs) => jobs.map(({ name }) => name))).flatMap((each) => {
    const same = byName.get(each) ?? [];
    const [first] = same;
    if (first === undefined) return [];
    const titles = new Set(same.map(({ title }) => title));
    const effects = new Set(same.map(({ effect }) => effect));
    return [
      {
        name: first.name,
        title: [...titles].join(', '),
        effect: [...effects].join(commonWords.joinOr),
        units: same.map(({ unit }) => unit),
      },
    ];
  });
}
