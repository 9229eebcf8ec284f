import { type Kysely, sql } from 'kysely';
import type { LeaderSchema } from '../core/leader-context.ts';

/** So few that a command waits only some ten milliseconds behind such a transaction. */
export const rowsPerTransaction = 5_000;

/** Counting ends here: the display of progress does not justify a long read. */
const countLimit = 200_000;

/**
 * Tables with possibly many rows of one experiment, each with its key column. Small tables are cleared with the experiment's row, by their
 * foreign keys.
 */
export const largeTables = [
  { table: 'logs', key: 'id' },
  { table: 'unit_labels', key: 'reactor_unit' },
] as const;

type LargeTable = (typeof largeTables)[number];

/** Removes at most `rowsPerTransaction` rows of an experiment. */
export const removeSomeRows = ({ table, key }: LargeTable, experimentId: number) =>
  sql`delete from ${sql.table(table)} where experiment_id = ${experimentId} and ${sql.ref(key)} in (
    select ${sql.ref(key)} from ${sql.table(table)} where experiment_id = ${experimentId} limit ${rowsPerTransaction}
  )`;

/** Counts the rows of an experiment, up to a limit. */
export const countRows = ({ table }: LargeTable, experimentId: number) =>
  sql<{ rows: number }>`select count(*) as rows from (
    select 1 from ${sql.table(table)} where experiment_id = ${experimentId} limit ${countLimit}
  )`;

/** The number of rows of an experiment; undefined when counting would take too long. */
export async function rowsToRemove(database: Kysely<LeaderSchema>, experimentId: number): Promise<number | undefined> {
  const counts = await Promise.all(
    largeTables.map(async (large) => (await countRows(large, experimentId).execute(database)).rows[0]?.rows ?? 0),
  );
  return counts.some((count) => count >= countLimit) ? undefined : counts.reduce((sum, count) => sum + count, 0);
}
