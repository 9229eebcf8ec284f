import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startTestLeader } from '../testing/test-leader.ts';
import { checkIntervalMs } from './backup-schedule.ts';
import { createBackups } from './create-backups.ts';

it('a second disk that is missing when a backup is due is reported, and tried again hours later', async () => {
  const place = await mkdtemp(join(tmpdir(), 'lcs-place-'));
  await using leader = await startTestLeader();
  const told: (string | null)[] = [];
  const { schedule } = createBackups({
    context: leader.context,
    version: '26.11.0',
    place: { folder: join(place, 'drive'), isSecond: true },
    config: () => ({}),
    report: (problem) => told.push(problem),
  });
  await leader.context.tasks.start(new AbortController().signal);
  await schedule.start(new AbortController().signal);
  await leader.wire.advance(checkIntervalMs);
  await expect.poll(() => told).toEqual([expect.any(String)]);
  // Tried again every six hours, not at each look.
  await leader.wire.advance(checkIntervalMs);
  expect(told).toHaveLength(1);
  await schedule.stop();
  await rm(place, { recursive: true });
});
