import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, unitApi, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import {
  childOf,
  endBoard,
  outputsOn,
  startLeaderProcess,
  startStandInLeader,
  startUnitProcess,
  temporaryFolder,
} from '@lcs/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { holdExclusive, holdWhole } from './store-trouble.ts';

const wire = realClock();
const program = fileURLToPath(new URL('../../../packages/cli/bin/lcs.js', import.meta.url));

/** Runs `lcs` with these arguments; resolves when it and its writers have ended. */
async function outcomeOf(words: readonly string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = await once(child, 'close');
  return { code, said };
}

const post = (url: string, body: object) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

/** A change that the store does not take is refused, and may be sent again. */
async function expectStoreBusy(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(await response.json()).toMatchObject({ code: 'store_busy', status: 503 });
}

/** One sentence that names the file. */
const refusalFor = (path: string) => ({ code: 1, said: expect.stringMatching(`^lcs: .*${path}.*\\n$`) });

describe('a database that another process keeps locked', () => {
  it('is answered as busy by a running leader, which takes the change afterwards, and keeps it from starting', async () => {
    await using folder = await temporaryFolder('locked-leader');
    const leader = await startLeaderProcess({ dataFolder: folder.path });
    onTestFinished(() => leader.kill('SIGKILL'));
    const path = join(folder.path, 'storage', 'leader.sqlite');
    const create = () => post(`${leader.url}/api/experiments`, { experiment: 'locked' });
    {
      await using _ = await holdExclusive(path);
      await expectStoreBusy(await create());
    }
    expect((await create()).status).toBe(201);
    await leader.kill('SIGTERM');
    await using _ = await holdWhole(path);
    const words = ['leader', '--data-dir', folder.path, '--port', '0', '--mqtt-port', '0'];
    expect(await outcomeOf(words)).toEqual(refusalFor(path));
  });

  it('is answered as busy by a running unit, and keeps it from starting, but not from switching off', async () => {
    await using folder = await temporaryFolder('locked-unit');
    await using leader = await startStandInLeader();
    const dataFolder = join(folder.path, 'data');
    const witnessPath = join(folder.path, 'witness');
    onTestFinished(() => endBoard(`${dataFolder}/run/board.sock`));
    const unit = await startUnitProcess({ name: 'unit1', leaderUrl: leader.url, dataFolder, witnessPath });
    onTestFinished(() => unit.kill('SIGKILL'));
    await leader.put(unit.url);
    const path = join(dataFolder, 'storage', 'unit.sqlite');
    const start = () => post(`${unit.url}/unit_api/jobs/run/job_name/stirring`, {});
    {
      await using _ = await holdExclusive(path);
      await expectStoreBusy(await start());
    }
    // A second start of a job within a moment is refused.
    const client = createClient(unitApi, { baseUrl: unit.url });
    const accepted = await vi.waitFor(() => client.runJob({ params: { job: 'stirring' }, body: {} }), 5_000);
    await waitForTask(unit.url, accepted, { sleep: (delayMs) => wire.sleep(delayMs) });
    await vi.waitFor(() => expect(outputsOn(witnessPath)).toEqual(['pwm1']), 15_000);

    // All that could switch off is gone at one moment: that is left to the next start.
    const own = ['switch-off-process', 'guard-process'].map((one) => childOf(unit.pid, one) ?? 0);
    for (const pid of [...own, unit.pid]) process.kill(pid, 'SIGKILL');
    await unit.ended;
    await using _ = await holdWhole(path);
    expect(outputsOn(witnessPath)).toEqual(['pwm1']);
    const words = ['unit', '--name', 'unit1', '--leader', leader.url, '--data-dir', dataFolder, '--port', '0'];
    expect(await outcomeOf(words)).toEqual(refusalFor(path));
    expect(outputsOn(witnessPath)).toEqual([]);
  });
});
