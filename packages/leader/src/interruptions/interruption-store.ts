import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { LeaderSchema } from '../core/leader-context.ts';

/** The start of a page: after this row, in the order of pages. */
export interface InterruptionCursor {
  readonly at: number;
  /** The table of the row: 0 `gaps`, 1 `events`. */
  readonly table: number;
  readonly id: number;
}

/** The filter of a query; an absent field does not filter. */
export interface InterruptionFilter {
  /** Absent: all workers, in any experiment. */
  readonly experimentId?: number;
  readonly unit?: string;
  readonly kind?: StoredInterruption['kind'];
  /** Milliseconds: ended after this time, begun before the other. */
  readonly since?: number;
  readonly until?: number;
  readonly before?: InterruptionCursor;
  readonly limit: number;
}

export interface StoredInterruption {
  readonly id: number;
  readonly table: number;
  readonly kind: 'unit_off' | 'unit_stopped' | 'records_lost';
  readonly reactor_unit: string;
  readonly from_at: number | null;
  /** The end, in milliseconds. */
  readonly at: number;
  readonly clock_unset: 0 | 1;
  readonly reason: string | null;
  readonly records: number | null;
  /** JSON. */
  readonly dropped: string | null;
  /** JSON: what the unit reported about its jobs in the run that ended the interruption. */
  readonly jobs: string | null;
}

const farMs = Number.MAX_SAFE_INTEGER;

/** The times at which a unit counts: while it was in the experiment. */
function spansOf({ experimentId, unit }: InterruptionFilter): RawBuilder<unknown> {
  const ofUnit = unit === undefined ? sql`true` : sql`reactor_unit = ${unit}`;
  return experimentId === undefined
    ? sql`select reactor_unit, ${-farMs} as begins, ${farMs} as ends from workers where ${ofUnit}`
    : sql`select reactor_unit, assigned_at as begins, coalesce(unassigned_at, ${farMs}) as ends
        from assignment_history where experiment_id = ${experimentId} and ${ofUnit}`;
}

function conditionsOf({ kind, since, until, before }: InterruptionFilter): RawBuilder<unknown> {
  return sql.join(
    [
      sql`true`,
      ...(kind === undefined ? [] : [sql`kind = ${kind}`]),
      ...(since === undefined ? [] : [sql`at >= ${since}`]),
      ...(until === undefined ? [] : [sql`coalesce(from_at, at) < ${until}`]),
      ...(before === undefined ? [] : [sql`(at, "table", id) < (${before.at}, ${before.table}, ${before.id})`]),
    ],
    sql` and `,
  );
}

/**
 * The query of a page: starts of nodes with the time since their last record, and gaps. A unit has few of both, found by their indexes; the
 * later states of jobs are looked up for the page only.
 */
export function interruptionQuery(filter: InterruptionFilter): RawBuilder<StoredInterruption> {
  return sql<StoredInterruption>`
    with spans as (${spansOf(filter)}),
    found as (
      select v.id as id, 1 as "table",
        case cast(json_extract(v.data, '$.clean') as integer) when 1 then 'unit_stopped' else 'unit_off' end as kind,
        v.reactor_unit as reactor_unit, cast(json_extract(v.data, '$.last_record_at') as integer) as from_at, v.at as at,
        coalesce(cast(json_extract(v.data, '$.last_record_unsynced') as integer), 0) as clock_unset,
        null as reason, null as records, null as dropped
      from spans s cross join events v indexed by events_by_experiment on v.reactor_unit = s.reactor_unit
      where v.experiment_uid = '$experiment' and v.name = 'node_started' and v.at >= s.begins
        and json_type(v.data, '$.last_record_at') = 'integer' and cast(json_extract(v.data, '$.last_record_at') as integer) < s.ends
      union
      select g.id, 0, 'records_lost', g.reactor_unit, g.from_at, coalesce(g.to_at, g.from_at), 0,
        g.reason, g.to_seq - g.from_seq + 1, g.dropped
      from spans s cross join gaps g on g.reactor_unit = s.reactor_unit
      where coalesce(g.to_at, g.from_at) >= s.begins and coalesce(g.from_at, g.to_at) < s.ends
    ),
    page as (
      select * from found where ${conditionsOf(filter)}
      order by at desc, "table" desc, id desc limit ${filter.limit}
    )
    select p.*, (
      select r.data from events v join events r indexed by events_by_experiment
        on r.experiment_uid = '$experiment' and r.name = 'jobs_resumed' and r.reactor_unit = v.reactor_unit
        and r.machine_id = v.machine_id and r.boot = v.boot
      where v.id = p.id and p."table" = 1 order by r.mono desc limit 1
    ) as jobs
    from page p order by p.at desc, p."table" desc, p.id desc`;
}

/** A page of interruptions, the newest end first. */
export async function readInterruptions(
  reads: Kysely<LeaderSchema>,
  filter: InterruptionFilter,
): Promise<readonly StoredInterruption[]> {
  return (await interruptionQuery(filter).execute(reads)).rows;
}
