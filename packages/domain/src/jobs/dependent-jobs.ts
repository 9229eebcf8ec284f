import type { Json } from '@lcs/contract';
import { biomassSignalSetting, publisherOfBiomass } from '../automations/biomass.ts';

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
 * The running jobs of a unit that need a job directly or through other running jobs, in the order in which they stop: none before one that
 * needs it.
 */
export function dependentJobs<Each extends RunningJob>(job: string, running: readonly Each[]): readonly Each[] {
  const found = new Set<Each>();
  const add = (needed: string): void => {
    for (const each of running) {
      if (each.name === job || found.has(each) || !uses(each, needed)) continue;
      found.add(each);
      add(each.name);
    }
  };
  add(job);
  const all = [...found];
  const depth = (each: Each, seen: ReadonlySet<Each>): number =>
    1 +
    all
      .filter((other) => !seen.has(other) && uses(other, each.name))
      .reduce((most, other) => Math.max(most, depth(other, new Set([...seen, other]))), 0);
  return all.sort((left, right) => depth(left, new Set([left])) - depth(right, new Set([right])));
}
