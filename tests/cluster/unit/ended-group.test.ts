import { readdirSync, readFileSync } from 'node:fs';
import { createClient, unitApi, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { startStandInLeader, startUnitProcess, temporaryFolder } from '@lcs/testkit';
import { expect, it, onTestFinished } from 'vitest';

const wire = realClock();

/** The guard of a node: its child in its own process group (the board has one for itself). */
function guardOf(nodePid: number): number {
  const isGuard = (pid: string) => {
    try {
      const parent = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1];
      return parent === String(nodePid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('guard-process');
    } catch {
      // It has ended meanwhile.
      return false;
    }
  };
  return Number(readdirSync('/proc').find((name) => /^\d+$/.test(name) && isGuard(name)));
}

it('ends its jobs in order, without an error, when its process group receives SIGTERM', async () => {
  const folder = await temporaryFolder('ended-group');
  onTestFinished(() => folder[Symbol.asyncDispose]());
  await using leader = await startStandInLeader();
  const dataFolder = `${folder.path}/unit`;
  const witnessPath = `${folder.path}/witness`;
  const start = async () => {
    const node = await startUnitProcess({ name: 'unit1', leaderUrl: leader.url, dataFolder, witnessPath });
    onTestFinished(() => node.kill('SIGTERM'));
    return node;
  };
  const first = await start();
  await leader.put(first.url);
  const client = createClient(unitApi, { baseUrl: first.url });
  const accepted = await client.runJob({ params: { job: 'stirring' }, body: {} });
  await waitForTask(first.url, accepted, { sleep: (delayMs) => wire.sleep(delayMs) });
  process.kill(guardOf(first.pid), 'SIGTERM');
  await first.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ code: 0 });

  const second = await start();
  const { records } = await leader.read(second.url, { wait: 2_000 });
  const ofStirring = (kind: string) =>
    records.filter((record) => record.kind === kind && 'job_name' in record && record.job_name === 'stirring');
  expect(ofStirring('state')).toContainEqual(expect.objectContaining({ state: 'disconnected' }));
  expect(records).not.toContainEqual(expect.objectContaining({ kind: 'log', level: 'ERROR' }));
  expect(records).not.toContainEqual(expect.objectContaining({ kind: 'event', name: 'guard' }));
}, 60_000);
