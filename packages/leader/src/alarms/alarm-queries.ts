import type { Json } from '@lcs/contract';
import { sql } from 'kysely';
import type { LeaderReader } from '../queries/experiments.ts';
import type { SignalEvent } from './alarm-facts.ts';

/** An active worker that has enrolled once. */
export interface WatchedUnit {
  readonly unit: string;
  /** The name of its experiment. */
  readonly experiment: string | null;
  readonly modelName: string | null;
  readonly modelVersion: string | null;
}

/** All of them. A worker that has never enrolled is not monitored. */
export const watchedUnits = async (database: LeaderReader): Promise<readonly WatchedUnit[]> =>
  (
    await database
      .selectFrom('workers as w')
      .innerJoin('enrolments as n', 'n.reactor_unit', 'w.reactor_unit')
      .leftJoin('assignments as a', 'a.reactor_unit', 'w.reactor_unit')
      // Nothing is expected of an experiment that has ended, although its units may stay in it.
      .leftJoin('experiments as e', (join) => join.onRef('e.id', '=', 'a.experiment_id').on('e.ended_at', 'is', null))
      .where('w.is_active', '=', 1)
      .orderBy('w.reactor_unit')
      .select(['w.reactor_unit', 'w.model_name', 'w.model_version', 'e.name'])
      .execute()
  ).map(({ reactor_unit, name, model_name, model_version }) => ({
    unit: reactor_unit,
    experiment: name,
    modelName: model_name,
    modelVersion: model_version,
  }));

interface StoreRow {
  readonly unit: string;
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly lastMs: number;
}

/** Units with missing records for which the unit gave no reason, or with refused records. */
export const gapRows = async (database: LeaderReader): Promise<readonly StoreRow[]> =>
  (
    await database
      .selectFrom('gaps')
      .where('reason', 'in', ['unexplained', 'series_limit'])
      .groupBy('reactor_unit')
      .select(({ fn }) => ['reactor_unit', fn.countAll<number>().as('count'), fn.max('to_at').as('last')])
      .execute()
  ).map(({ reactor_unit, count, last }) => ({ unit: reactor_unit, count, lastMs: last ?? 0 }));

/** Units with readings of an unknown experiment. */
export const unknownExperimentRows = async (database: LeaderReader): Promise<readonly StoreRow[]> =>
  (
    await database
      .selectFrom('unknown_experiments')
      .groupBy('reactor_unit')
      .select(({ fn }) => ['reactor_unit', fn.countAll<number>().as('count'), fn.max('seen_at').as('last')])
      .execute()
  ).map(({ reactor_unit, count, last }) => ({ unit: reactor_unit, count, lastMs: last }));

/** The last report of each unit on its document. */
export const reportedDocuments = async (
  database: LeaderReader,
): Promise<readonly { readonly unit: string; readonly report: Json }[]> =>
  (
    await database
      .selectFrom('desired')
      .where('reported', 'is not', null)
      .select(['reactor_unit', 'reported'])
      .execute()
  ).map(({ reactor_unit, reported }) => ({ unit: reactor_unit, report: JSON.parse(reported ?? 'null') }));

/**
 * The newest event of each flag of each photodiode of each unit. The name is a literal in the query: otherwise SQLite cannot use the index
 * of these events.
 */
export async function newestSignalEvents(database: LeaderReader): Promise<readonly SignalEvent[]> {
  const { rows } = await sql<{ readonly unit: string; readonly experiment_uid: string; readonly data: string }>`
    select e.reactor_unit as unit, e.experiment_uid, e.data
    from (
      select reactor_unit, json_extract(data, '$.channel') as channel, json_extract(data, '$.flag') as flag, max(at) as at
      from events indexed by signal_events where name = 'signal_quality'
      group by reactor_unit, json_extract(data, '$.channel'), json_extract(data, '$.flag')) as newest
    cross join events e indexed by signal_events on e.name = 'signal_quality' and e.reactor_unit = newest.reactor_unit
      and json_extract(e.data, '$.channel') is newest.channel and json_extract(e.data, '$.flag') is newest.flag
      and e.at = newest.at`.execute(database);
  return rows.map(({ unit, experiment_uid, data }) => ({ unit, experiment_uid, data: JSON.parse(data) }));
}

/**
 * Jobs of these units that have ended without a reported failure. The reason of an end is in memory only; for ends before this start of the
 * leader, the store has only whether the job failed.
 */
export async function jobsEnded(
  database: LeaderReader,
  units: readonly string[],
): Promise<readonly { readonly unit: string; readonly job_name: string }[]> {
  if (units.length === 0) return [];
  const { rows } = await sql<{ readonly unit: string; readonly job_name: string }>`
    select k.unit, k.job_name from (
      select reactor_unit as unit, experiment_uid, job_name, job_id, value,
        row_number() over (partition by reactor_unit, job_name order by at desc) as place
      from last_known where reactor_unit in (${sql.join(units)}) and setting = '$state') k
    where k.place = 1 and k.value = '"disconnected"' and not exists (
      select 1 from events e where e.experiment_uid = k.experiment_uid and e.name = 'job_ended'
        and e.reactor_unit = k.unit and cast(json_extract(e.data, '$.job_id') as integer) = k.job_id)`.execute(
    database,
  );
  return rows;
}
