import { DatabaseSync } from 'node:sqlite';
import { createClient, leaderApi, unitApi, waitForTask } from '@lcs/contract';
import { realClock } from '@lcs/platform';
import {
  endBoard,
  type LeaderProcess,
  outputChanges,
  startLeaderProcess,
  startUnitProcess,
  temporaryFolder,
  type UnitProcess,
} from '@lcs/testkit';
import { vi } from 'vitest';
import { canMount, ordinaryFolder, type SmallDisk, smallDisk } from './store-trouble.ts';

export const experiment = 'stops';
export const unitName = 'unit1';

const wire = realClock();
const pause = (delayMs: number) => wire.sleep(delayMs);
/** Longer than a job that is resumed needs to drive its outputs. */
const restMs = 2_000;
/** Stirrer, a pump, heater and an LED, as the board calls them. */
export const drivenKinds = { stirrer: 'pwm1', pump: 'pwm4', heater: 'pwm5', led: 'ledB' } as const;

/** A leader and a unit, each with a disk of its own and all in processes. */
export interface BusyUnit extends AsyncDisposable {
  readonly leader: LeaderProcess;
  readonly unit: UnitProcess;
  readonly leaderDisk: SmallDisk;
  readonly unitDisk: SmallDisk;
  readonly leaderClient: ReturnType<typeof createClient<typeof leaderApi>>;
  readonly unitClient: () => ReturnType<typeof createClient<typeof unitApi>>;
  /** Outputs that the board drives now, by its own record. */
  outputsOn(): readonly string[];
  /** What the board drives an output with now, in percent. */
  levelOf(output: string): number;
  /** Milliseconds from `sinceMs` to the last change of an output to 0. */
  offAfterMs(sinceMs: number): number;
  /** Starts a job through the leader; resolves when it runs. */
  run(job: string, options?: Record<string, number | string | boolean>): Promise<void>;
  /** Starts a stirrer, a heater, an LED and a pump; resolves when all are on. */
  runAll(): Promise<void>;
  /** Outputs that were driven after this moment. */
  drivenSince(sinceMs: number): readonly string[];
  /** While the unit is down: its heater counts as cold, so that its thermostat heats at once. */
  coolHeater(): void;
  /** `meanwhile`: while it is down. */
  restartUnit(signal: 'SIGKILL' | 'SIGTERM', meanwhile: () => Promise<void>): Promise<void>;
  /**
   * Resolves when the leader follows the new run of the unit, the unit has decided which jobs of the previous run go on, and
   * these would have driven their outputs.
   */
  jobsWouldBeBack(): Promise<void>;
}

const portOf = (url: string) => Number(new URL(url).port);

export async function startBusyUnit(): Promise<BusyUnit> {
  await using cleanUp = new AsyncDisposableStack();
  const folder = cleanUp.use(await temporaryFolder('stops'));
  const witnessPath = `${folder.path}/witness`;
  const diskAt = canMount() ? smallDisk : ordinaryFolder;
  const leaderDisk = cleanUp.use(diskAt(`${folder.path}/leader`));
  const unitDisk = cleanUp.use(diskAt(`${folder.path}/unit`));
  const dataOf = (disk: SmallDisk) => `${disk.path}/data`;
  const leader = await startLeaderProcess({ dataFolder: dataOf(leaderDisk) });
  cleanUp.defer(() => leader.kill('SIGKILL'));
  const startUnit = (port = 0) =>
    startUnitProcess({
      name: unitName,
      leaderUrl: leader.url,
      dataFolder: dataOf(unitDisk),
      witnessPath,
      port,
      ...(leader.mqttUrl === undefined ? {} : { mqttUrl: leader.mqttUrl }),
    });
  cleanUp.defer(() => endBoard(`${dataOf(unitDisk)}/run/board.sock`));
  let unit = await startUnit();
  cleanUp.defer(() => unit.kill('SIGKILL'));
  const leaderClient = createClient(leaderApi, { baseUrl: leader.url });
  const changes = outputChanges(witnessPath);
  const levels = () => new Map<string, number>(changes().map(({ output, percent }) => [output, percent]));
  const outputsOn = () => [...levels()].filter(([, percent]) => percent > 0).map(([output]) => output);
  await leaderClient.createExperiment({ body: { experiment } });
  await leaderClient.registerWorker({
    body: { reactor_unit: unitName, model_name: 'reactor_40ml', model_version: '1.5' },
  });
  await leaderClient.assignWorker({ params: { experiment }, body: { reactor_unit: unitName } });
  let startedMs = 0;
  /** The leader follows this run of the unit, which has its document. */
  const joined = () =>
    vi.waitFor(
      async () => {
        const one = (await leaderClient.listUnits()).find(({ reactor_unit }) => reactor_unit === unitName);
        if (one?.liveness !== 'online' || one.desired_version === 0 || one.applied_version < one.desired_version)
          throw new Error('The unit has not joined.');
        if (Date.parse(one.last_heard_at ?? '') < startedMs)
          throw new Error('The leader has not heard of the new run.');
      },
      { timeout: 30_000, interval: 100 },
    );
  await joined();
  const run = async (job: string, options: Record<string, number | string | boolean> = {}) => {
    const params = { reactor_unit: unitName, experiment, job };
    const accepted = await leaderClient.runWorkerJob({ params, body: { options } });
    const task = await waitForTask(leader.url, accepted, { sleep: pause });
    if (task.status !== 'succeeded' || !JSON.stringify(task.result).includes('"ok":true'))
      throw new Error(`${job} did not start: ${JSON.stringify(task)}`);
  };
  const runAll = async () => {
    await run('stirring', { target_rpm: 500 });
    await run('temperature_automation', { automation_name: 'thermostat', target_temperature: 40 });
    await run('led_intensity', { B: 20 });
    await run('remove_waste', { duration: 600 });
    await vi.waitFor(
      () => {
        const on = outputsOn();
        for (const output of Object.values(drivenKinds))
          if (!on.includes(output)) throw new Error(`${output} is not on, but ${on.join(', ')}.`);
      },
      { timeout: 30_000, interval: 100 },
    );
  };
  const unitClient = () => createClient(unitApi, { baseUrl: unit.url });
  const rest = cleanUp.move();
  return {
    get unit() {
      return unit;
    },
    leader,
    leaderDisk,
    unitDisk,
    leaderClient,
    unitClient,
    outputsOn,
    run,
    runAll,
    levelOf: (output) => levels().get(output) ?? 0,
    offAfterMs: (sinceMs) => {
      const off = changes().filter(({ at, percent }) => at >= sinceMs && percent === 0);
      return Math.max(0, ...off.map(({ at }) => at - sinceMs));
    },
    drivenSince: (sinceMs) => [
      ...new Set(changes().flatMap(({ at, percent, output }) => (at >= sinceMs && percent > 0 ? [output] : []))),
    ],
    coolHeater: () => {
      using database = new DatabaseSync(`${dataOf(unitDisk)}/storage/unit.sqlite`);
      database.exec("delete from job_memory where key = 'heater.last_on_ms'");
    },
    restartUnit: async (signal, meanwhile) => {
      const port = portOf(unit.url);
      await unit.kill(signal);
      await meanwhile();
      unit = await startUnit(port);
      startedMs = Date.now();
    },
    jobsWouldBeBack: async () => {
      await joined();
      await vi.waitFor(
        async () => {
          if ((await unitClient().getDesired()).resume === null)
            throw new Error('Jobs of the previous run are undecided.');
        },
        { timeout: 30_000, interval: 50 },
      );
      await pause(restMs);
    },
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}
