/**
 * Measuring range of the sensor of the heater's board, °C (TMP1075: Texas Instruments SBOS854). A broken wire or a disturbed
 * transfer also gives numbers outside of it.
 */
const [coldestC, hottestC] = [-40, 125];

/** Whether a number is a possible temperature of the board, °C; false for NaN. */
export const isBoardTemperature = (celsius: number): boolean => celsius >= coldestC && celsius <= hottestC;

/**
 * Maximum difference between two readings of one board a few seconds apart, °C. At full power a cold board warms by 1 °C a second,
 * and a hot one cools by 2 °C; two random readings agree in one of 25 cases.
 */
const mostBetweenC = 5;

/** Consecutive readings of a board that is too hot, each close to the one before. */
export interface HotRun {
  readonly count: number;
  /** The last of them. */
  readonly celsius: number;
}

/**
 * The run after another reading. An impossible temperature is ignored; a reading below the limit ends the run; a reading far from the
 * last one restarts it.
 */
export function updateHotRun(run: HotRun | undefined, celsius: number, limitC: number): HotRun | undefined {
  if (!isBoardTemperature(celsius)) return run;
  if (celsius < limitC) return undefined;
  const isNear = run !== undefined && Math.abs(celsius - run.celsius) <= mostBetweenC;
  return { count: isNear ? run.count + 1 : 1, celsius };
}

/** Number and spacing of the conversions of a reading, as in similar systems. */
export const conversionsOfReading = 6;
export const conversionEveryMs = 50;
/** Minimum number of conversions to detect a wrong one. */
const leastConversions = 4;
/** °C: a board changes by 0.5 °C during the 0.25 s of a reading. */
const mostWithinReadingC = 2;

/**
 * The temperature of a board, °C: the mean of conversions without the lowest and the highest, so that one disturbed transfer has no
 * effect. Undefined: too few valid conversions, or they do not agree.
 */
export function averageConversions(conversions: readonly number[]): number | undefined {
  const sorted = conversions.filter(isBoardTemperature).sort((left, right) => left - right);
  if (sorted.length < leastConversions) return undefined;
  const middle = sorted.slice(1, -1);
  const [lowest = 0, highest = 0] = [middle[0], middle.at(-1)];
  if (highest - lowest > mostWithinReadingC) return undefined;
  return middle.reduce((sum, celsius) => sum + celsius, 0) / middle.length;
}
