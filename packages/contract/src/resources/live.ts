import { type Static, Type } from 'typebox';
import type { Permission } from '../permissions.ts';
import { Alarm } from './alarm.ts';
import { ChartPreferences } from './chart.ts';
import { closed, Timestamp } from './common.ts';
import { Experiment, UnitLabels } from './experiment.ts';
import { DosePiece } from './latest.ts';
import { JoinRequest } from './machine.ts';
import { ReplicateGroup } from './replicate-group.ts';
import { RecentStop } from './stop.ts';
import { LogEntry } from './system.ts';
import { FinishedTask, UnfinishedTask } from './task.ts';
import { HeldJob, JobStateChange, LiveJob, Reading, SettingChange, UnitStatus } from './unit.ts';
import { Assignment, Worker } from './worker.ts';

const AnyTask = Type.Union([UnfinishedTask, FinishedTask]);

/** Initial state for a web UI; the first event of a connection that cannot be resumed. */
export const LiveSnapshot = closed(
  {
    server_time: Timestamp,
    version: Type.String({ description: "The leader's program: a page built for another version reloads itself" }),
    leader: Type.String({ description: "The leader's unit name" }),
    experiments: Type.Array(Experiment),
    assignments: Type.Array(Assignment),
    workers: Type.Array(Worker),
    units: Type.Array(UnitStatus, { description: 'The leader and all workers' }),
    jobs: Type.Array(LiveJob, { description: 'Those that run, and those that were lost with their unit' }),
    held_jobs: Type.Array(HeldJob, { description: 'Those that wait for a person since a restart of their unit' }),
    tasks: Type.Array(AnyTask, { description: 'Those that had not ended' }),
    alarms: Type.Array(Alarm, { description: 'Those that are open' }),
    stops: Type.Array(RecentStop, { description: 'Those after which nothing was started, oldest first' }),
  },
  { title: 'LiveSnapshot' },
);
export type LiveSnapshot = Static<typeof LiveSnapshot>;

/** Events of `GET /api/live` by name, with the data each carries. */
export const liveEvents = {
  snapshot: LiveSnapshot,
  experiment: Experiment,
  experiment_deleted: closed({ experiment: Type.String() }),
  assignment: Assignment,
  worker: Worker,
  worker_deleted: closed({ reactor_unit: Type.String() }),
  unit: UnitStatus,
  /** Another state of a job, and its end. */
  job: JobStateChange,
  setting: SettingChange,
  held_jobs: closed(
    { reactor_unit: Type.String(), held_jobs: Type.Array(HeldJob) },
    { description: 'All jobs of a unit that wait for a person since a restart of it' },
  ),
  reading: Reading,
  dose: closed(
    { experiment: Type.String(), reactor_unit: Type.String(), ...DosePiece.properties },
    {
      description:
        'Liquid was pumped into the vial of a unit: a dose, or a piece of one, which may take back what was not pumped',
    },
  ),
  labels: closed({ experiment: Type.String(), labels: UnitLabels }),
  replicate_groups: closed({ experiment: Type.String(), groups: Type.Array(ReplicateGroup) }),
  /** The page requests the notes itself. */
  notes: closed({ experiment: Type.String() }, { description: 'A note was written, changed or removed' }),
  chart_preferences: closed({ experiment: Type.String(), ...ChartPreferences.properties }),
  /** The page requests them itself. */
  calibrations: closed(
    { reactor_unit: Type.String() },
    { description: 'The calibrations of a unit have changed, or a session of a calibration has begun or ended there' },
  ),
  /** A version of a configuration file was saved. */
  config: closed({ filename: Type.String(), timestamp: Timestamp }),
  task: AnyTask,
  stops: Type.Array(RecentStop, { description: 'All stops after which nothing was started, oldest first' }),
  log: LogEntry,
  alarm: Alarm,
  join_requests: Type.Array(JoinRequest, { description: 'All machines that wait for an approval' }),
};
export type LiveEventName = keyof typeof liveEvents;
export type LiveEvents = { readonly [Name in LiveEventName]: Static<(typeof liveEvents)[Name]> };

/** What a caller needs for each event: the permission of the route that shows the same. */
export const liveEventPermissions: { readonly [Name in LiveEventName]: Permission } = {
  snapshot: 'experiments.read',
  experiment: 'experiments.read',
  experiment_deleted: 'experiments.read',
  assignment: 'inventory.read',
  worker: 'inventory.read',
  worker_deleted: 'inventory.read',
  unit: 'inventory.read',
  job: 'jobs.read',
  setting: 'jobs.read',
  held_jobs: 'jobs.read',
  reading: 'experiments.read',
  dose: 'experiments.read',
  labels: 'experiments.read',
  replicate_groups: 'experiments.read',
  notes: 'experiments.read',
  chart_preferences: 'charts.read',
  calibrations: 'calibrations.read',
  config: 'config.read',
  task: 'tasks.read',
  stops: 'jobs.read',
  log: 'logs.read',
  alarm: 'alarms.read',
  join_requests: 'inventory.read',
};

/** The event that carries the changes of each list of a snapshot. */
const eventOfList = {
  experiments: 'experiment',
  assignments: 'assignment',
  workers: 'worker',
  units: 'unit',
  jobs: 'job',
  held_jobs: 'held_jobs',
  tasks: 'task',
  alarms: 'alarm',
  stops: 'stops',
} as const satisfies Partial<Record<keyof LiveSnapshot, LiveEventName>>;

/** A snapshot without the lists that a caller may not see; they are empty. */
export function visibleSnapshot(snapshot: LiveSnapshot, permissions: ReadonlySet<Permission>): LiveSnapshot {
  const maySee = (list: keyof typeof eventOfList): boolean => permissions.has(liveEventPermissions[eventOfList[list]]);
  return {
    ...snapshot,
    experiments: maySee('experiments') ? snapshot.experiments : [],
    assignments: maySee('assignments') ? snapshot.assignments : [],
    workers: maySee('workers') ? snapshot.workers : [],
    units: maySee('units') ? snapshot.units : [],
    jobs: maySee('jobs') ? snapshot.jobs : [],
    held_jobs: maySee('held_jobs') ? snapshot.held_jobs : [],
    tasks: maySee('tasks') ? snapshot.tasks : [],
    alarms: maySee('alarms') ? snapshot.alarms : [],
    stops: maySee('stops') ? snapshot.stops : [],
  };
}
