import { builtInJobs, pumpingJobs } from '@lcs/domain';
import type { JobsOfExperiment } from '../core/leader-context.ts';

/** An accepted start that has not been sent to all of its units yet. */
export interface PendingStart {
  /** Whether a later stop was accepted. */
  isSuperseded(unit: string): boolean;
  end(): void;
}

type StartedJob = JobsOfExperiment & { readonly jobName: string };

const nameOf = (job: string): string => job.split(' ', 1)[0] ?? '';

const builtInNames: ReadonlySet<string> = new Set(builtInJobs.map(({ name }) => name));

/** Only a unit knows what the jobs of its plugins do. */
const mayRunPumps = (name: string): boolean => pumpingJobs.includes(name) || !builtInNames.has(name);

/** Starts that wait for the documents of their units. A stop that is accepted meanwhile supersedes them. */
export class PendingStarts {
  readonly #waiting = new Set<{ readonly start: StartedJob; readonly stopped: Set<string> }>();

  begin(start: StartedJob): PendingStart {
    const entry = { start, stopped: new Set<string>() };
    this.#waiting.add(entry);
    return {
      isSuperseded: (unit) => entry.stopped.has(unit),
      end: () => this.#waiting.delete(entry),
    };
  }

  stop(units: readonly string[], { experiment, jobName, stopGroup }: JobsOfExperiment): void {
    for (const { start, stopped } of this.#waiting) {
      const isStopped =
        (experiment === null || experiment === start.experiment) &&
        (stopGroup === undefined
          ? jobName === null || nameOf(jobName) === nameOf(start.jobName)
          : mayRunPumps(nameOf(start.jobName)));
      if (isStopped) for (const unit of units) stopped.add(unit);
    }
  }
}
