import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { LeaderSchema } from '../core/leader-context.ts';
import {
  type LedgerOfRun,
  ledgerOfRun,
  type RunLedgerRow,
  runIsSwitchedOff,
  runLedger,
  runsUntilNext,
} from '../series/pumped-runs.ts';

/** The start of a page: actuations before this time, or at this time with a smaller ID. */
export interface ActuationCursor {
  readonly at: number;
  readonly id: number;
}

/** The filter of a query; an absent field does not filter. */
export interface ActuationFilter {
  readonly unit?: string;
  readonly experimentUid?: string;
  readonly output?: string;
  /** Milliseconds: from this time on, and before the other. */
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

/** A plan that is fast for any time window, which the query planner cannot know. */
function indexFor({ unit, experimentUid, output }: ActuationFilter): string {
  const of = unit !== undefined ? 'unit' : experimentUid === undefined ? undefined : 'experiment';
  if (of === undefined) return 'actuations_by_time';
  return output === undefined ? `actuations_by_${of}` : `actuations_by_${of}_output`;
}

/** The query of a page. The name is a literal in it: otherwise SQLite cannot use the partial indexes of actuations. */
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

/** What the ledger has of runs of pumps. */
const runLedgerQuery = (ids: readonly number[]): RawBuilder<RunLedgerRow & { readonly id: number }> => sql<
  RunLedgerRow & { readonly id: number }
>`
  with page as materialized (
    select v.id, v.at, v.experiment_uid, v.reactor_unit, json_extract(v.data, '$.output') as output
    from events v where v.id in (${sql.join(ids)})),
  ${runsUntilNext(sql.ref('page'))}
  select p.id, ${runLedger} as ledger, ${runIsSwitchedOff} as is_switched_off from runs p`;

/** What pumps have moved by their ledgers, by the actuation that began each run. */
export async function readRunLedgers(
  reads: Kysely<LeaderSchema>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, LedgerOfRun>> {
  if (ids.length === 0) return new Map();
  const { rows } = await runLedgerQuery(ids).execute(reads);
  return new Map(
    rows.flatMap((row) => {
      const own = ledgerOfRun(row);
      return own === null ? [] : [[row.id, own] as const];
    }),
  );
}

/** A page of actuations, newest first. */
export async function readActuations(
  reads: Kysely<LeaderSchema>,
  filter: ActuationFilter,
): Promise<readonly StoredActuation[]> {
  return (await actuationQuery(filter).execute(reads)).rows;
}
