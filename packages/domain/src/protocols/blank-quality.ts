import { blankMean } from '../od/blank-mean.ts';
import { evaluateBlank } from '../self-test/self-test.ts';

/** The blank of one photodiode: mean and noise of its readings of medium without cells. */
export interface ChannelBlank {
  readonly channel: string;
  readonly angle: string;
  readonly meanV: number;
  /** Standard deviation of one reading. */
  readonly noiseV: number;
}

/** Share of the mean: more noise means bubbles or particles in the medium. */
const maxNoise = 0.1;
/** V: smaller noise is that of the converter, independent of its share. */
const minNoiseV = 0.0005;
/** The last third of the readings drifts when it lies so many standard errors (which the drift makes larger) and this share of the mean from the first. */
const mostErrors = 2;
const mostDrift = 0.03;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / Math.max(1, values.length - 1));
}

/** Trimmed mean and noise of readings. */
export const summariseBlank = (channel: string, angle: string, readings: readonly number[]): ChannelBlank => ({
  channel,
  angle,
  meanV: blankMean(readings),
  noiseV: deviation(readings),
});

function drifts(readings: readonly number[], { meanV, noiseV }: ChannelBlank): boolean {
  const third = Math.floor(readings.length / 3);
  if (third < 2) return false;
  const changeV = Math.abs(mean(readings.slice(-third)) - mean(readings.slice(0, third)));
  const errorV = noiseV * Math.sqrt(2 / third);
  return changeV > mostErrors * errorV && changeV > mostDrift * Math.abs(meanV) && changeV > minNoiseV;
}

/** The problems of a blank, each one sentence for people; empty: the blank is good. */
export function blankProblems(blank: ChannelBlank, readings: readonly number[]): readonly string[] {
  const { channel, angle, meanV, noiseV } = blank;
  const name = `Photodiode ${channel} (${angle}°)`;
  if (meanV === 0) return [`${name} has no signal. Check its plug.`];
  const problems: string[] = [];
  if (noiseV > minNoiseV && noiseV > maxNoise * Math.abs(meanV))
    problems.push(
      `${name} is noisy (${((100 * noiseV) / Math.abs(meanV)).toFixed(0)} % of its mean). Check for bubbles, and whether the bar hits the vial.`,
    );
  if (drifts(readings, blank))
    problems.push(`${name} drifted during the readings. Let the vial rest, then measure again.`);
  const { passed } = evaluateBlank([{ channel, angle, volts: meanV }]);
  if (!passed)
    problems.push(`${name} measures more light than clear medium scatters. Check for cells and dirt in the vial.`);
  return problems;
}
