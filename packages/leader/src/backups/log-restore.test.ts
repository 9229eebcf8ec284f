import { readRestoreRecord, writeRestoreRecord } from '@lcs/node';
import { expect, it } from 'vitest';
import { startTestLeader } from '../testing/test-leader.ts';
import { restoreLog } from './log-restore.ts';

const record = {
  backup: '/mnt/backup-lead-1',
  version: '26.11.0',
  created_at: Date.UTC(2026, 4, 1),
  restored_at: Date.UTC(2026, 4, 2),
  set_aside: null,
};

it.each([
  [true, 1],
  [false, 2],
])(
  'the first start after a restore logs it once, and warns when nobody has an account (people: %s)',
  async (hasPeople, entries) => {
    await using leader = await startTestLeader();
    const { context } = leader;
    await writeRestoreRecord(context.dataFolder, record);
    const logged = () => context.database.read.selectFrom('logs').select(['task', 'level', 'message']).execute();
    const signal = new AbortController().signal;
    await restoreLog({ context, access: { hasPeople } }).start(signal);
    const first = await logged();
    expect(first).toHaveLength(entries);
    expect(first[0]).toMatchObject({
      task: 'restore',
      level: 'WARNING',
      message: expect.stringContaining(record.backup),
    });
    expect(await readRestoreRecord(context.dataFolder)).toBeUndefined();
    await restoreLog({ context, access: { hasPeople } }).start(signal);
    expect(await logged()).toHaveLength(entries);
  },
);
