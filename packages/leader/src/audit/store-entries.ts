import { type Kysely, sql, type Transaction } from 'kysely';
import type { AuditRecord, ChainEnd } from './audit-entry.ts';
import type { AuditTables } from './audit-tables.ts';

/** In the order of the table. */
export const auditColumns = [
  ...(['seq', 'format', 'at', 'caller_kind', 'caller', 'caller_id', 'address', 'channel'] as const),
  ...(['operation', 'method', 'path', 'experiment', 'unit', 'job', 'body', 'before', 'after', 'reason'] as const),
  ...(['status', 'code', 'request_id', 'previous_hash', 'hash', 'units'] as const),
] satisfies readonly (keyof AuditRecord)[];

const columnList = sql.join(auditColumns.map((column) => sql.ref(column)));
const numberColumns: readonly string[] = ['seq', 'format', 'at', 'status'];
const storedValue = (column: string) =>
  numberColumns.includes(column)
    ? sql`cast(value ->> ${sql.lit(column)} as integer)`
    : sql`value ->> ${sql.lit(column)}`;
const valueList = sql.join(auditColumns.map(storedValue));

/** Stores links of the chain with one statement: entries of one moment cost one message to the writing thread. */
export async function insertEntries(
  transaction: Transaction<AuditTables>,
  links: readonly AuditRecord[],
): Promise<void> {
  const rows = JSON.stringify(links);
  await sql`insert into audit (${columnList}) select ${valueList} from json_each(${rows}) order by key`.execute(
    transaction,
  );
}

/** The last stored entry. */
export const chainEnd = (database: Kysely<AuditTables>): Promise<ChainEnd | undefined> =>
  database.selectFrom('audit').orderBy('seq', 'desc').limit(1).select(['seq', 'hash']).executeTakeFirst();
