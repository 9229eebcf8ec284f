import type { DataPoint } from './least-squares.ts';

/** A run of a pump: seconds and ml of one pulse, weighed together with others of the same length. */
export interface PumpRunPoint extends DataPoint {
  readonly pulses: number;
}

/** Runs of a pump differ by this share of their volume (standard deviation; fact sheet, 10.6). */
const runDeviation = 0.02;
/** Standard deviation of a weight that a scale rounds to 0.01 g. */
const weightDeviationMl = 0.01 / Math.sqrt(12);
/** A pump loses some microlitres at each start, while its tube fills again (standard deviation of what is known before). Chosen. */
const startLossDeviationMl = 0.02;

/**
 * The line `volume = slope · seconds − startLoss` of a pump, with the variances of its runs and of the scale. Runs of one length
 * cannot tell the loss from a smaller slope: then the loss stays near 0 and the line is right for that length. Undefined: no run.
 */
export function fitPumpLine(
  runs: readonly PumpRunPoint[],
): { readonly slope: number; readonly startLossMl: number } | undefined {
  let [xx, x, xy, y, one] = [0, 0, 0, 0, 0];
  for (const run of runs) {
    const variance = (runDeviation * run.y) ** 2 / run.pulses + (weightDeviationMl / run.pulses) ** 2;
    const weight = 1 / variance;
    xx += weight * run.x * run.x;
    x += weight * run.x;
    xy += weight * run.x * run.y;
    y += weight * run.y;
    one += weight;
  }
  if (xx <= 0) return undefined;
  const prior = 1 / startLossDeviationMl ** 2;
  const determinant = xx * (one + prior) - x * x;
  const intercept = (xx * y - x * xy) / determinant;
  if (intercept >= 0) return { slope: xy / xx, startLossMl: 0 };
  return { slope: (xy - intercept * x) / xx, startLossMl: -intercept };
}
