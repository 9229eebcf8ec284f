import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json, RunJob } from '@lcs/contract';
import { defaultNoise, defaultVialParameters, findNoiseProfile, type VialParameters } from '@lcs/domain';
import {
  Actuators,
  type BoardLayout,
  board12,
  defaultWiring,
  FaultyBuses,
  Guard,
  type GuardEvent,
  type GuardLink,
  GuardLost,
  type OutputId,
  outputIds,
  type PlantWiring,
  SimulatedBoard,
  type SimulatedBoardOptions,
  VialPlant,
  type VialPlantOptions,
} from '@lcs/hardware';
import {
  type JobDefinition,
  type JobEvent,
  type JobLogLevel,
  type JobReading,
  JobRuntime,
  type JobRuntimeOptions,
  type JobTables,
  jobMigrations,
  type OverrideListener,
} from '@lcs/node';
import { type Database, memoryLog, SqliteDatabase, StoreError, VirtualClock } from '@lcs/platform';
import { testWriter } from '@lcs/platform/testing';
import type { BioreactorTables } from '../bioreactor/bioreactor-tables.ts';
import { bioreactorMigrations } from '../bioreactor/bioreactor-tables.ts';
import { guardLimits } from '../calibrations/pump-limits.ts';
import type { PumpCalibrationOf } from '../jobs/pumps/pump-settings.ts';
import { createUnitDevices, type UnitDevices, type UnitDevicesOptions } from '../jobs/unit-devices.ts';
import { unitJobs } from '../jobs/unit-jobs.ts';
import { defaultPumpCalibrations, type TestLedger, testLedger } from './test-ledger.ts';

/** The default experiment of units under test. */
export const testExperimentUid = '5f2a8f8e-3c39-4a55-8f41-0a7f0d8b9d10';
const uid = testExperimentUid;
const model = { name: 'reactor_20ml', version: '1.5' };

type RecordedReading = JobReading & { readonly atMs: number; readonly jobName: string };

export interface TestUnitOptions {
  readonly vial?: Partial<VialParameters>;
  readonly start?: VialPlantOptions['start'];
  /** Of the vial and the chips. Default 1. */
  readonly seed?: number;
  readonly config?: Record<string, Record<string, string>>;
  readonly oversampling?: SimulatedBoardOptions['oversampling'];
  readonly devices?: Partial<UnitDevicesOptions>;
  readonly layout?: BoardLayout;
  /** What the outputs drive in truth, where hands have exchanged something. Default: what they should. */
  readonly wiring?: PlantWiring;
  /** Default: each pump as the simulated one is. */
  readonly pumpCalibrationOf?: PumpCalibrationOf;
  /** Kept after the test, for another unit to continue. Default: a folder of its own. */
  readonly folder?: string;
  /** The experiment that the unit is in now, for its ledger. Default: `exp1`. */
  readonly current?: () => { readonly name: string; readonly uid: string };
  /** While it returns true, the disk rejects all writes of jobs and liquids. Default: never. */
  readonly isDiskFull?: () => boolean;
  /** Jobs beside those of every unit. */
  readonly alsoJobs?: (
    devices: UnitDevices,
    more: { readonly runtime: JobRuntime; readonly liquids: TestLedger },
  ) => readonly JobDefinition[];
}

const isOutput = (name: string): name is OutputId => outputIds.some((output) => output === name);

/** A vial without noise, so that readings are predictable. */
export const quietVial: Partial<VialParameters> = { noise: findNoiseProfile('quiet') ?? defaultNoise };

/**
 * The outputs of a guard in the node's process, in the form that the job runtime needs. `overrides`: who receives levels that the guard has
 * changed by itself.
 */
function actuatorPort(actuators: Actuators, overrides: Map<string, OverrideListener>): JobRuntimeOptions['actuators'] {
  /** The outputs that each job has requested and not released. */
  const requested = new Map<number, Set<readonly OutputId[]>>();
  return {
    acquire: async ({ jobId }, outputs, onOverridden) => {
      const leased = outputs.filter(isOutput);
      const lease = await actuators.acquire(jobId, leased);
      if (onOverridden !== undefined) for (const output of leased) overrides.set(output, onOverridden);
      const own = requested.get(jobId) ?? new Set<readonly OutputId[]>();
      requested.set(jobId, own.add(leased));
      return {
        set: async (output, level, forMs) => {
          if (isOutput(output)) await lease.set(output, level, forMs);
        },
        release: async () => {
          await lease.release();
          for (const output of leased) overrides.delete(output);
          own.delete(leased);
        },
      };
    },
    revoke: async (jobId) => {
      const own = requested.get(jobId);
      requested.delete(jobId);
      if (own !== undefined) await actuators.stopUpTo(jobId, [...own].flat());
    },
  };
}

/** The output of jobs, in order. */
class RecordedOutput {
  readonly readings: RecordedReading[] = [];
  readonly events: JobEvent[] = [];
  /** The experiment of each event. */
  readonly eventExperiments: string[] = [];
  readonly logs: string[] = [];
  readonly states: string[] = [];
  readonly settings: (readonly [name: string, value: Json])[] = [];

  readonly sink: JobRuntimeOptions['sink'] = {
    reading: ({ jobName }, reading) => this.readings.push({ ...reading, jobName }),
    event: ({ experiment }, event) => {
      this.events.push(event);
      this.eventExperiments.push(experiment);
    },
    log: (_job, level, message) => this.logs.push(`${level} ${message}`),
    state: ({ jobName }, { kind }) => this.states.push(`${jobName} ${kind}`),
    setting: ({ jobName }, name, value) => this.settings.push([`${jobName}/${name}`, value]),
  };

