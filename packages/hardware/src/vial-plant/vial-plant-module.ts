import type { Plant } from '../simulated/plant.ts';
import { type VialPlantSettings, vialPlantOf } from './vial-plant-settings.ts';

const isSettings = (options: unknown): options is VialPlantSettings => typeof options === 'object' && options !== null;

/**
 * The plant of a board process. Both ends are of one program: the settings are not checked beyond the names in them.
 * @throws UnknownSimulation, TypeError
 */
export function createPlant(options: unknown, seed: number): Plant {
  if (!isSettings(options)) throw new TypeError('A simulated vial needs an object of settings.');
  return vialPlantOf(options, seed);
}
