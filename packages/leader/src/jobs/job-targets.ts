import { ApiError, profileJobName } from '@lcs/contract';
import { type LeaderContext, systemExperiment } from '../core/leader-context.ts';
import {
  addressedUnits,
  broadcast,
  expectKnown,
  namesIn,
  type Surface,
  withLeader,
} from '../queries/addressed-units.ts';
import { workersOfExperiment } from '../queries/assignments.ts';
import { experimentKey } from '../queries/experiments.ts';
import { allWorkers, workerNames } from '../queries/workers.ts';

type Needs = Pick<LeaderContext, 'leader' | 'database'>;

/** Which units a request addresses: one, all (`$broadcast`), or some of all. */
interface Addressed {
  readonly surface: Surface;
  readonly unit: string;
  /** With `$broadcast`: names separated by commas; undefined: all. */
  readonly chosen?: string | undefined;
}

/** The names that a request chooses among all units; undefined: it chooses none. */
const chosenNames = ({ unit, chosen }: Pick<Addressed, 'unit' | 'chosen'>): readonly string[] | undefined =>
  unit === broadcast && chosen !== undefined ? namesIn(chosen) : undefined;

/** A unit on which a job is started. */
export interface StartTarget {
  readonly unit: string;
  /** The model that the unit receives; null when it is unknown. */
  readonly model: { readonly name: string; readonly version: string } | null;
}

/** Jobs that run on the leader for the whole cluster; they need no worker. */
const leaderOnlyJobs: ReadonlySet<string> = new Set([
  profileJobName,
  'mqtt_to_db_streaming',
  'backup_database',
  'export_experiment_data',
]);

const rowsOf = ({ database }: Needs, experiment: string) =>
  (experiment === systemExperiment
    ? allWorkers(database.read)
    : workersOfExperiment(database.read, experiment)
  ).execute();

/** @throws ApiError worker_not_in_experiment for a chosen unit that the request may not address */
function expectChosen(names: readonly string[], addressable: readonly string[], experiment: string): void {
  for (const unit of names)
    if (!addressable.includes(unit)) throw new ApiError('worker_not_in_experiment', { unit, experiment });
}

const isForLeader = (
  { leader }: Pick<Needs, 'leader'>,
  { surface, unit, job }: Addressed & { readonly job: string },
): boolean => surface === 'units' && unit === leader && leaderOnlyJobs.has(job.split(' ', 1)[0] ?? '');

/**
 * An experiment that has ended may still have its workers: their jobs do not start. Jobs of the leader do, such as an export.
 * @throws ApiError job_experiment_ended
 */
export async function expectOngoing(
  context: Needs,
  { experiment, ...addressed }: Addressed & { readonly job: string; readonly experiment: string },
): Promise<void> {
  if (isForLeader(context, addressed)) return;
  const found = await experimentKey(context.database.read, experiment).select('ended_at').executeTakeFirst();
  if (found !== undefined && found.ended_at !== null) throw new ApiError('job_experiment_ended', { experiment });
}

/**
 * The units of a start: active workers of the experiment (of any, for `$experiment`), or the leader for its own jobs.
 * @throws ApiError job_target_not_found when there is none; worker_not_in_experiment, job_target_inactive for a chosen unit
 */
export async function startTargets(
  context: Needs,
  { surface, unit, chosen, job, experiment }: Addressed & { job: string; experiment: string },
): Promise<readonly StartTarget[]> {
  if (isForLeader(context, { surface, unit, job })) return [{ unit, model: null }];
  const rows = await rowsOf(context, experiment);
  const names = chosenNames({ unit, chosen });
  const members = rows.map(({ reactor_unit }) => reactor_unit);
  expectChosen(names ?? [], members, experiment);
  const wanted = names ?? (unit === broadcast ? members : [unit]);
  const addressed = rows.filter(({ reactor_unit }) => wanted.includes(reactor_unit));
  const inactive = addressed.find(({ is_active }) => is_active !== 1);
  if (names !== undefined && inactive !== undefined)
    throw new ApiError('job_target_inactive', { unit: inactive.reactor_unit });
  const targets = addressed.filter(({ is_active }) => is_active === 1);
  if (targets.length === 0) throw new ApiError('job_target_not_found', { unit, experiment });
  return targets.map(({ reactor_unit, model_name, model_version }) => ({
    unit: reactor_unit,
    model: model_name && model_version ? { name: model_name, version: model_version } : null,
  }));
}

/**
 * The units on which a job of an experiment is stopped. Units that are named need not belong to the experiment any more: jobs that still run
 * there must be stopped, too, and a unit that has left must not keep the others from being stopped.
 * @throws ApiError unit_unknown; worker_not_in_experiment for a chosen unit that is no worker
 */
export async function stopTargets(
  context: Needs,
  { surface, unit, chosen, experiment }: Addressed & { experiment: string },
): Promise<readonly string[]> {
  if (unit !== broadcast) return oneStopTarget(context, unit);
  const names = chosenNames({ unit, chosen });
  const workers = await (names === undefined ? workersOf(context, experiment) : workerNames(context.database.read));
  const addressable = surface === 'workers' ? workers : withLeader(context.leader, workers);
  expectChosen(names ?? [], addressable, experiment);
  return names ?? addressable;
}

/**
 * The unit of a stop that names one. A stop is taken for the leader by the routes of workers, too.
 * @throws ApiError unit_unknown
 */
export const oneStopTarget = (context: Needs, unit: string): Promise<readonly string[]> =>
  addressedUnits(context, 'units', unit);

/**
 * The units whose job of an experiment is read or changed.
 * @throws ApiError worker_not_in_experiment for one unit that does not belong to it
 */
export async function memberTargets(
  context: Needs,
  { unit, chosen, experiment }: Omit<Addressed, 'surface'> & { experiment: string },
): Promise<readonly string[]> {
  const workers = await workersOf(context, experiment);
  const names = chosenNames({ unit, chosen });
  expectChosen(names ?? [], workers, experiment);
  if (unit === broadcast) return names ?? workers;
  if (!workers.includes(unit)) throw new ApiError('worker_not_in_experiment', { unit, experiment });
  return [unit];
}

/**
 * The units whose job is changed: as `memberTargets`, but an unknown unit is an error of the request, and under `/api/units` the leader may
 * change its own jobs.
 * @throws ApiError unit_unknown, worker_not_in_experiment
 */
export async function updateTargets(
  context: Needs,
  { surface, unit, chosen, experiment }: Addressed & { experiment: string },
): Promise<readonly string[]> {
  if (unit !== broadcast) await expectKnown(context, unit);
  if (surface === 'units' && unit === context.leader) return [unit];
  return memberTargets(context, { unit, chosen, experiment });
}

async function workersOf(context: Needs, experiment: string): Promise<readonly string[]> {
  if (experiment === systemExperiment) return workerNames(context.database.read);
  const rows = await workersOfExperiment(context.database.read, experiment).execute();
  return rows.map(({ reactor_unit }) => reactor_unit);
}
