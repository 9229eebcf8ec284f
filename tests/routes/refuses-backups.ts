import type { LeaderUnderTest } from '@lcs/testkit';
import { expect } from 'vitest';

/**
 * Whether the leader makes no backups, because its store is in PostgreSQL: then the refusal is asserted, with its code and reason, and
 * nothing of a backup can be asserted after it.
 */
export async function refusesBackups(leader: LeaderUnderTest): Promise<boolean> {
  if (leader.engine === 'sqlite') return false;
  const ended = await leader.finished((await leader.api.call('createBackup')).expect(202));
  expect(ended).toMatchObject({
    status: 'failed',
    code: 'backup_failed',
    cause: expect.stringContaining('PostgreSQL'),
  });
  expect(await leader.client.listBackups({})).toMatchObject({ problem: expect.any(String), backups: [] });
  return true;
}
