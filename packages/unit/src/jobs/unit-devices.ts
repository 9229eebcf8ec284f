import type { Model } from '@lcs/contract';
import { builtInModels, normaliseModelName } from '@lcs/domain';
import {
  Ads1114,
  BoardController,
  type BoardLayout,
  type Buses,
  HallSensor,
  supplyInput,
  Tmp1075,
} from '@lcs/hardware';
import type { Clock } from '@lcs/platform';
import { type HostStatistics, hostStatistics } from './monitor/host-statistics.ts';
import type { CalibrationOf, FusionOf } from './shared/calibration.ts';
import { InfraredLight } from './shared/infrared-light.ts';
import { type JobMemory, passingMemory } from './shared/job-memory.ts';
import { type OpticalReadings, opticalReadings } from './shared/optical-reading.ts';
import type { Photodiode } from './shared/photodiode.ts';

/** What the jobs of a unit measure with, and the facts they need. Outputs are driven through leases only. */
export interface UnitDevices {
  /** By photodiode number, as text. */
  readonly photodiodes: ReadonlyMap<string, Photodiode>;
  readonly boardTemperature: Pick<Tmp1075, 'readCelsius'>;
  readonly hall: Pick<HallSensor, 'measure'>;
  /** Voltage of the supply of pumps, heater and stirrer; undefined on boards that cannot measure it. */
  readonly supply: { readVolts(): Promise<number> } | undefined;
  readonly host: HostStatistics;
  readonly memory: JobMemory;
  readonly opticalReadings: OpticalReadings;
  /** Who has the infrared LED now. */
  readonly infraredLight: InfraredLight;
  readonly calibrationOf: CalibrationOf;
  readonly fusionOf: FusionOf;
  readonly modelOf: (name: string, version: string) => Model | undefined;
}

export interface UnitDevicesOptions {
  readonly buses: Buses;
  readonly layout: BoardLayout;
  /** Times the converters: the one that jobs sample by. */
  readonly clock: Clock;
  /** Its disk is watched. */
  readonly dataFolder: string;
  readonly appVersion: string;
  /** Default: forgotten with the process. */
  readonly memory?: JobMemory;
  /** Default: none is active. */
  readonly calibrationOf?: CalibrationOf;
  /** Default: none is active. */
  readonly fusionOf?: FusionOf;
  /** The model that the leader has given this unit; other names are those of built-in models. Default: none. */
  readonly ownModel?: () => Model | undefined;
  readonly host?: HostStatistics;
}

/** The leader may have models of its own, and its word about one of ours goes before ours. */
function findModel(own: Model | undefined, name: string, version: string): Model | undefined {
  const known = own === undefined ? builtInModels : [own, ...builtInModels];
  const wanted = normaliseModelName(name);
  return known.find(
    ({ model_name, model_version }) => normaliseModelName(model_name) === wanted && model_version === version,
  );
}

function supplyOf({ buses, layout: { ledDriver } }: UnitDevicesOptions): UnitDevices['supply'] {
  if (ledDriver.chip !== 'controller') return undefined;
  const controller = new BoardController(buses.i2c, ledDriver.address);
  return { readVolts: async () => (await controller.readVolts(supplyInput.input)) / supplyInput.dividedBy };
}

/** The drivers of a board, simulated or real, as the jobs of one unit share them. */
export function createUnitDevices(options: UnitDevicesOptions): UnitDevices {
  const { buses, layout, clock } = options;
  return {
    photodiodes: new Map(
      Object.entries(layout.photodiodes).map(([channel, address]) => [channel, new Ads1114(buses.i2c, address, clock)]),
    ),
    boardTemperature: new Tmp1075(buses.i2c, layout.temperatureAddress),
    hall: new HallSensor(buses.gpio, layout.hallLine, clock),
    supply: supplyOf(options),
    host: options.host ?? hostStatistics(options.dataFolder, options.appVersion),
    memory: options.memory ?? passingMemory(),
    opticalReadings: opticalReadings(),
    infraredLight: new InfraredLight(),
    calibrationOf: options.calibrationOf ?? (() => undefined),
    fusionOf: options.fusionOf ?? (() => undefined),
    modelOf: (name, version) => findModel(options.ownModel?.(), name, version),
  };
}
