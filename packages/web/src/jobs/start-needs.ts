import { builtInJobs } from '@lcs/domain';
import { labelFromName } from '../forms/field-rules.ts';
import type { DependentJob, UnitFacts } from './dependents.ts';
import { jobPhase } from './job-phase.ts';

/** What a job needs, whatever its automation: as the unit reports it, or as this version declares it. */
const usesOf = (name: string, { capabilities }: UnitFacts): readonly string[] =>
  capabilities.find(({ job_name, automation_name }) => job_name === name && automation_name === undefined)?.uses_jobs ??
  builtInJobs.find((job) => job.name === name)?.usesJobs ??
  [];

/** The jobs that a job needs and that are off, in the order of their start. */
export function neededJobs(jobName: string, facts: UnitFacts): readonly DependentJob[] {
  const inOrder: string[] = [];
  const add = (name: string): void => {
    for (const needed of usesOf(name, facts)) {
      if (inOrder.includes(needed) || needed === jobName) continue;
      add(needed);
      inOrder.push(needed);
    }
  };
  add(jobName);
  // What was lost with its unit may still run there.
  const runs = (name: string): boolean => facts.jobs.some((job) => job.job_name === name && jobPhase(job) !== 'off');
  return inOrder
    .filter((name) => !runs(name))
    .map((name) => ({
      name,
      title: facts.descriptors.find(({ job_name }) => job_name === name)?.display_name ?? labelFromName(name),
    }));
}
