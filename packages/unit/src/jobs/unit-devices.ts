import type { Model } from '@lcs/contract';
import { builtInModels, normaliseModelName } from '@lcs/domain';
import {
  type BoardLayout,
  type Buses,
  HallSensor,
  type KernelFiles,
  kernelFiles,
  type Photodiodes,
  Tmp1075,
} from '@lcs/hardware';
import { type HostStatistics, hostStatistics, type JobEvent, type JobOrigin } from '@lcs/node';
import type { Clock } from '@lcs/platform';
import type { ShowControl } from '../mirror/control-message.ts';
import { BoardInputs } from './board-inputs.ts';
import type { BoardButton } from './monitor/board-button.ts';
import { type BoardFacts, readBoardFacts } from './monitor/board-facts.ts';
import { type Pace, usualPace } from './pace.ts';
import type { UnitPumps } from './pumps/pumping.ts';
import { noPumps, type PumpingOptions, unitPumps } from './pumps/unit-pumps.ts';
import type { CalibrationOf, FusionOf } from './shared/calibration.ts';
import { ExtraReadings } from './shared/extra-readings.ts';
import type { FaultCode } from './shared/fault-codes.ts';
import { InfraredLight } from './shared/infrared-light.ts';
import { type JobMemory, passingMemory } from './shared/job-memory.ts';
import { LedHolders } from './shared/led-holders.ts';
import { type LiquidEstimates, liquidEstimates } from './shared/liquid-estimate.ts';
import { type OpticalReadings, opticalReadings } from './shared/optical-reading.ts';
import type { Photodiode } from './shared/photodiode.ts';

/** The temperature of the heater's board, °C. */
interface BoardThermometer {
  /** One conversion. @throws BusError */
  readCelsius(): Promise<number>;
  /** A whole reading at once, in a simulation where its conversions would not differ. */
  readonly readWhole?: () => number;
  /** The same at each of these times, the first being the present; the result returns them all at the last one. */
  readonly follow?: (timesMs: readonly number[]) => () => readonly number[];
}

/** The sensors of a unit for its jobs, and the facts that jobs need. Outputs are driven through leases only. */
export interface UnitDevices {
  /** By photodiode number, as text: those of the model that the unit has now. */
  readonly photodiodes: ReadonlyMap<string, Photodiode>;
  readonly boardTemperature: BoardThermometer;
  readonly hallSensor: Pick<HallSensor, 'measure'>;
  /** Voltage of the supply of pumps, heater and stirrer; undefined on boards that cannot measure it. */
  readonly supply: { readVolts(): Promise<number> } | undefined;
  readonly host: HostStatistics;
  /** The hardware versions of the unit, as far as they are readable. */
  readonly boardFacts: () => Promise<BoardFacts>;
  readonly memory: JobMemory;
  readonly opticalReadings: OpticalReadings;
  readonly extraReadings: ExtraReadings;
  /** The estimate of the temperature job before a probe's trim, for sessions that compare it with a probe. */
  readonly liquidEstimates: LiquidEstimates;
  /** Flashes the board's small light: for people who stand before the unit. */
  readonly showFault: (code: FaultCode) => void;
  /** The button on the board; undefined: there is none, as on simulated boards. */
  readonly button: BoardButton | undefined;
  /** Whether the broker is connected; undefined: the unit uses none. */
  readonly brokerReached: () => boolean | undefined;
  /** Switches the computer off, and with it all that it feeds; false where this program may not. */
  readonly powerOff: () => Promise<boolean>;
  /** Who has the infrared LED now. */
  readonly infraredLight: InfraredLight;
  readonly calibrationOf: CalibrationOf;
  readonly fusionOf: FusionOf;
  readonly modelOf: (name: string, version: string) => Model | undefined;
  /** The model that the leader has given this unit. */
  readonly ownModel: () => Model | undefined;
  readonly pumps: UnitPumps;
  readonly pace: Pace;
  /** Who has set which LED. */
  readonly leds: LedHolders;
  /** Records an event in the name of a job, even while the job is ending. */
  readonly recordEvent: (job: JobOrigin, event: JobEvent) => void;
  readonly showControl: ShowControl;
  /** Sets values of the vial in an experiment by name, as a person would. */
  readonly setVial: (experiment: string, values: Readonly<Record<string, number>>) => Promise<unknown>;
}

