import type { ChartPreferences } from './chart.ts';
import type { Experiment, UnitLabels } from './experiment.ts';
import type { LogEntry } from './system.ts';
import type { TaskRecord } from './task.ts';
import type { Assignment, Worker } from './worker.ts';

/** Everything a page needs to begin with; the first event of a connection that cannot be resumed. */
export interface LiveSnapshot {
  readonly server_time: string;
  /** This leader's program version: a page built for another one reloads itself. */
  readonly version: string;
  readonly leader: string;
  readonly experiments: readonly Experiment[];
  readonly assignments: readonly Assignment[];
  readonly workers: readonly Worker[];
  readonly tasks: readonly TaskRecord[];
}

/** Events of `GET /api/live` by name, with the data each carries. */
export interface LiveEvents {
  snapshot: LiveSnapshot;
  experiment: Experiment;
  experiment_deleted: { readonly experiment: string };
  assignment: Assignment;
  worker: Worker;
  worker_deleted: { readonly reactor_unit: string };
  labels: { readonly experiment: string; readonly labels: UnitLabels };
  chart_preferences: { readonly experiment: string } & ChartPreferences;
  config: { readonly filename: string; readonly timestamp: string };
  task: TaskRecord;
  log: LogEntry;
}
export type LiveEventName = keyof LiveEvents;
