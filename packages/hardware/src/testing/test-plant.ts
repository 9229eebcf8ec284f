import type { Plant } from '../simulated/plant.ts';
import { SteadyPlant } from '../simulated/steady-plant.ts';

/** The plant of board processes in tests. */
export const createPlant = (): Plant => new SteadyPlant();
