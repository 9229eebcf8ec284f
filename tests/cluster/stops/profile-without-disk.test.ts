import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, leaderApi, nodeApi, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import { type LeaderProcess, startLeaderProcess, startToyUnit, type ToyUnit, temporaryFolder } from '@lcs/testkit';
import { describe, expect, it, vi } from 'vitest';
import { canMount, makeTrouble, type SmallDisk, smallDisk } from './store-trouble.ts';

const wire = realClock();
const experiment = 'stops';
const params = { experiment };
const soon = { timeout: 30_000, interval: 50 };
const troubles = ['full', 'locked'] as const;
/** When the profile drives again; longer than a restart takes. */
const secondStartS = 15;
/** A step that is due is sent within this time. */
const stepMs = 2_000;

const profile = `version: "1.0"
experiment_profile_name: stops
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0}
        - {type: start, t: ${secondStartS}s}
`;

const clientOf = (leader: LeaderProcess) => createClient({ ...leaderApi, ...nodeApi }, { baseUrl: leader.url });
const ordersOf = ({ requests }: ToyUnit, what: 'run' | 'stop') =>
  requests.filter(({ path }) => path.startsWith(`/unit_api/jobs/${what}`));

/** A leader on a disk of its own that carries out a profile on one unit. */
async function startProfile(disk: SmallDisk, unit: ToyUnit): Promise<LeaderProcess> {
  const leader = await startLeaderProcess({ dataFolder: join(disk.path, 'data') });
  const client = clientOf(leader);
  await client.createExperiment({ body: { experiment } });
  await client.registerWorker({ body: { reactor_unit: unit.name } });
  const config = await client.getSharedConfig();
  const code = config.replace('[cluster.addresses]\n', `$&${unit.name}=${unit.address}\n`);
  await client.saveSharedConfig({ body: { code } });
  await client.assignWorker({ params, body: { reactor_unit: unit.name } });
  await writeFile(join(disk.path, 'data', 'experiment_profiles', 'stops.yaml'), profile);
  const body = { args: ['execute', 'stops.yaml', experiment] };
  await client.runJob({ params: { job: 'experiment_profile' }, body });
  await vi.waitFor(() => expect(ordersOf(unit, 'run')).toHaveLength(1), soon);
  return leader;
}

/** Stops the profile; resolves when its unit has received the stops of its jobs. */
async function stopProfile(leader: LeaderProcess, unit: ToyUnit): Promise<void> {
  const accepted = await clientOf(leader).stopJobs({ body: { job_name: 'experiment_profile' } });
  expect(await waitForTask(leader.url, accepted, { sleep: (delayMs) => wire.sleep(delayMs) })).toMatchObject({
    status: 'succeeded',
    result: { still_running: [], recorded: false },
  });
  await vi.waitFor(() => expect(ordersOf(unit, 'stop')).not.toEqual([]), soon);
}

const expectStopped = (leader: LeaderProcess) =>
  vi.waitFor(
    async () =>
      expect(await clientOf(leader).listRecentProfileRuns({ params })).toMatchObject([{ outcome: 'stopped' }]),
    soon,
  );

describe.runIf(canMount())('a profile that was stopped while the disk of the leader took nothing', () => {
  it.each(troubles)('does not go on after kill -9 (%s)', async (trouble) => {
    await using folder = await temporaryFolder('profile-stop');
    await using leaderDisk = smallDisk(folder.path);
    await using unit = await startToyUnit('rx01');
    const first = await startProfile(leaderDisk, unit);
    const dueMs = wire.now() + secondStartS * 1_000;
    const trouble_ = await makeTrouble({ leaderDisk, unitDisk: leaderDisk }, 'leader', trouble);
    try {
      await stopProfile(first, unit);
    } finally {
      await first.kill('SIGKILL');
      await trouble_.disposeAsync();
    }
    const second = await startLeaderProcess({ dataFolder: join(leaderDisk.path, 'data') });
    try {
      await expectStopped(second);
      await wire.sleep(Math.max(0, dueMs + stepMs - wire.now()));
      expect(ordersOf(unit, 'run')).toHaveLength(1);
    } finally {
      await second.kill('SIGTERM');
    }
  });

  it.each(troubles)('is recorded as soon as it takes it (%s)', async (trouble) => {
    await using folder = await temporaryFolder('profile-stop');
    await using leaderDisk = smallDisk(folder.path);
    await using unit = await startToyUnit('rx01');
    const leader = await startProfile(leaderDisk, unit);
    try {
      await using _ = await makeTrouble({ leaderDisk, unitDisk: leaderDisk }, 'leader', trouble);
      await stopProfile(leader, unit);
      await _.disposeAsync();
      await expectStopped(leader);
    } finally {
      await leader.kill('SIGTERM');
    }
  });
});
