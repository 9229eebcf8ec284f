import { DatabaseSync } from 'node:sqlite';
import { PostgresSqlReader } from './postgres/postgres-sql-reader.ts';
import type { SqlReader, StorePlace } from './sql-reader.ts';

export { ViewsReader } from './postgres/views-reader.ts';
export type { SqlReader, SqlStatement, StorePlace } from './sql-reader.ts';

interface SqlReaderOptions {
  /** How long a query waits while another process recreates the journal of SQLite. */
  readonly timeoutMs: number;
  /** Memory for pages of SQLite. */
  readonly cacheKib?: number;
}

/** @throws StoreError connection_lost */
export function openSqlReader(place: StorePlace, { timeoutMs, cacheKib }: SqlReaderOptions): SqlReader {
  if ('url' in place) return new PostgresSqlReader(place);
  const connection = new DatabaseSync(place.path, { readOnly: true, timeout: timeoutMs });
  if (cacheKib !== undefined) connection.exec(`pragma cache_size = -${cacheKib}`);
  return connection;
}
