import { createClient, unitApi } from '@lcs/contract';
import { BoardLink } from '@lcs/hardware';
import { realClock } from '@lcs/platform';
import { startLeader, startUnitProcess, temporaryFolder } from '@lcs/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';

const [reactor_unit, experiment] = ['unit1', 'ramp 7'];
const wire = realClock();

async function endBoard(socketPath: string): Promise<void> {
  const link = new BoardLink({ socketPath, wire });
  const pid = await link.pid().catch(() => undefined);
  await link.stop();
  if (pid !== undefined) process.kill(pid, 'SIGTERM');
}

it('stops jobs that were to stop while it was frozen, and does not start jobs whose starts timed out', async () => {
  const folder = await temporaryFolder('frozen-unit');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  await using leader = await startLeader();
  const { client } = leader;
  const dataFolder = `${folder.path}/unit`;
  onTestFinished(() => endBoard(`${dataFolder}/run/board.sock`));
  await client.createExperiment({ body: { experiment } });
  await client.registerWorker({ body: { reactor_unit, model_name: 'reactor_40ml', model_version: '1.5' } });
  await client.assignWorker({ params: { experiment }, body: { reactor_unit } });
  const unit = await startUnitProcess({
    name: reactor_unit,
    leaderUrl: leader.url,
    dataFolder,
    witnessPath: `${folder.path}/witness`,
  });
  onTestFinished(() => unit.kill('SIGKILL'));
  const own = createClient(unitApi, { baseUrl: unit.url });
  await vi.waitFor(async () => {
    const { parts } = await own.getDesired();
    expect(parts).toMatchObject({ experiment: { state: 'applied' } });
  }, 20_000);
  const outcomeOf = async (accepted: unknown) => {
    const task = await leader.finished(accepted);
    if (task.status !== 'succeeded') throw new Error(`The task is ${task.status}.`);
    return task.result;
  };
  const running = async () => (await own.listRunningJobs()).map(({ job_name }) => job_name);
  const start = async (job: string) =>
    outcomeOf(await client.runWorkerJob({ params: { reactor_unit, experiment, job }, body: {} }));
  const noAnswer = { [reactor_unit]: { ok: false, error: { kind: 'connection_error' } } };

  expect(await start('stirring')).toMatchObject({ [reactor_unit]: { ok: true } });
  unit.child.kill('SIGSTOP');
  expect(await start('od_reading')).toMatchObject(noAnswer);
  const stop = { reactor_unit, experiment, job_name: 'stirring' };
  expect(await outcomeOf(await client.stopWorkerJob({ params: stop }))).toMatchObject(noAnswer);
  unit.child.kill('SIGCONT');
  await vi.waitFor(async () => expect(await running()).not.toContain('stirring'), { timeout: 20_000, interval: 100 });
  // Once the order is reported, whatever else was waiting in the sockets has been read too.
  await vi.waitFor(
    () => {
      const orders = leader.storedRows('desired').flatMap(({ document }) => JSON.parse(String(document)).stop);
      expect(orders).toEqual([]);
    },
    { timeout: 20_000, interval: 100 },
  );
  expect(await running()).not.toContain('od_reading');
  expect(await start('stirring')).toMatchObject({ [reactor_unit]: { ok: true } });
}, 90_000);
