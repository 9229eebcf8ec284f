import type { CalibrationContent, Model } from '@lcs/contract';
import { odReadingSettings, settingOrDefault } from '@lcs/domain';
import { openUnitBoard, type UnitBoard, type VialPlantSettings } from '@lcs/hardware';
import {
  type JobEvent,
  type JobOrigin,
  type JobRecordSink,
  JobRuntime,
  type JobTables,
  jobMigrations,
} from '@lcs/node';
import { type Clock, type IniView, type Log, MemoryDatabase, type Service } from '@lcs/platform';
import { BioreactorState } from '../bioreactor/bioreactor-state.ts';
import { activeCalibrations, activePumpCalibrations } from '../calibrations/active-for-jobs.ts';
import { guardLimits } from '../calibrations/pump-limits.ts';
import { createUnitDevices } from '../jobs/unit-devices.ts';
import { unitJobs } from '../jobs/unit-jobs.ts';
import { GuardedOutputs } from '../role/guarded-outputs.ts';
import { noDosingRecords } from './no-dosing-records.ts';
import { perfectOdCalibration } from './perfect-od-calibration.ts';
import { rehearsalPace } from './rehearsal-pace.ts';

/** While heating, the guard must know a temperature of the last 30 s; a rehearsal needs no closer watch. */
const heatCheckMs = 29_000;

export interface MemoryUnitOptions {
  readonly name: string;
  readonly experiment: { readonly name: string; readonly uid: string };
  readonly model: Model;
  readonly config: IniView;
  /** The active calibrations, by device. */
  readonly calibrations: ReadonlyMap<string, CalibrationContent>;
  /** Its OD readings are calibrated, without error. */
  readonly hasCalibratedOd: boolean;
  readonly vial: VialPlantSettings;
  readonly seed: number;
  /** Of everything: board, guard, jobs and time limits. */
  readonly clock: Clock;
  readonly log: Log;
  /** Receives what jobs publish, and the events of doses. */
  readonly sink: JobRecordSink;
}

/**
 * A unit without a network and without a disk: board, guard, ledger and jobs are those of every unit, with a simulated vial behind
 * the chips, in the time of its clock.
 */
export class MemoryUnit implements Service {
  readonly name: string;
  readonly board: UnitBoard;
  readonly runtime: JobRuntime;
  readonly ledger: BioreactorState;
  readonly #database: MemoryDatabase<JobTables>;
  readonly #services: readonly Service[];

  constructor(options: MemoryUnitOptions) {
    const { name, experiment, model, config, calibrations, hasCalibratedOd, vial, seed, clock, log, sink } = options;
    this.name = name;
    this.board = openUnitBoard({ kind: 'simulated_here', clock, seed, vial, oversampling: 'closed_form', heatCheckMs });
    this.#database = new MemoryDatabase(jobMigrations, clock.now());
    const { actuators, buses, layout } = this.board;
    const outputs = new GuardedOutputs({
      actuators,
      wire: clock,
      display: { level: () => {}, off: () => {} },
      onInterrupted: (job) => sink.log(job, 'WARNING', 'Its outputs were off for a moment.'),
    });
    this.runtime = new JobRuntime({
      unit: name,
      database: this.#database,
      clock,
      wire: clock,
      log,
      sink,
      actuators: outputs,
      facts: () => ({
        experiment,
        isActive: true,
        model: { name: model.model_name, version: model.model_version },
      }),
      config: () => config,
    });
    const { runtime } = this;
    const event = (job: JobOrigin, published: JobEvent): void => {
      sink.event(job, published);
      runtime.topics.events.publish(published.name, published);
    };
    this.ledger = new BioreactorState({
      unit: name,
      records: noDosingRecords,
      config: () => config,
      model: () => model,
      current: () => experiment,
      event,
      log,
      mqtt: { publish: () => {} },
      append: () => {},
      reading: (reading) => runtime.topics.readings.publish(reading.source, reading),
      now: () => clock.now(),
    });
    const { ledger } = this;
    const files = {
      active: (device: string) => {
        const content = calibrations.get(device);
        return content && { content, hash: '' };
      },
    };
    const { plant } = this.board;
    const active = activeCalibrations(files);
    const od = hasCalibratedOd && plant !== undefined ? perfectOdCalibration(plant) : undefined;
    const celsius = () => plant?.boardCelsius(clock.monotonic()) ?? Number.NaN;
    const devices = createUnitDevices({
      buses,
      layout,
      clock,
      dataFolder: '.',
      appVersion: '',
      boardTemperature: {
        readCelsius: async () => celsius(),
        readWhole: celsius,
        ...(plant && {
          follow: (timesMs: readonly number[]) => {
            const followed = plant.followBoard(timesMs);
            return () => followed(clock.monotonic());
          },
        }),
      },
      calibrationOf: (device) => (od !== undefined && device === 'od90' ? od : active(device)),
      ownModel: () => model,
      pace: rehearsalPace(1000 / settingOrDefault(config, odReadingSettings.samplesPerSecond)),
      pumping: { ledger, calibrationOf: activePumpCalibrations(files), event },
      recordEvent: event,
      setVial: (named, values) => ledger.set(named, values),
    });
    runtime.completeEvents((published) => ledger.enterDose(published));
    runtime.register(unitJobs(devices));
    const limits: Service = {
      name: 'limits',
      start: async () =>
        actuators.setLimits(guardLimits(model, this.board.wiring, config, (device) => calibrations.get(device))),
      stop: async () => {},
    };
    this.board.onGuardEvent((event) => outputs.take(event));
    this.#services = [...this.board.parts, limits, runtime, ledger];
  }

  async start(signal: AbortSignal): Promise<void> {
    for (const service of this.#services) await service.start(signal);
  }

  async stop(): Promise<void> {
    for (const service of this.#services.toReversed()) await service.stop();
    this.#database[Symbol.dispose]();
  }
}
