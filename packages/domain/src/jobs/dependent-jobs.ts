import type { Json } from '@lcs/contract';
import { biomassSignalSetting, publisherOfBiomass } from '../automations/biomass.ts';
import type { WithoutUsed } from './job-declaration.ts';

/** A running job of a unit. */
export interface RunningJob {
  readonly name: string;
  readonly settings: Readonly<Record<string, Json>>;
  /** The jobs that its declaration names. */
  readonly usesJobs: readonly string[];
}

/** Whether a running job needs another one, by its declaration or by the signal that a person chose. */
function uses({ settings, usesJobs }: RunningJob, other: string): boolean {
  const signal = settings[biomassSignalSetting];
  return usesJobs.includes(other) || (typeof signal === 'string' && publisherOfBiomass(signal) === other);
}

/**
 * What each of the jobs that need a stopped job does without it; undefined: its declaration does not say. What needs a job that waits has no
 * values either; what needs one that goes on gets its doubtful ones.
 * @param dependents in the order in which they stop
 * @param declared what a job does without a job that it needs itself
 */
export function withoutStopped<Each extends RunningJob>(
  job: string,
  dependents: readonly Each[],
  declared: (name: string) => WithoutUsed | undefined,
): ReadonlyMap<string, WithoutUsed | undefined> {
  const found = new Map<string, WithoutUsed | undefined>();
  for (const each of dependents.toReversed()) {
    const isWithoutValues =
      uses(each, job) || dependents.some(({ name }) => found.get(name) === 'waits' && uses(each, name));
    found.set(each.name, isWithoutValues ? declared(each.name) : 'goes on');
  }
  return found;
}

/**
 * The running jobs of a unit that need a job directly or through other running jobs, in the order in which they stop: none before one that
 * needs it.
 */
export function dependentJobs<Each extends RunningJob>(job: string, running: readonly Each[]): readonly Each[] {
  const seen = new Set<Each>();
  const inOrder: Each[] = [];
  const add = (needed: string): void => {
    for (const each of running) {
      if (each.name === job || seen.has(each) || !uses(each, needed)) continue;
      seen.add(each);
      add(each.name);
      inOrder.push(each);
    }
  };
  add(job);
  return inOrder;
}
