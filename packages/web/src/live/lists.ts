import type {
  Alarm,
  Assignment,
  Experiment,
  JobStateChange,
  LiveJob,
  SettingChange,
  UnitStatus,
  Worker,
} from '@lcs/contract';

/** Replaces the entry that `isSame` finds, in its place; adds it with `add` when there is none. */
function upsert<Entry>(
  list: readonly Entry[],
  entry: Entry,
  isSame: (other: Entry) => boolean,
  add: (list: readonly Entry[], entry: Entry) => readonly Entry[],
): readonly Entry[] {
  return list.some(isSame) ? list.map((other) => (isSame(other) ? entry : other)) : add(list, entry);
}

const byUnit = (left: { reactor_unit: string }, right: { reactor_unit: string }): number =>
  left.reactor_unit < right.reactor_unit ? -1 : 1;

/** The list with a new or changed experiment; a new one is the newest. */
export const withExperiment = (list: readonly Experiment[], experiment: Experiment): readonly Experiment[] =>
  upsert(
    list,
    experiment,
    (other) => other.experiment === experiment.experiment,
    (others, added) => [added, ...others],
  );

export const withoutExperiment = (list: readonly Experiment[], name: string): readonly Experiment[] =>
  list.filter(({ experiment }) => experiment !== name);

export const withWorker = (list: readonly Worker[], worker: Worker): readonly Worker[] =>
  upsert(
    list,
    worker,
    (other) => other.reactor_unit === worker.reactor_unit,
    (others, added) => [...others, added].sort(byUnit),
  );

export const withoutUnit = <Entry extends { readonly reactor_unit: string }>(
  list: readonly Entry[],
  unit: string,
): readonly Entry[] => list.filter(({ reactor_unit }) => reactor_unit !== unit);

export const withAssignment = (list: readonly Assignment[], assignment: Assignment): readonly Assignment[] =>
  upsert(
    list,
    assignment,
    (other) => other.reactor_unit === assignment.reactor_unit,
    (others, added) => [...others, added].sort(byUnit),
  );

/** The effect of a changed worker on the assignments: its activity; a new worker is free. */
export function withActivityOf(list: readonly Assignment[], worker: Worker): readonly Assignment[] {
  const { reactor_unit, is_active } = worker;
  const experiment = list.find((entry) => entry.reactor_unit === reactor_unit)?.experiment ?? null;
  return withAssignment(list, { reactor_unit, is_active, experiment });
}

/** The workers of a deleted experiment are free. */
export const withFreedWorkers = (list: readonly Assignment[], experiment: string): readonly Assignment[] =>
  list.map((entry) => (entry.experiment === experiment ? { ...entry, experiment: null } : entry));

/** The open alarms after one has changed, the newest first; a cleared alarm is removed. */
export function withAlarm(list: readonly Alarm[], alarm: Alarm): readonly Alarm[] {
  const isSame = ({ alarm_id }: Alarm) => alarm_id === alarm.alarm_id;
  if (alarm.state === 'cleared') return list.filter((other) => !isSame(other));
  return upsert(list, alarm, isSame, (others, added) => [added, ...others]);
}

export const withUnit = (list: readonly UnitStatus[], unit: UnitStatus): readonly UnitStatus[] =>
  upsert(
    list,
    unit,
    (other) => other.reactor_unit === unit.reactor_unit,
    (others, added) => [...others, added].sort(byUnit),
  );

interface JobIdentity {
  readonly reactor_unit: string;
  readonly job_id: number;
}
const isSameJob = (left: JobIdentity, right: JobIdentity): boolean =>
  left.reactor_unit === right.reactor_unit && left.job_id === right.job_id;

/** The jobs after one changed its state; a job that ended is removed with its settings. */
export function withJobState(list: readonly LiveJob[], change: JobStateChange): readonly LiveJob[] {
  if (change.state === 'disconnected') return list.filter((job) => !isSameJob(job, change));
  const settings = list.find((job) => isSameJob(job, change))?.settings ?? {};
  return upsert(
    list,
    { ...change, settings },
    (other) => isSameJob(other, change),
    (others, added) => [...others, added],
  );
}

/** The jobs after one published a setting; a setting of an unknown job is ignored. */
export const withSetting = (list: readonly LiveJob[], change: SettingChange): readonly LiveJob[] =>
  list.map((job) => {
    if (!isSameJob(job, change)) return job;
    const { [change.setting]: _, ...others } = job.settings;
    return { ...job, settings: change.value === null ? others : { ...others, [change.setting]: change.value } };
  });
