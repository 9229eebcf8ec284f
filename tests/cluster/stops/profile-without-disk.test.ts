import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, leaderApi, nodeApi, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import {
  type LeaderProcess,
  startLeaderProcess,
  startToyUnit,
  type ToyUnit,
  temporaryFolder,
  type UnitRequest,
} from '@lcs/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { canMount, makeTrouble, type SmallDisk, smallDisk } from './store-trouble.ts';

const wire = realClock();
const experiment = 'stops';
const params = { experiment };
const soon = { timeout: 30_000, interval: 50 };
const troubles = ['full', 'locked'] as const;
/** When the profile drives again; longer than a restart takes. */
const secondStartS = 10;
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
/** Commands that the unit has received since the start of the present profile. */
type Orders = (what: 'run' | 'stop') => readonly UnitRequest[];

/** Prepares a leader for a profile on one unit. */
async function prepare(disk: SmallDisk, leader: LeaderProcess, unit: ToyUnit): Promise<void> {
  const client = clientOf(leader);
  await client.createExperiment({ body: { experiment } });
  await client.registerWorker({ body: { reactor_unit: unit.name } });
  const config = await client.getSharedConfig();
  const code = config.replace('[cluster.addresses]\n', `$&${unit.name}=${unit.address}\n`);
  await client.saveSharedConfig({ body: { code } });
  await client.assignWorker({ params, body: { reactor_unit: unit.name } });
  await writeFile(join(disk.path, 'data', 'experiment_profiles', 'stops.yaml'), profile);
}

/** Starts the profile; resolves when it has started the job of its unit for the first time. */
async function startProfile(leader: LeaderProcess, { requests }: ToyUnit): Promise<Orders> {
  const before = requests.length;
  const orders: Orders = (what) =>
    requests.slice(before).filter(({ method, path }) => method !== 'GET' && path.startsWith(`/unit_api/jobs/${what}`));
  const body = { args: ['execute', 'stops.yaml', experiment] };
  await clientOf(leader).runJob({ params: { job: 'experiment_profile' }, body });
  await vi.waitFor(() => expect(orders('run')).toHaveLength(1), soon);
  return orders;
}

/** Stops the profile; resolves when its unit has received the stops of its jobs. */
async function stopProfile(leader: LeaderProcess, orders: Orders): Promise<void> {
  const accepted = await clientOf(leader).stopJobs({ body: { job_name: 'experiment_profile' } });
  expect(await waitForTask(leader.url, accepted, { sleep: (delayMs) => wire.sleep(delayMs) })).toMatchObject({
    status: 'succeeded',
    result: { still_running: [], recorded: false },
  });
  await vi.waitFor(() => expect(orders('stop')).not.toEqual([]), soon);
}

/** So many runs are recorded, and all as stopped. */
const expectStopped = (leader: LeaderProcess, runs: number) =>
  vi.waitFor(async () => {
    const recent = await clientOf(leader).listRecentProfileRuns({ params });
    expect(recent.map(({ outcome }) => outcome)).toEqual(Array.from({ length: runs }, () => 'stopped'));
  }, soon);

describe.runIf(canMount())('a profile that was stopped while the disk of the leader took nothing', () => {
  const cleanUp = new AsyncDisposableStack();
  let leaderDisk: SmallDisk;
  let leader: LeaderProcess;
  let unit: ToyUnit;
  let orders: Orders;
  let runs = 0;
  const startLeader = () => startLeaderProcess({ dataFolder: join(leaderDisk.path, 'data') });
  beforeAll(async () => {
    const folder = cleanUp.use(await temporaryFolder('profile-stop'));
    leaderDisk = cleanUp.use(smallDisk(folder.path));
    unit = cleanUp.use(await startToyUnit('rx01'));
    leader = await startLeader();
    cleanUp.defer(() => leader.kill('SIGTERM'));
    await prepare(leaderDisk, leader, unit);
  });
  afterAll(() => cleanUp.disposeAsync());
  beforeEach(async () => {
    runs += 1;
    orders = await startProfile(leader, unit);
  });

  it.each(troubles)('is recorded as soon as it takes it (%s)', async (trouble) => {
    await using made = await makeTrouble({ leaderDisk, unitDisk: leaderDisk }, 'leader', trouble);
    await stopProfile(leader, orders);
    await made.disposeAsync();
    await expectStopped(leader, runs);
  });

  it.each(troubles)('does not go on after kill -9 (%s)', async (trouble) => {
    const dueMs = wire.now() + secondStartS * 1_000;
    {
      await using _ = await makeTrouble({ leaderDisk, unitDisk: leaderDisk }, 'leader', trouble);
      await stopProfile(leader, orders);
      await leader.kill('SIGKILL');
    }
    leader = await startLeader();
    await expectStopped(leader, runs);
    await wire.sleep(Math.max(0, dueMs + stepMs - wire.now()));
    expect(orders('run')).toHaveLength(1);
  });
});
