import type { Capability, JobDescriptor, LiveJob } from '@lcs/contract';
import { builtInJobs, dependentJobs, type RunningJob } from '@lcs/domain';
import { labelFromName } from '../forms/field-rules.ts';

/** A running job that needs the job which is to be stopped. */
export interface DependentJob {
  readonly name: string;
  /** As people know it, with its automation. */
  readonly title: string;
}

interface UnitFacts {
  /** The jobs of the unit in the experiment. */
  readonly jobs: readonly LiveJob[];
  /** As far as the unit has reported them. */
  readonly capabilities: readonly Capability[];
  readonly descriptors: readonly JobDescriptor[];
}

const automationOf = ({ settings }: LiveJob): string | undefined => {
  const name = settings.automation_name;
  return typeof name === 'string' ? name : undefined;
};

/** What a job needs: as the unit reports it, or as this version declares it. */
function usesOf(job: LiveJob, capabilities: readonly Capability[]): readonly string[] {
  const automation = automationOf(job);
  const reported = capabilities.find(
    ({ job_name, automation_name }) => job_name === job.job_name && automation_name === automation,
  );
  if (reported?.uses_jobs !== undefined) return reported.uses_jobs;
  const declared = builtInJobs.find(({ name }) => name === job.job_name);
  return [...(declared?.usesJobs ?? []), ...(declared?.variants?.[automation ?? '']?.usesJobs ?? [])];
}

/** The running jobs of a unit that need a job, in the order in which they stop. */
export function dependentsOf(jobName: string, { jobs, capabilities, descriptors }: UnitFacts): readonly DependentJob[] {
  const running = jobs
    .filter(({ state }) => state === 'init' || state === 'ready' || state === 'sleeping')
    .map((job): RunningJob & { readonly job: LiveJob } => ({
      name: job.job_name,
      settings: job.settings,
      usesJobs: usesOf(job, capabilities),
      job,
    }));
  return dependentJobs(jobName, running).map(({ name, job }) => {
    const title = descriptors.find(({ job_name }) => job_name === name)?.display_name ?? labelFromName(name);
    const automation = automationOf(job);
    return { name, title: automation === undefined ? title : `${title} – ${labelFromName(automation)}` };
  });
}

/** A dependent job with the units on which it runs. */
export interface DependentOnUnits extends DependentJob {
  readonly units: readonly string[];
}

/** The dependent jobs of several units, each once. */
export function dependentsOnUnits(
  units: readonly string[],
  dependentsOn: (unit: string) => readonly DependentJob[],
): readonly DependentOnUnits[] {
  const all = units.flatMap((unit) => dependentsOn(unit).map((job) => ({ ...job, unit })));
  return [...Map.groupBy(all, ({ name }) => name).values()].flatMap((same) => {
    const titles = [...new Set(same.map(({ title }) => title))];
    const [first] = same;
    return first === undefined
      ? []
      : [{ name: first.name, title: titles.join(', '), units: same.map(({ unit }) => unit) }];
  });
}
