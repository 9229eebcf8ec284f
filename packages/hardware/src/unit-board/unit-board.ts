import type { Cancel, Clock, Service } from '@lcs/platform';
import type { BoardLayout } from '../board-layout.ts';
import type { ReactorModel } from '../board-versions.ts';
import type { Buses } from '../buses/buses.ts';
import type { Actuators } from '../guard/actuators.ts';
import type { GuardEvent } from '../guard/guard-link.ts';
import type { Wiring } from '../guard/guard-types.ts';
import type { LinuxPlaces } from '../linux/linux-buses.ts';
import type { Oversampling } from '../simulated/simulated-board.ts';
import type { Witness } from '../simulated/witness.ts';
import type { PlantWiring, VialPlant, VialPlantState } from '../vial-plant/vial-plant.ts';
import type { VialPlantSettings } from '../vial-plant/vial-plant-settings.ts';

interface CommonOptions {
  /** Default: board 1.2. */
  readonly layout?: BoardLayout;
  /** What the guard may drive; default: the usual wiring. */
  readonly wiring?: Wiring;
}

/** Board and guard as objects of the node: time may be virtual, and both end with the node. */
export interface BoardHere extends CommonOptions {
  readonly kind: 'simulated_here';
  readonly seed: number;
  readonly vial: VialPlantSettings;
  /** Times the board, the vial and the guard. */
  readonly clock: Clock;
  readonly plantWiring?: PlantWiring;
  /** Default: slot by slot. */
  readonly oversampling?: Oversampling;
  readonly witness?: Witness;
  /** How often the guard reads the temperature while heating, ms. Default 1,000. */
  readonly heatCheckMs?: number;
  /** Wraps the buses of the drivers and of the guard, for example to count transactions. */
  readonly between?: (board: Buses) => Buses;
}

/** Board and guard as processes of their own: the board outlives a killed node, and the guard switches it off. */
export interface BoardApart extends CommonOptions {
  readonly kind: 'simulated_process';
  readonly socketPath: string;
  /** Where the process id of the watchdog is kept. */
  readonly watchdogPath: string;
  readonly wire: Clock;
  /** With it the node owns the board: it starts the board if none answers, and ends it when it stops. */
  readonly own?: {
    readonly witnessPath: string;
    readonly seed: number;
    readonly vial: VialPlantSettings;
    /** Where the board saves its vial, every minute and at its end, as `PlantRecord<VialPlantState>`. */
    readonly statePath?: string;
    readonly oversampling?: Oversampling;
  };
}

/** A real board on this computer, with its guard as a process. */
export interface BoardOnLinux {
  readonly kind: 'linux';
  readonly places: LinuxPlaces;
  /** Where the process id of the watchdog is kept. */
  readonly watchdogPath: string;
  readonly wire: Clock;
  readonly layoutFor: (model: ReactorModel | undefined) => BoardLayout;
  /** Default: the usual wiring. */
  readonly wiring?: Wiring;
  /** Switches every output off while no guard can. */
  readonly switchOffProgram?: string;
}

export type UnitBoardOptions = BoardHere | BoardApart | BoardOnLinux;

/** All of a unit's hardware as the unit's role uses it. */
export interface UnitBoard {
  readonly buses: Buses;
  readonly actuators: Actuators;
  readonly layout: BoardLayout;
  /** The same under a reactor of this model, which has its own photodiodes. */
  layoutFor(model: ReactorModel | undefined): BoardLayout;
  readonly wiring: Wiring;
  /** In the order of starting. After the start everything is off; after the stop too. */
  readonly parts: readonly Service[];
  readonly isSimulated: boolean;
  /** Events of the guard; the actuators have processed them already. */
  onGuardEvent(listener: (event: GuardEvent) => void): Cancel;
  /**
   * A JPEG of what a simulated camera sees now, undefined when there is nothing to look at; missing on real boards. `atMs`,
   * milliseconds since 1970, is written into it. A board that is a process draws there: no real camera takes memory of its
   * unit. @throws BusError
   */
  still?(atMs: number): Promise<Uint8Array | undefined>;
  /** The true state of the vial, if it is simulated in this process. */
  readonly plant?: VialPlant;
  /** The value of `vial.state` for the next start; missing where the board is a process. */
  saveState?(): VialPlantState;
}
