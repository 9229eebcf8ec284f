import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@lcs/platform';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClockSync } from './system-clock-sync.ts';

/** A `timedatectl` that prints an answer, and counts its runs in a file. */
async function fakeTool(answer: string, exitCode = 0) {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-clock-sync-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const tool = join(folder, 'timedatectl');
  const says = async (text: string) => {
    const script = `#!/bin/sh\n[ "$*" = "show -p NTPSynchronized --value" ] || exit 9\necho "${text}"\nexit ${exitCode}\n`;
    await writeFile(tool, script);
    await chmod(tool, 0o755);
  };
  await says(answer);
  const clock = new VirtualClock();
  const markPath = join(folder, 'synchronized');
  return { clock, markPath, says, isSynced: systemClockSync({ wire: clock, markPath, toolPath: folder }) };
}

const soon = { timeout: 10_000, interval: 10 };

describe('whether NTP has set the clock', () => {
  it('is known at once by the file of systemd-timesyncd', async () => {
    const { isSynced, markPath } = await fakeTool('no');
    await writeFile(markPath, '');
    expect(isSynced()).toBe(true);
  });

  it('is what the kernel says where another program sets the clock, and is asked again after half a minute', async () => {
    const { isSynced, says, clock } = await fakeTool('yes');
    expect(isSynced()).toBe(false);
    await vi.waitFor(() => expect(isSynced()).toBe(true), soon);
    await says('no');
    await clock.advance(29_000);
    expect(isSynced()).toBe(true);
    await clock.advance(1_000);
    isSynced();
    await vi.waitFor(() => expect(isSynced()).toBe(false), soon);
  });

  it('is not assumed when the tool fails, or there is none', async () => {
    const failing = await fakeTool('yes', 1);
    const { clock } = failing;
    const nothing = systemClockSync({ wire: clock, markPath: failing.markPath, toolPath: '/nothing' });
    const working = await fakeTool('yes');
    for (const ask of [failing.isSynced, nothing, working.isSynced]) ask();
    await vi.waitFor(() => expect(working.isSynced()).toBe(true), soon);
    expect([failing.isSynced(), nothing()]).toEqual([false, false]);
  });
});
