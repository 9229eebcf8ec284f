import { blankMean } from '../od/blank-mean.ts';
import { evaluateBlank } from '../self-test/self-test.ts';

/** What readings of medium without cells say about one photodiode. */
export interface ChannelBlank {
  readonly channel: string;
  readonly angle: string;
  readonly meanV: number;
  /** Standard deviation of one reading. */
  readonly noiseV: number;
}

/** Share of the mean: medium that scatters more has bubbles, or something in it. */
const mostNoise = 0.1;
/** V: below this noise is that of the converter, whatever its share. */
const leastNoiseV = 0.0005;
/** The last third of the readings drifts when it lies so many standard errors (which the drift makes larger) and this share of the mean from the first. */
const mostErrors = 2;
const mostDrift = 0.03;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / Math.max(1, values.length - 1));
}

/** Mean without the extremes, and noise. */
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
  return changeV > mostErrors * errorV && changeV > mostDrift * Math.abs(meanV) && changeV > leastNoiseV;
}

/** What speaks against a blank, each a sentence for people. Nothing: it is good. */
export function blankProblems(blank: ChannelBlank, readings: readonly number[]): readonly string[] {
  const { channel, angle, meanV, noiseV } = blank;
  const who = `Photodiode ${channel} (${angle}°)`;
  if (meanV === 0) return [`${who} shows nothing at all: is it connected?`];
  const problems: string[] = [];
  if (noiseV > leastNoiseV && noiseV > mostNoise * Math.abs(meanV))
    problems.push(
      `${who} is noisy (${((100 * noiseV) / Math.abs(meanV)).toFixed(0)} % of its mean): are there bubbles, or does the bar hit the vial?`,
    );
  if (drifts(readings, blank))
    problems.push(`${who} has drifted while it was read: let the vial come to rest, and measure again.`);
  const { passed } = evaluateBlank([{ channel, angle, volts: meanV }]);
  if (!passed)
    problems.push(`${who} sees more light than clear medium scatters: does the vial hold cells, or is it dirty?`);
  return problems;
}
