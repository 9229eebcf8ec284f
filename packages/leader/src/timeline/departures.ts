import { toTimestamp } from '@lcs/platform';
import { type RawBuilder, sql } from 'kysely';
import type { LeaderReader } from '../queries/experiments.ts';
import { type FoundEntry, type TimelineFilter, withoutFacts } from './timeline-source.ts';

interface DepartureRow {
  readonly at: number;
  readonly reactor_unit: string;
}

/** Units that were assigned to another experiment: that ends their assignment to this one at the same moment. */
const departuresQuery = (filter: TimelineFilter): RawBuilder<DepartureRow> => {
  const { experimentId, unit, since, until, before, limit } = filter;
  return sql<DepartureRow>`
    select h.unassigned_at as at, h.reactor_unit
    from assignment_history h indexed by assignment_history_by_experiment
    where h.experiment_id = ${experimentId} and h.unassigned_at is not null
      ${unit === undefined ? sql`` : sql`and h.reactor_unit = ${unit}`}
      ${since === undefined ? sql`` : sql`and h.unassigned_at >= ${since}`}
      ${until === undefined ? sql`` : sql`and h.unassigned_at < ${until}`}
      ${before === undefined ? sql`` : sql`and (h.unassigned_at, 0) < (${before.at}, ${before.id})`}
      and exists (select 1 from assignment_history n
        where n.reactor_unit = h.reactor_unit and n.experiment_id <> h.experiment_id and n.assigned_at = h.unassigned_at)
    order by h.unassigned_at desc, h.reactor_unit limit ${limit}`;
};

/** Units that moved to another experiment. Who moved them is an action of that one. */
export async function readDepartures(reads: LeaderReader, filter: TimelineFilter): Promise<readonly FoundEntry[]> {
  if (filter.by !== undefined) return [];
  const { rows } = await departuresQuery(filter).execute(reads);
  return rows.map(({ at, reactor_unit }) => ({
    at,
    // Behind the actions of the same moment, whose IDs are of another table.
    id: 0,
    entry: {
      ...withoutFacts,
      entry_id: `departure-${reactor_unit}-${at}`,
      kind: 'action',
      at: toTimestamp(at),
      reactor_unit,
      text: 'Moved to another experiment: its jobs of this one were stopped',
    },
  }));
}
