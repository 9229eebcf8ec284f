import type { Json } from '@lcs/contract';
import type { LeaderReader } from '../queries/experiments.ts';
import type { UnitJobs } from './unit-jobs.ts';

/** A job that ran, by the last stored records of its unit. */
export interface StoredJob {
  readonly experiment_uid: string;
  readonly job_id: number;
  readonly job_name: string;
}

/** The jobs that ran on a unit at its last answer. */
export async function storedRunningJobs(database: LeaderReader, unit: string): Promise<readonly StoredJob[]> {
  return database
    .selectFrom('last_known')
    .where('reactor_unit', '=', unit)
    .where('setting', '=', '$state')
    .where('value', 'in', ['"init"', '"ready"', '"sleeping"'])
    .select(['experiment_uid', 'job_id', 'job_name'])
    .execute();
}

/** Adds the stored settings to jobs that ran before this leader started. */
export async function restoreSettings(database: LeaderReader, jobs: UnitJobs, unit: string): Promise<void> {
  const ids = jobs.idsOf(unit);
  if (ids.length === 0) return;
  const rows = await database
    .selectFrom('last_known')
    .where('reactor_unit', '=', unit)
    .where('job_id', 'in', ids)
    .where('setting', '!=', '$state')
    .select(['job_id', 'setting', 'value'])
    .execute();
  const settings = new Map<number, [string, Json][]>();
  for (const { job_id, setting, value } of rows) {
    const of = settings.get(job_id) ?? [];
    const read: Json = JSON.parse(value);
    if (read !== null) of.push([setting, read]);
    settings.set(job_id, of);
  }
  for (const [id, known] of settings) jobs.restoreSettings(unit, id, Object.fromEntries(known));
}
