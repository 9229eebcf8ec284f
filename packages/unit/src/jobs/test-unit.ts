import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, RunJob } from '@lcs/contract';
import { noiseNamed, usualNoise, usualVial, type VialParameters } from '@lcs/domain';
import {
  Actuators,
  type BoardLayout,
  board12,
  Guard,
  type GuardLink,
  type GuardLost,
  heatLimitsOf,
  type OutputId,
  outputIds,
  SimulatedBoard,
  type SimulatedBoardOptions,
  usualWiring,
  VialPlant,
  type VialPlantOptions,
} from '@lcs/hardware';
import {
  type JobDefinition,
  type JobEvent,
  type JobReading,
  JobRuntime,
  type JobRuntimeOptions,
  type JobTables,
  jobMigrations,
  memoryLog,
  SqliteDatabase,
  VirtualClock,
} from '@lcs/platform';
import { createUnitDevices, type UnitDevices, type UnitDevicesOptions } from './unit-devices.ts';
import { unitJobs } from './unit-jobs.ts';

const uid = '5f2a8f8e-3c39-4a55-8f41-0a7f0d8b9d10';
const model = { name: 'reactor_20ml', version: '1.5' };

type ToldReading = JobReading & { readonly atMs: number; readonly jobName: string };

export interface TestUnitOptions {
  readonly vial?: Partial<VialParameters>;
  readonly start?: VialPlantOptions['start'];
  readonly config?: Record<string, Record<string, string>>;
  readonly oversampling?: SimulatedBoardOptions['oversampling'];
  readonly devices?: Partial<UnitDevicesOptions>;
  readonly layout?: BoardLayout;
  /** Jobs beside those of every unit. */
  readonly alsoJobs?: (devices: UnitDevices) => readonly JobDefinition[];
}

const isOutput = (name: string): name is OutputId => outputIds.some((output) => output === name);

/** A vial without noise, so that a test can tell what comes. */
export const quietVial: Partial<VialParameters> = { noise: noiseNamed('quiet') ?? usualNoise };

/** The outputs of a guard beside its node, as the job runtime wants them. */
const actuatorPort = (actuators: Actuators): JobRuntimeOptions['actuators'] => ({
  acquire: async ({ jobId }, outputs) => {
    const lease = await actuators.acquire(jobId, outputs.filter(isOutput));
    return {
      set: async (output, level, forMs) => {
        if (isOutput(output)) await lease.set(output, level, forMs);
      },
      release: () => lease.release(),
    };
  },
  revoke: (jobId) => actuators.stopUpTo(jobId, []),
});

/** What was said by jobs, in order. */
class Heard {
  readonly readings: ToldReading[] = [];
  readonly events: JobEvent[] = [];
  readonly logs: string[] = [];
  readonly states: string[] = [];
  readonly settings: (readonly [name: string, value: Json])[] = [];

  readonly outlet: JobRuntimeOptions['outlet'] = {
    reading: ({ jobName }, reading) => this.readings.push({ ...reading, jobName }),
    event: (_job, event) => this.events.push(event),
    log: (_job, level, message) => this.logs.push(`${level} ${message}`),
    state: ({ jobName }, { kind }) => this.states.push(`${jobName} ${kind}`),
    setting: ({ jobName }, name, value) => this.settings.push([`${jobName}/${name}`, value]),
  };

  of(source: string): readonly ToldReading[] {
    return this.readings.filter((reading) => reading.source === source);
  }

  values(source: string): readonly number[] {
    return this.of(source).map(({ value }) => value);
  }

  /** The newest value of `job/setting`. */
  setting(name: string): Json | undefined {
    return this.settings.findLast(([told]) => told === name)?.[1];
  }
}

/** A unit's board, guard and jobs on virtual time, with a vial behind the chips; gone after the test. */
export async function testUnit(options: TestUnitOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-jobs-'));
  const clock = new VirtualClock();
  const layout = options.layout ?? board12;
  const plant = new VialPlant({
    layout,
    parameters: { ...usualVial(), ...options.vial },
    seed: 1,
    ...(options.start === undefined ? {} : { start: options.start }),
  });
  const oversampling = options.oversampling ?? 'slot_by_slot';
  const board = new SimulatedBoard({ layout, plant, clock, seed: 1, oversampling });
  const notify = () => {};
  const guard = new Guard({ buses: board, layout, wiring: usualWiring, clock, watch: undefined, notify });
  let lost: GuardLost | undefined;
  const link: GuardLink = {
    request: (request) => (lost === undefined ? guard.request(request) : Promise.reject(lost)),
  };
  const actuators = new Actuators({ guard: link, wire: undefined });
  const database = new SqliteDatabase<JobTables>({
    path: join(folder, 'unit.sqlite'),
    migrations: jobMigrations,
    clock,
    holds: clock,
    log: memoryLog(),
  });
  await database.start(new AbortController().signal);
  const devices = createUnitDevices({
    buses: board,
    layout,
    clock,
    dataFolder: folder,
    appVersion: '26.11.0',
    ...options.devices,
  });
  await guard.start();
  await actuators.start();
  const found = devices.modelOf(model.name, model.version);
  if (found !== undefined) await actuators.setLimits({ heat: heatLimitsOf(found), pumps: {} });
  const heard = new Heard();
  const runtime = new JobRuntime({
    unit: 'unit1',
    definitions: [...unitJobs(devices), ...(options.alsoJobs?.(devices) ?? [])],
    database,
    clock,
    wire: clock,
    log: memoryLog(),
    outlet: heard.outlet,
    actuators: actuatorPort(actuators),
    facts: () => ({ experiment: { name: 'exp1', uid }, isActive: true, model }),
    config: () => options.config ?? {},
  });
  await runtime.start(new AbortController().signal);
  return {
    clock,
    board,
    plant,
    devices: devices satisfies UnitDevices,
    runtime,
    heard,
    actuators,
    /** Starts a job; time passes meanwhile. */
    run: async (job: string, body: RunJob = {}) => {
      await clock.advance(1000);
      const { jobName, generation } = runtime.accept(job, body);
      return runtime.run(jobName, generation);
    },
    /** From now on the guard does not answer. */
    loseGuard: (error: GuardLost) => {
      lost = error;
    },
    /** Lets seconds pass. */
    pass: (seconds: number) => clock.advance(1000 * seconds),
    stop: (job: string) => runtime.stopJobs({ jobName: job }),
    [Symbol.asyncDispose]: async () => {
      await runtime.stop();
      await database.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
