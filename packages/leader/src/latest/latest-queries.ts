import { type RawBuilder, sql } from 'kysely';

/** The series that an overview of all units shows. */
const latestSources = [
  ...['od', 'od_filtered', 'growth_rate', 'growth_rate_sd', 'temperature', 'stirring_rpm', 'liquid_volume'],
] as const;

export interface AssignedRow {
  readonly reactor_unit: string;
  readonly experiment: string;
  readonly label: string | null;
}

export interface ReadingRow {
  readonly reactor_unit: string;
  readonly source: string;
  readonly channel: string | null;
  readonly at: number;
  readonly value: number;
  readonly flags: number | null;
}

export interface DoseRow {
  readonly reactor_unit: string;
  readonly at: number;
  /** JSON. */
  readonly data: string;
}

export interface MeanRow {
  readonly reactor_unit: string;
  readonly experiment: string;
  readonly channel: string | null;
  /** The position of the interval, from 0. */
  readonly slot: number;
  readonly mean: number;
}

/** Joined by `cross join`, which keeps the order: few units, and then their rows by key. */
const assigned = sql`assignments a join experiments e on e.id = a.experiment_id and e.deleting_at is null`;

export const assignedUnits: RawBuilder<AssignedRow> = sql`
  select a.reactor_unit, e.name as experiment, l.label
  from ${assigned}
  left join unit_labels l on l.experiment_id = e.id and l.reactor_unit = a.reactor_unit
  order by a.reactor_unit`;

/** The newest reading of each series, by the ends of the keys. */
export const latestReadings: RawBuilder<ReadingRow> = sql`
  select a.reactor_unit, s.source, s.channel, x.at, x.value, f.flags
  from ${assigned}
  cross join series s on s.experiment_uid = e.uid and s.source in (${sql.join(latestSources)})
    and s.unit = a.reactor_unit and s.hidden = 0
  cross join samples x on x.series_id = s.id and x.at = (select max(at) from samples where series_id = s.id)
  left join sample_flags f on f.series_id = s.id and f.at = x.at
  order by a.reactor_unit, s.source, s.channel nulls first, x.at`;

/** A pump never runs longer at a time. */
const longestPumpRunMs = 120_000;

const intoVial = sql`json_extract(d.data, '$.event') in ('add_media', 'add_alt_media')`;

const lastIntoVial = sql`
  select d.at from events d indexed by events_by_experiment
  where d.experiment_uid = e.uid and d.name = 'dosing' and d.reactor_unit = a.reactor_unit and ${intoVial}
    and cast(json_extract(d.data, '$.volume_change_ml') as real) > 0
  order by d.at desc limit 1`;

/** The last events of each unit that put liquid into its vial, in the order of time; those that take back what was not pumped are negative. */
export const lastDoses: RawBuilder<DoseRow> = sql`
  select a.reactor_unit, d.at, d.data
  from ${assigned}
  cross join events d indexed by events_by_experiment
    on d.experiment_uid = e.uid and d.name = 'dosing' and d.reactor_unit = a.reactor_unit
    and d.at > (${lastIntoVial}) - ${longestPumpRunMs} and ${intoVial}
  order by a.reactor_unit, d.at, d.id`;

/** Means of equal intervals, from the buckets of one level. Their width divides the interval. */
export const intervalMeans = (
  source: string,
  {
    table,
    from,
    to,
    intervalMs,
  }: { readonly table: string; readonly from: number; readonly to: number; readonly intervalMs: number },
): RawBuilder<MeanRow> => sql`
  select a.reactor_unit, e.name as experiment, s.channel, cast((r.bucket - ${from}) / ${intervalMs} as integer) as slot,
    sum(r.sum) / sum(r.n) as mean
  from ${assigned}
  cross join series s on s.experiment_uid = e.uid and s.source = ${source} and s.unit = a.reactor_unit and s.hidden = 0
  cross join ${sql.table(table)} r on r.series_id = s.id and r.bucket >= ${from} and r.bucket < ${to}
  group by a.reactor_unit, e.name, s.channel, slot
  order by a.reactor_unit, s.channel nulls first, slot`;
