import type { LiveJob } from '@lcs/contract';
import { biomassSignalSetting, builtInJobs, jobTitle, publisherOfBiomass } from '@lcs/domain';
import { isRunning, jobPhase } from './job-phase.ts';
import { type NamedJob, type UnitFacts, usesOfRunning } from './job-uses.ts';

/** What a job needs, whatever its automation: as the unit reports it, or as this version declares it. */
const usesOf = (name: string, { capabilities }: UnitFacts): readonly string[] =>
  capabilities.find(({ job_name, automation_name }) => job_name === name && automation_name === undefined)?.uses_jobs ??
  builtInJobs.find((job) => job.name === name)?.usesJobs ??
  [];

/** Those of these jobs that are off, and what they need that is off, in the order of their start. */
function offJobs(names: readonly string[], asking: string, facts: UnitFacts): readonly NamedJob[] {
  const inOrder: string[] = [];
  const add = (needed: readonly string[]): void => {
    for (const name of needed) {
      if (inOrder.includes(name) || name === asking) continue;
      add(usesOf(name, facts));
      inOrder.push(name);
    }
  };
  add(names);
  // What was lost with its unit may still run there.
  const runs = (name: string): boolean => facts.jobs.some((job) => job.job_name === name && jobPhase(job) !== 'off');
  return inOrder
    .filter((name) => !runs(name))
    .map((name) => ({
      name,
      title: jobTitle(name, facts.descriptors),
    }));
}

/** The jobs that a job needs and that are off, in the order of their start. */
export const neededJobs = (jobName: string, facts: UnitFacts): readonly NamedJob[] =>
  offJobs(usesOf(jobName, facts), jobName, facts);

/** Those of these jobs that are off, with what they need that is off, in the order of their start. */
export const neededOf = (names: readonly string[], facts: UnitFacts): readonly NamedJob[] => offJobs(names, '', facts);

/** The same of a running job, whose automation and biomass signal are known. */
export function stoppedNeeds(job: LiveJob, facts: UnitFacts): readonly NamedJob[] {
  const signal = job.settings[biomassSignalSetting];
  const publisher = typeof signal === 'string' ? publisherOfBiomass(signal) : undefined;
  const needed = [...usesOfRunning(job, facts.capabilities), ...(publisher === undefined ? [] : [publisher])];
  return offJobs(needed, job.job_name, facts);
}

/** A running job, and those that it needs and that are off. */
export interface LackingJob extends NamedJob {
  readonly off: readonly NamedJob[];
}

/** The running jobs of a unit that need others which are off, in the order of the descriptors. */
export function lackingJobs(facts: UnitFacts): readonly LackingJob[] {
  const { jobs, descriptors } = facts;
  const order = (name: string): number => descriptors.findIndex(({ job_name }) => job_name === name);
  return jobs
    .filter((job) => isRunning(jobPhase(job)))
    .sort((left, right) => order(left.job_name) - order(right.job_name))
    .map((job) => ({
      name: job.job_name,
      title: jobTitle(job.job_name, descriptors),
      off: stoppedNeeds(job, facts),
    }))
    .filter(({ off }) => off.length > 0);
}
