import { randomInt } from 'node:crypto';

/** From 0 to below 1: where a node takes its chance from when nobody gives it another. */
export const chance = (): number => randomInt(2 ** 32) / 2 ** 32;
