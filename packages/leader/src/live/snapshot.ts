import type { Alarm, HeldJob, LiveJob, LiveSnapshot, RecentStop, UnitStatus } from '@lcs/contract';
import { taskEvent } from '@lcs/node';
import { toTimestamp } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { readAssignments } from '../queries/assignments.ts';
import { allExperiments, toExperiment } from '../queries/experiments.ts';
import { allWorkers, toWorker } from '../queries/workers.ts';
import type { SnapshotSource } from './live-hub.ts';

/** The state besides the store, at present. */
interface SnapshotPart {
  readonly units: () => readonly UnitStatus[];
  readonly jobs: () => readonly LiveJob[];
  readonly held_jobs: () => readonly HeldJob[];
  readonly alarms: () => readonly Alarm[];
  readonly stops: () => readonly RecentStop[];
}

/** The contents of a snapshot besides the store. Each part of the leader adds its state. */
export class SnapshotContents {
  readonly #parts: Partial<SnapshotPart>[] = [];

  add(part: Partial<SnapshotPart>): void {
    this.#parts.push(part);
  }

  now(): Pick<LiveSnapshot, 'units' | 'jobs' | 'held_jobs' | 'alarms' | 'stops'> {
    return {
      units: this.#parts.flatMap(({ units }) => units?.() ?? []),
      jobs: this.#parts.flatMap(({ jobs }) => jobs?.() ?? []),
      held_jobs: this.#parts.flatMap(({ held_jobs }) => held_jobs?.() ?? []),
      alarms: this.#parts.flatMap(({ alarms }) => alarms?.() ?? []),
      stops: this.#parts.flatMap(({ stops }) => stops?.() ?? []),
    };
  }
}

/**
 * The initial state of a page. The moment is marked before the reading: a change during it may be in the result already and follows again as
 * an event, which is harmless, because an event contains the whole object.
 */
export function snapshotSource(
  context: Pick<LeaderContext, 'leader' | 'clock' | 'database' | 'tasks'>,
  contents: SnapshotContents,
  version: string,
): SnapshotSource {
  const { leader, clock, database, tasks } = context;
  return async (mark): Promise<LiveSnapshot> => {
    mark();
    const [experiments, assignments, workers, pending, running] = await Promise.all([
      allExperiments(database.read).execute(),
      readAssignments(database.read),
      allWorkers(database.read).execute(),
      tasks.list({ status: 'pending' }),
      tasks.list({ status: 'running' }),
    ]);
    const now = clock.now();
    return {
      server_time: toTimestamp(now),
      version,
      leader,
      experiments: experiments.map((stored) => toExperiment(stored, now)),
      assignments,
      workers: workers.map(toWorker),
      ...contents.now(),
      tasks: [...running, ...pending].flatMap((record) => taskEvent(record) ?? []),
    };
  };
}