export interface UnitDevicesOptions {
  readonly buses: Buses;
  readonly layout: BoardLayout;
  /** The present addresses of the photodiodes, which depend on the model. Default: those of the layout. */
  readonly photodiodes?: () => Photodiodes;
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
  /** Default: no pump runs. */
  readonly pumping?: Omit<PumpingOptions, 'modelOf' | 'ownModel' | 'sliceMs'>;
  /** Default: that of real units. */
  readonly pace?: Pace;
  /** Default: events are discarded. */
  readonly recordEvent?: UnitDevices['recordEvent'];
  /** Default: nothing is shown. */
  readonly showControl?: ShowControl;
  /** Default: nothing is kept about the vial. */
  readonly setVial?: UnitDevices['setVial'];
  readonly host?: HostStatistics;
  /** Default: the sensor of the board. */
  readonly boardTemperature?: BoardThermometer;
  /** Default: a topic of its own. */
  readonly opticalReadings?: OpticalReadings;
  /** Default: true. */
  readonly isSimulated?: boolean;
  /** Files about this computer and its board. Default: those of its kernel. */
  readonly deviceTree?: KernelFiles;
  /** Default: nothing is shown. */
  readonly showFault?: (code: FaultCode) => void;
  readonly button?: BoardButton;
  readonly brokerReached?: () => boolean | undefined;
  /** Default: it may not. */
  readonly powerOff?: () => Promise<boolean>;
}

/** The leader may have models of its own, which take precedence over built-in ones. */
function findModel(own: Model | undefined, name: string, version: string): Model | undefined {
  const known = own === undefined ? builtInModels : [own, ...builtInModels];
  const requested = normaliseModelName(name);
  return known.find(
    ({ model_name, model_version }) => normaliseModelName(model_name) === requested && model_version === version,
  );
}

/** The drivers of a board, simulated or real, as the jobs of one unit share them. */
export function createUnitDevices(options: UnitDevicesOptions): UnitDevices {
  const { buses, layout, clock, pumping, pace = usualPace } = options;
  const inputs = new BoardInputs(buses, clock);
  const ownModel = options.ownModel ?? (() => undefined);
  const modelOf: UnitDevices['modelOf'] = (name, version) => findModel(ownModel(), name, version);
  return {
    get photodiodes() {
      return inputs.photodiodes(options.photodiodes?.() ?? layout.photodiodes);
    },
    boardTemperature: options.boardTemperature ?? new Tmp1075(buses.i2c, layout.temperatureAddress),
    hallSensor: new HallSensor(buses.gpio, layout.hallLine, clock),
    supply: inputs.supply(layout),
    host: options.host ?? hostStatistics(options.dataFolder, options.appVersion),
    boardFacts: () =>
      readBoardFacts({
        buses,
        layout,
        isSimulated: options.isSimulated ?? true,
        deviceTree: options.deviceTree ?? kernelFiles('/proc/device-tree'),
      }),
    memory: options.memory ?? passingMemory(),
    opticalReadings: options.opticalReadings ?? opticalReadings(),
    extraReadings: new ExtraReadings(),
    liquidEstimates: liquidEstimates(),
    showFault: options.showFault ?? (() => {}),
    button: options.button,
    brokerReached: options.brokerReached ?? (() => undefined),
    powerOff: options.powerOff ?? (async () => false),
    infraredLight: new InfraredLight(),
    calibrationOf: options.calibrationOf ?? (() => undefined),
    fusionOf: options.fusionOf ?? (() => undefined),
    modelOf,
    ownModel,
    pumps: pumping === undefined ? noPumps : unitPumps({ ...pumping, modelOf, ownModel, sliceMs: pace.sliceMs }),
    pace,
    leds: new LedHolders(),
    recordEvent: options.recordEvent ?? (() => {}),
    showControl: options.showControl ?? (() => {}),
    setVial: options.setVial ?? (async () => {}),
  };
}
