import {
  defaultStart,
  defaultVialParameters,
  type Fault,
  faultNames,
  findNoiseProfile,
  findOrganism,
  noiseNames,
  type Organism,
  oneOfMany,
  organismNames,
  type RoomCourse,
  SeededStream,
  type VialParameters,
  type VialStart,
} from '@lcs/domain/boards';
import { type PhotodiodeAngles, VialPlant, type VialPlantOptions, type VialPlantState } from './vial-plant.ts';

/** Settings of one simulated unit, as JSON. Absent ones have their default. */
export interface VialPlantSettings {
  /** Sets this unit apart from others of the same seed. */
  readonly unit?: string;
  /** One of `organismNames`. */
  readonly organism?: string;
  /** Of the organism, instead of its usual ones. */
  readonly organismValues?: Partial<Omit<Organism, 'name'>>;
  /** Every constant is that of a usual unit; otherwise they differ from unit to unit. */
  readonly isTypical?: boolean;
  /** ml/s at full duty. Default: of a usual pump, or one that differs from it. */
  readonly pumpFlow?: VialParameters['pumpFlow'];
  /** One of `noiseNames`. */
  readonly noise?: string;
  /** Growth runs this many times faster, 1 to 1,000. */
  readonly speed?: number;
  readonly ambientC?: number;
  /** How the room changes; default: it keeps `ambientC`. */
  readonly room?: RoomCourse;
  readonly initialOd?: number;
  readonly volumeMl?: number;
  readonly reservoirMl?: number;
  readonly capacityMl?: 20 | 40;
  /** Volume at which the waste pump's tube draws air. Default 15. */
  readonly effluxMl?: number;
  /** How the alternative medium slows growth; default: not at all. */
  readonly inhibition?: VialParameters['inhibition'];
  readonly faults?: readonly Fault[];
  readonly angles?: PhotodiodeAngles;
  /** Continues from this state, after `passS` seconds with everything off. */
  readonly state?: VialPlantState;
  readonly passS?: number;
}

/** The settings contain an unknown name; the message lists the known ones. */
export class UnknownSimulation extends Error {
  constructor(what: string, name: string, known: readonly string[]) {
    super(`The simulator has no ${what} "${name}". It has: ${known.join(', ')}.`);
    this.name = 'UnknownSimulation';
  }
}

function known<T>(what: string, name: string, found: T | undefined, names: readonly string[]): T {
  if (found === undefined) throw new UnknownSimulation(what, name, names);
  return found;
}

/** The constants of one unit among many. @throws UnknownSimulation */
function vialParametersOf(settings: VialPlantSettings, seed: number): VialParameters {
  const { unit, organism: name, noise, speed, ambientC, room, capacityMl, inhibition, faults, pumpFlow } = settings;
  for (const { fault } of faults ?? []) {
    known(
      'fault',
      fault,
      faultNames.find((name) => name === fault),
      faultNames,
    );
  }
  const defaults = defaultVialParameters(capacityMl);
  const organism = name === undefined ? defaults.organism : known('organism', name, findOrganism(name), organismNames);
  const parameters: VialParameters = {
    ...defaults,
    organism: { ...organism, ...settings.organismValues },
    effluxMl: settings.effluxMl ?? defaults.effluxMl,
    noise: noise === undefined ? defaults.noise : known('noise', noise, findNoiseProfile(noise), noiseNames),
    speed: speed ?? defaults.speed,
    ambientC: ambientC ?? defaults.ambientC,
    ...(room === undefined ? {} : { room }),
    inhibition: inhibition ?? defaults.inhibition,
    faults: faults ?? defaults.faults,
  };
  const own = settings.isTypical ? parameters : oneOfMany(parameters, new SeededStream(seed).split(unit ?? ''));
  return pumpFlow === undefined ? own : { ...own, pumpFlow };
}

function vialStartOf({ initialOd, volumeMl, reservoirMl }: VialPlantSettings): VialStart {
  return {
    od: initialOd ?? defaultStart.od,
    volumeMl: volumeMl ?? defaultStart.volumeMl,
    reservoirMl: reservoirMl ?? defaultStart.reservoirMl,
  };
}

/** Construction and wiring of the simulated board. */
export type PlantBoard = Pick<VialPlantOptions, 'layout' | 'wiring'>;

/** The plant of one simulated unit; the same for the same settings and seed. @throws UnknownSimulation */
export function vialPlantOf(settings: VialPlantSettings, seed: number, board: PlantBoard = {}): VialPlant {
  const { unit, angles, state, passS } = settings;
  const plant = new VialPlant({
    ...board,
    parameters: vialParametersOf(settings, seed),
    seed: `${seed}/${unit ?? ''}`,
    start: vialStartOf(settings),
    ...(angles === undefined ? {} : { angles }),
    ...(state === undefined ? {} : { state }),
  });
  if (passS !== undefined) plant.pass(passS);
  return plant;
}
