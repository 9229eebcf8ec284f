import { sql } from 'kysely';
import type { LeaderTransaction } from '../core/leader-context.ts';

/**
 * Keeps the uid of an experiment that is being deleted for ever: what units still send for it is dropped, and not taken for
 * readings of an experiment nobody knows. Returns the uid; undefined when there is no such experiment any more.
 */
export async function rememberDeleted(transaction: LeaderTransaction, id: number): Promise<string | undefined> {
  await sql`insert into deleted_experiments (uid, name, deleted_at)
    select uid, name, deleting_at from experiments where id = ${id} and deleting_at is not null
    on conflict do nothing`.execute(transaction);
  const experiment = await transaction.selectFrom('experiments').where('id', '=', id).select('uid').executeTakeFirst();
  return experiment?.uid;
}
