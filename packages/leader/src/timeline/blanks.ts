import { blankEventName, blankValues } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import { type RawBuilder, sql } from 'kysely';
import { blankIn } from '../queries/blank-events.ts';
import type { LeaderReader } from '../queries/experiments.ts';
import { type FoundEntry, type TimelineFilter, withoutFacts } from './timeline-source.ts';

interface BlankRow {
  readonly id: number;
  readonly at: number;
  readonly reactor_unit: string;
  /** JSON. */
  readonly data: string;
}

const blanksQuery = (filter: TimelineFilter): RawBuilder<BlankRow> => {
  const { experimentUid, unit, since, until, before, limit } = filter;
  return sql<BlankRow>`
    select v.id, v.at, v.reactor_unit, v.data from events v indexed by events_by_experiment
    where v.experiment_uid = ${experimentUid} and v.name = ${blankEventName}
      ${unit === undefined ? sql`` : sql`and v.reactor_unit = ${unit}`}
      ${since === undefined ? sql`` : sql`and v.at >= ${since}`}
      ${until === undefined ? sql`` : sql`and v.at < ${until}`}
      ${before === undefined ? sql`` : sql`and (v.at, v.id) < (${before.at}, ${before.id})`}
    order by v.at desc, v.id desc limit ${limit}`;
};

/** A blank in words, and what was wrong with it when a person kept it all the same. */
function blankEntry(data: string): { readonly text: string; readonly why: string | null } {
  const blank = blankIn(data);
  if (blank === null) return { text: 'Blank removed', why: null };
  const { means, problems } = blank;
  const kept = problems.length === 0 ? '' : ', kept in spite of a warning';
  return { text: `Blank: ${blankValues(means)}${kept}`, why: problems.join(' ') || null };
}

/** Blanks that were kept and removed: each reading after it depends on them. Who did it is an action. */
export async function readBlanks(reads: LeaderReader, filter: TimelineFilter): Promise<readonly FoundEntry[]> {
  if (filter.by !== undefined) return [];
  const { rows } = await blanksQuery(filter).execute(reads);
  return rows.map(({ id, at, reactor_unit, data }) => ({
    id,
    at,
    entry: {
      ...withoutFacts,
      ...blankEntry(data),
      entry_id: `blank-${id}`,
      kind: 'setting',
      at: toTimestamp(at),
      reactor_unit,
    },
  }));
}
