import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { LeaderSchema } from '../core/leader-context.ts';

/** Where a page begins: actuations from before this moment, or of this moment with a smaller id. */
export interface ActuationCursor {
  readonly at: number;
  readonly id: number;
}

/** Which actuations are wanted. What is absent selects nothing out. */
export interface ActuationFilter {
  readonly unit?: string;
  readonly experimentUid?: string;
  readonly output?: string;
  /** Milliseconds: from this moment on, and up to before that one. */
  readonly since?: number;
  readonly until?: number;
  readonly before?: ActuationCursor;
  readonly limit: number;
}

export interface StoredActuation {
  readonly id: number;
  readonly at: number;
  readonly reactor_unit: string;
  readonly experiment: string;
  readonly source: string | null;
  /** JSON. */
  readonly data: string;
}

const system = '$experiment';

/** The way that is shortest whatever the times are, which the database cannot know. */
function indexFor({ unit, experimentUid, output }: ActuationFilter): string {
  const of = unit !== undefined ? 'unit' : experimentUid === undefined ? undefined : 'experiment';
  if (of === undefined) return 'actuations_by_time';
  return output === undefined ? `actuations_by_${of}` : `actuations_by_${of}_output`;
}

/** The query behind a page. The name stands in it as text, or the indexes of actuations cannot be used. */
export function actuationQuery(filter: ActuationFilter): RawBuilder<StoredActuation> {
  const { unit, experimentUid, output, since, until, before, limit } = filter;
  const conditions = [
    sql`v.name = 'actuation'`,
    ...(unit === undefined ? [] : [sql`v.reactor_unit = ${unit}`]),
    ...(experimentUid === undefined ? [] : [sql`v.experiment_uid = ${experimentUid}`]),
    ...(output === undefined ? [] : [sql`json_extract(v.data, '$.output') = ${output}`]),
    ...(since === undefined ? [] : [sql`v.at >= ${since}`]),
    ...(until === undefined ? [] : [sql`v.at < ${until}`]),
    ...(before === undefined ? [] : [sql`(v.at, v.id) < (${before.at}, ${before.id})`]),
  ];
  return sql<StoredActuation>`
    select v.id, v.at, v.reactor_unit, coalesce(e.name, v.experiment_uid) as experiment, v.source, v.data
    from events v indexed by ${sql.ref(indexFor(filter))} left join experiments e on e.uid = v.experiment_uid
    where ${sql.join(conditions, sql` and `)}
      and (v.experiment_uid = ${system} or (e.uid is not null and e.deleting_at is null))
    order by v.at desc, v.id desc limit ${limit}`;
}

/** A page of actuations, newest first. */
export async function readActuations(
  reads: Kysely<LeaderSchema>,
  filter: ActuationFilter,
): Promise<readonly StoredActuation[]> {
  return (await actuationQuery(filter).execute(reads)).rows;
}
