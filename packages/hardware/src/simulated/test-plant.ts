import type { Plant } from './plant.ts';
import { SteadyPlant } from './steady-plant.ts';

/** The plant of board processes in tests. */
export const createPlant = (): Plant => new SteadyPlant();
