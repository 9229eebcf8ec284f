import type { BoardLayout } from '../board-layout.ts';
import type { Plant } from '../simulated/plant.ts';
import type { Oversampling } from '../simulated/simulated-board.ts';

/** The start parameters of a board process, as one JSON argument. */
export interface BoardProcessOptions {
  readonly socketPath: string;
  readonly witnessPath: string;
  readonly seed: number;
  readonly layout: BoardLayout;
  /** URL of the module whose `createPlant` makes the plant. */
  readonly plantModule: string;
  /** Passed to `createPlant`. */
  readonly plantOptions: unknown;
  /** File of the state of the plant, as `PlantRecord`; default: not saved. */
  readonly statePath?: string;
  /** Default: slot by slot. */
  readonly oversampling?: Oversampling;
}

/** The exports of a plant module. */
export interface PlantModule {
  createPlant(options: unknown, seed: number): Plant;
}

/** @throws TypeError when `loaded` makes no plant */
export function plantModuleOf(loaded: unknown): PlantModule {
  if (isPlantModule(loaded)) return loaded;
  throw new TypeError('The plant module exports no function createPlant.');
}

const isPlantModule = (loaded: unknown): loaded is PlantModule =>
  typeof loaded === 'object' && loaded !== null && 'createPlant' in loaded && typeof loaded.createPlant === 'function';
