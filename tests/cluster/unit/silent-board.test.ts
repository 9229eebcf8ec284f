import { createClient, unitApi, waitForTask } from '@lcs/contract';
import { BoardLink } from '@lcs/hardware';
import { realClock } from '@lcs/platform';
import { childOf, endBoard, outputsOn, startStandInLeader, startUnitProcess, temporaryFolder } from '@lcs/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';

const wire = realClock();

const guardOf = (pid: number) => childOf(pid, 'guard-process');

it('measures and stirs again by itself when the guard was lost while the board was silent', async () => {
  const folder = await temporaryFolder('silent-board');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  await using leader = await startStandInLeader();
  const dataFolder = `${folder.path}/unit`;
  const witnessPath = `${folder.path}/witness`;
  const socketPath = `${dataFolder}/run/board.sock`;
  onTestFinished(() => endBoard(socketPath));
  const unit = await startUnitProcess({ name: 'unit1', leaderUrl: leader.url, dataFolder, witnessPath });
  onTestFinished(() => unit.kill('SIGKILL'));
  await leader.put(unit.url);
  const client = createClient(unitApi, { baseUrl: unit.url });
  for (const job of ['stirring', 'od_reading']) {
    const accepted = await client.runJob({ params: { job }, body: {} });
    const task = await waitForTask(unit.url, accepted, { sleep: (delayMs) => wire.sleep(delayMs) });
    expect(task).toMatchObject({ status: 'succeeded' });
  }
  await vi.waitFor(() => expect(outputsOn(witnessPath)).toContain('pwm1'), 15_000);

  const link = new BoardLink({ socketPath, wire });
  const board = await link.pid();
  await link.stop();
  const running = async () => (await client.listRunningJobs()).map(({ job_name, state }) => `${job_name} ${state}`);
  const before = guardOf(unit.pid) ?? 0;
  process.kill(board, 'SIGSTOP');
  try {
    process.kill(before, 'SIGKILL');
    await vi.waitFor(() => expect(guardOf(unit.pid)).not.toBe(before), { timeout: 10_000, interval: 50 });
    // The fault is its length: much longer than a command waits for a new guard.
    await wire.sleep(12_000);
    expect(await running()).toEqual(expect.arrayContaining(['stirring ready', 'od_reading ready']));
  } finally {
    process.kill(board, 'SIGCONT');
  }

  const { epoch, head_seq } = await leader.read(unit.url);
  await vi.waitFor(() => expect(outputsOn(witnessPath)).toContain('pwm1'), { timeout: 40_000, interval: 200 });
  await vi.waitFor(
    async () => {
      const { series, records } = await leader.read(unit.url, { epoch, after: head_seq, wait: 1_000 });
      const measured = records.flatMap((record) => (record.kind === 'sample' ? [series[record.series]?.source] : []));
      expect(measured).toEqual(expect.arrayContaining(['raw_od', 'stirring_rpm']));
    },
    { timeout: 60_000, interval: 200 },
  );
  expect(await running()).toEqual(expect.arrayContaining(['stirring ready', 'od_reading ready']));
  await unit.kill('SIGTERM');
}, 150_000);
