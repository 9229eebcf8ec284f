import { sliceMs } from '@lcs/domain';
import type { Pace } from '../jobs/pace.ts';

/** Slices of a dose during one interval of OD readings. */
const slicesPerReading = 12;

/**
 * The pace of a unit in this process: its model does not change, its sensor always responds, and nothing is lost with the process.
 * A reading in the middle of a dose still finds most of it on the ledger. Pumps stop at their limits as finely as on other units.
 */
export const rehearsalPace = (odIntervalMs: number): Pace => ({
  boardCheckMs: 60_000,
  volumeCheckMs: 60_000,
  sliceMs: Math.max(sliceMs, Math.min(odIntervalMs / slicesPerReading, 10 * sliceMs)),
});
