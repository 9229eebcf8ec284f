import { sliceMs } from '@lcs/domain';
import type { Pace } from '../jobs/pace.ts';

/** Slices of a dose during one interval of OD readings. */
const slicesPerReading = 12;
const longestSliceMs = 20 * sliceMs;

/** Shortest interval of checks; nothing that they look for changes between two readings. */
const checkMs = 60_000;

/**
 * The pace of a unit in this process: its model does not change, its sensor always responds, and nothing is lost with the process.
 * A reading in the middle of a dose still finds most of it on the ledger. Pumps stop at their limits as finely as on other units.
 */
export const rehearsalPace = (odIntervalMs: number): Pace => ({
  boardCheckMs: Math.max(checkMs, odIntervalMs),
  volumeCheckMs: Math.max(checkMs, odIntervalMs),
  sliceMs: Math.max(sliceMs, Math.min(odIntervalMs / slicesPerReading, longestSliceMs)),
});
