import type { Culture } from './growth.ts';
import { roomAt } from './room.ts';
import type { StirrerState } from './stirrer.ts';
import type { ThermalState } from './thermal.ts';
import type { LedChannel, Pump, VialParameters, VialStart } from './vial-parameters.ts';

/** What drives a vial, all in %. Even until it is changed. */
export interface VialInputs {
  readonly heaterDuty: number;
  readonly stirrerDuty: number;
  readonly pumps: Readonly<Record<Pump, number>>;
  readonly leds: Readonly<Record<LedChannel, number>>;
}

export const idleInputs: VialInputs = {
  heaterDuty: 0,
  stirrerDuty: 0,
  pumps: { media: 0, alt_media: 0, waste: 0 },
  leds: { A: 0, B: 0, C: 0, D: 0 },
};

/** Volumes since the start, mL: inflow and outflow. */
export interface VolumeLedger {
  readonly media: number;
  readonly altMedia: number;
  readonly waste: number;
  readonly evaporated: number;
  readonly spilled: number;
}

/** All variables. Plain data; a vial continues from a stored state. */
export interface VialState {
  /** Seconds since the start of the vial. */
  readonly timeS: number;
  readonly volumeMl: number;
  readonly culture: Culture;
  /** Share of the liquid that came as alternative medium, 0 to 1. */
  readonly altMediaShare: number;
  readonly thermal: ThermalState;
  readonly ambientOffsetC: number;
  readonly stirrer: StirrerState;
  readonly stirrerDrift: number;
  /** Share of the cells that float: falls when nothing stirs. */
  readonly suspended: number;
  /** Cells, g/l, as the light meets them: fresh medium takes seconds to mix. */
  readonly opticalCells: number;
  readonly ledWarmth: number;
  readonly ledHours: number;
  readonly reservoirsMl: Readonly<Record<Pump, number>>;
  /** Flow of the present or last run of each pump by its usual one; absent: 1. */
  readonly pumpRuns?: Readonly<Partial<Record<Pump, number>>>;
  /** What each pump still has to make up, of its start, before anything comes, ml; absent: nothing. */
  readonly pumpGapsMl?: Readonly<Partial<Record<Pump, number>>>;
  readonly ledger: VolumeLedger;
  /** Concentration of an inert substance relative to that at the start; absent: 1. Shows the true wash-out. */
  readonly tracer?: number;
  /** Slow noise of the light, in deviations of variance 1, and a shock that lasts until the next tick. */
  readonly wander: number;
  readonly shock: number;
}

type Changing<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** The state of a vial that is being simulated. Each step changes it in place: copies of it were most of what a simulated unit computed. */
export interface ChangingState extends Changing<VialState> {
  readonly culture: Changing<VialState['culture']>;
  readonly thermal: Changing<VialState['thermal']>;
  readonly stirrer: Changing<VialState['stirrer']>;
  readonly reservoirsMl: Changing<VialState['reservoirsMl']>;
  readonly ledger: Changing<VolumeLedger>;
  tracer: number;
}

/** A copy that is independent of the original. */
export const copyOf = (state: VialState): ChangingState => ({
  ...state,
  culture: { ...state.culture },
  thermal: { ...state.thermal },
  stirrer: { ...state.stirrer },
  reservoirsMl: { ...state.reservoirsMl },
  ledger: { ...state.ledger },
  tracer: state.tracer ?? 1,
});

export const initialState = (parameters: VialParameters, start: VialStart): VialState => {
  const { organism, ambientC } = parameters;
  const cells = start.od * organism.gramsPerOd;
  return {
    timeS: 0,
    volumeMl: start.volumeMl,
    culture: { cells, substrate: organism.feed, readiness: organism.readiness },
    altMediaShare: 0,
    thermal: { heaterC: ambientC, sleeveC: ambientC, liquidC: ambientC },
    ambientOffsetC: 0,
    stirrer: { rpm: 0, turns: 0 },
    stirrerDrift: 0,
    suspended: 1,
    opticalCells: cells,
    ledWarmth: 0,
    ledHours: 0,
    reservoirsMl: { media: start.reservoirMl, alt_media: start.reservoirMl, waste: 0 },
    ledger: { media: 0, altMedia: 0, waste: 0, evaporated: 0, spilled: 0 },
    wander: 0,
    shock: 0,
  };
};

/** The temperature of the room, °C, with its fluctuations. */
export const roomC = ({ ambientC, room }: VialParameters, { timeS, ambientOffsetC }: VialState): number =>
  roomAt(room, ambientC, timeS) + ambientOffsetC;

/** The optical density that is truly in the vial. */
export const trueOd = (parameters: VialParameters, state: VialState): number =>
  state.culture.cells / parameters.organism.gramsPerOd;