  of(source: string): readonly RecordedReading[] {
    return this.readings.filter((reading) => reading.source === source);
  }

  values(source: string): readonly number[] {
    return this.of(source).map(({ value }) => value);
  }

  /** Number of log entries of a level. */
  logCount(level: JobLogLevel): number {
    return this.logs.filter((line) => line.startsWith(`${level} `)).length;
  }

  /** The newest value of `job/setting`. */
  setting(name: string): Json | undefined {
    return this.settings.findLast(([published]) => published === name)?.[1];
  }
}

/** A database whose disk rejects all writes while `isFull` returns true. */
function thatMayBeFull<Tables>(database: Database<Tables>, isFull: () => boolean): Database<Tables> {
  const full = () => Promise.reject(new StoreError('disk_full', 'database or disk is full'));
  return {
    read: database.read,
    get version() {
      return database.version;
    },
    write: (work) => (isFull() ? full() : database.write(work)),
    bulk: (statements, how) => (isFull() ? full() : database.bulk(statements, how)),
  };
}

/** A unit's board, guard and jobs on virtual time, with a vial behind the chips; deleted after the test. */
export async function testUnit(options: TestUnitOptions = {}) {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'lcs-jobs-')));
  const clock = new VirtualClock();
  const layout = options.layout ?? board12;
  const plant = new VialPlant({
    layout,
    parameters: { ...defaultVialParameters(), ...options.vial },
    seed: options.seed ?? 1,
    ...(options.start === undefined ? {} : { start: options.start }),
    ...(options.wiring === undefined ? {} : { wiring: options.wiring }),
  });
  const oversampling = options.oversampling ?? 'slot_by_slot';
  const board = new SimulatedBoard({ layout, plant, clock, seed: options.seed ?? 1, oversampling });
  const faults = new FaultyBuses(board);
  const overrides = new Map<string, OverrideListener>();
  const notify = (notice: GuardEvent) => {
    if (notice.what === 'overridden') overrides.get(notice.output)?.(notice.output, notice.percent);
  };
  const guard = new Guard({ buses: faults, layout, wiring: defaultWiring, clock, watch: undefined, notify });
  let lost: GuardLost | undefined;
  let pendingForever: PromiseWithResolvers<never> | undefined;
  const link: GuardLink = {
    request: (request) => {
      if (pendingForever !== undefined) return pendingForever.promise;
      return lost === undefined ? guard.request(request) : Promise.reject(lost);
    },
  };
  const actuators = new Actuators({ guard: link, wire: undefined });
  const kept = new SqliteDatabase<JobTables & BioreactorTables>({
    path: join(folder, 'unit.sqlite'),
    migrations: [...jobMigrations, ...bioreactorMigrations],
    clock,
    holds: clock,
    log: memoryLog(),
    writer: testWriter(),
  });
  await kept.start(new AbortController().signal);
  const database = thatMayBeFull(kept, options.isDiskFull ?? (() => false));
  const recorded = new RecordedOutput();
  const runtime = new JobRuntime({
    unit: 'unit1',
    database,
    clock,
    wire: clock,
    log: memoryLog(),
    sink: recorded.sink,
    actuators: actuatorPort(actuators, overrides),
    facts: () => ({ experiment: { name: 'exp1', uid }, isActive: true, model }),
    config: () => options.config ?? {},
  });
  const liquids = testLedger({
    database,
    clock,
    recorded,
    actuators,
    runtime,
    config: () => options.config ?? {},
    current: options.current ?? (() => ({ name: 'exp1', uid })),
    model: () => devices.modelOf(model.name, model.version),
  });
  const devices: UnitDevices = createUnitDevices({
    buses: faults,
    layout,
    clock,
    dataFolder: folder,
    appVersion: '26.11.0',
    pumping: {
      ledger: liquids.ledger,
      calibrationOf: options.pumpCalibrationOf ?? defaultPumpCalibrations,
      event: liquids.event,
    },
    recordEvent: liquids.event,
    setVial: (experiment, values) => liquids.ledger.set(experiment, values),
    ...options.devices,
  });
  await guard.start();
  await actuators.start();
  const found = devices.modelOf(model.name, model.version);
  if (found !== undefined)
    await actuators.setLimits(guardLimits(found, defaultWiring, options.config ?? {}, () => undefined));
  runtime.completeEvents((event) => liquids.ledger.enterDose(event));
  runtime.register([...unitJobs(devices), ...(options.alsoJobs?.(devices, { runtime, liquids }) ?? [])]);
  await runtime.start(new AbortController().signal);
  await liquids.ledger.start();
  return {
    clock,
    board,
    /** What is wrong between the drivers and the board; nothing as yet. */
    faults,
    plant,
    devices: devices satisfies UnitDevices,
    runtime,
    recorded,
    actuators,
    /** What is known of the vial, and what was published of it. */
    liquids,
    /** Starts a job after a second of virtual time. */
    run: async (job: string, body: RunJob = {}) => {
      await clock.advance(1000);
      const { jobName, generation } = runtime.accept(job, body);
      return runtime.run(jobName, generation);
    },
    /** From now on the guard does not answer; without an error it answers again. */
    loseGuard: (error?: GuardLost) => {
      lost = error;
    },
    /** From now on no request reaches the guard, which keeps its present outputs. */
    silenceGuard: () => {
      pendingForever = Promise.withResolvers<never>();
    },
    /** Advances the clock by seconds. */
    pass: (seconds: number) => clock.advance(1000 * seconds),
    stop: (job: string) => runtime.stopJobs({ jobName: job }),
    [Symbol.asyncDispose]: async () => {
      pendingForever?.reject(new GuardLost('The test is over.'));
      await runtime.stop();
      await kept.stop();
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
