import { sliceMs } from '@lcs/domain';
import type { Pace } from '../jobs/pace.ts';

/** Slices of a dose during one interval of OD readings. */
const slicesPerReading = 6;
const longestSliceMs = 20 * sliceMs;

/** Shortest interval of checks of the volume: only doses change it, and each of them looks at the limit itself. */
const volumeCheckMs = 300_000;
/** Of checks whether model and sensor are still there: they always are. */
const boardCheckMs = 3_600_000;

/**
 * The pace of a unit in this process: its model does not change, its sensor always responds, and nothing is lost with the process.
 * A reading in the middle of a dose still finds most of it on the ledger. Pumps stop at their limits as finely as on other units.
 */
export const rehearsalPace = (odIntervalMs: number): Pace => ({
  boardCheckMs: Math.max(boardCheckMs, odIntervalMs),
  coolingEvery: 2,
  volumeCheckMs: Math.max(volumeCheckMs, odIntervalMs),
  sliceMs: Math.max(sliceMs, Math.min(odIntervalMs / slicesPerReading, longestSliceMs)),
});
