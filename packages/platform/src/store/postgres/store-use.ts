import { StoreError } from '../store-error.ts';
import type { PostgresConnection } from './postgres-connection.ts';

/** The server needs a moment to notice the end of a connection that had the lock. */
const longestWaitMs = 1_500;

async function lock(connection: PostgresConnection, name: string, schema: string): Promise<boolean> {
  await connection.script(`set lock_timeout = ${longestWaitMs}`);
  try {
    await connection.run({ text: `select ${name}(hashtext('lcs use'), hashtext($1::text))`, values: [schema] });
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'busy') return false;
    throw error;
  } finally {
    await connection.script('reset lock_timeout');
  }
}

/** Marks the store as in use until the connection ends, beside other users. @throws StoreError busy while it is being moved */
export async function useStore(connection: PostgresConnection, schema: string): Promise<void> {
  if (await lock(connection, 'pg_advisory_lock_shared', schema)) return;
  throw new StoreError('busy', 'The store is being moved by lcs migrate. Wait until that has ended.');
}

/** Keeps leaders from the store until the connection ends. False: one uses it. */
export const reserveStore = (connection: PostgresConnection, schema: string): Promise<boolean> =>
  lock(connection, 'pg_advisory_lock', schema);
