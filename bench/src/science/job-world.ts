import { type TestUnitOptions, testUnit } from '../../../packages/unit/src/testing/test-unit.ts';
import type { Plant } from './plants.ts';

/** A unit with its board, guard and jobs on virtual time, around the plant of a run: the very jobs that units run. */
export function jobWorld(plant: Plant, options: TestUnitOptions = {}) {
  const seed = Math.floor(plant.chance.split('unit').uniform() * 2 ** 31);
  return testUnit({ ...options, seed, vial: { ...plant.vial(), ...options.vial } });
}
