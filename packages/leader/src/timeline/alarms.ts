import { type AlarmSeverity, alarmSeverities } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import { type RawBuilder, sql } from 'kysely';
import type { LeaderReader } from '../queries/experiments.ts';
import { type FoundEntry, type TimelineFilter, withoutFacts } from './timeline-source.ts';

interface AlarmRow {
  readonly id: number;
  readonly at: number;
  readonly alarm_id: string;
  readonly severity: string;
  readonly reactor_unit: string | null;
  readonly message: string;
  readonly until: number | null;
}

/** Alarms of the experiment, and of its units while they were in it. */
const alarmsQuery = (filter: TimelineFilter): RawBuilder<AlarmRow> => {
  const { experimentId, unit, since, until, before, limit } = filter;
  return sql<AlarmRow>`
    select a.id, a.since as at, a.alarm_id, a.severity, a.reactor_unit, a.message,
      coalesce(a.returned_at, a.cleared_at) as until
    from alarms a
    where (a.experiment_id = ${experimentId}
        or a.experiment_id is null and a.reactor_unit is not null and exists (
          select 1 from assignment_history h
          where h.experiment_id = ${experimentId} and h.reactor_unit = a.reactor_unit
            and a.since >= h.assigned_at and a.since < coalesce(h.unassigned_at, ${Number.MAX_SAFE_INTEGER})))
      ${unit === undefined ? sql`` : sql`and a.reactor_unit = ${unit}`}
      ${since === undefined ? sql`` : sql`and a.since >= ${since}`}
      ${until === undefined ? sql`` : sql`and a.since < ${until}`}
      ${before === undefined ? sql`` : sql`and (a.since, a.id) < (${before.at}, ${before.id})`}
    order by a.since desc, a.id desc limit ${limit}`;
};

const severityOf = (text: string): AlarmSeverity => alarmSeverities.find((one) => one === text) ?? 'warning';

/** Alarms, at their beginning. */
export async function readAlarms(reads: LeaderReader, filter: TimelineFilter): Promise<readonly FoundEntry[]> {
  if (filter.by !== undefined) return [];
  const { rows } = await alarmsQuery(filter).execute(reads);
  return rows.map(({ id, at, alarm_id, severity, reactor_unit, message, until }) => ({
    id,
    at,
    entry: {
      ...withoutFacts,
      entry_id: `alarm-${id}`,
      kind: 'alarm',
      at: toTimestamp(at),
      until: until === null ? null : toTimestamp(until),
      reactor_unit,
      text: message,
      alarm_id,
      severity: severityOf(severity),
    },
  }));
}
