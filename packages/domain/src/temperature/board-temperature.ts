/**
 * °C that the sensor of the heater's board can tell (TMP1075: Texas Instruments SBOS854). A wire that is off, or a transfer
 * that was disturbed, gives other numbers too.
 */
const [coldestC, hottestC] = [-40, 125];

/** Whether a number is a temperature that the board can have, °C; false for one that is no number. */
export const isBoardTemperature = (celsius: number): boolean => celsius >= coldestC && celsius <= hottestC;

/**
 * °C that lie between two readings of one board, some seconds apart at most. At full power a cold board begins to warm by 1 °C a
 * second, and a hot one to cool by 2 °C; two readings of a bus that gives any numbers agree by chance one time in 25.
 */
const mostBetweenC = 5;

/** Readings in a row of a board that is too hot, each near the one before. */
export interface HotRun {
  readonly count: number;
  /** The last of them. */
  readonly celsius: number;
}

/**
 * The run with another reading. One that is no temperature of a board counts neither way; one below the limit ends the run; one
 * far from the last begins it anew.
 */
export function updateHotRun(run: HotRun | undefined, celsius: number, limitC: number): HotRun | undefined {
  if (!isBoardTemperature(celsius)) return run;
  if (celsius < limitC) return undefined;
  const isNear = run !== undefined && Math.abs(celsius - run.celsius) <= mostBetweenC;
  return { count: isNear ? run.count + 1 : 1, celsius };
}

/** So many conversions make a reading, this far apart: as in similar systems. */
export const conversionsOfReading = 6;
export const conversionEveryMs = 50;
/** With fewer than these nobody can tell which of them is wrong. */
const leastConversions = 4;
/** °C: in the quarter of a second that a reading takes a board changes by half of a degree. */
const mostWithinReadingC = 2;

/**
 * The temperature of a board, °C, from conversions shortly after one another: the mean of those between the lowest and the
 * highest, so that one disturbed transfer changes nothing. Undefined when too few are temperatures, or they do not agree.
 */
export function averageConversions(conversions: readonly number[]): number | undefined {
  const sorted = conversions.filter(isBoardTemperature).sort((left, right) => left - right);
  if (sorted.length < leastConversions) return undefined;
  const middle = sorted.slice(1, -1);
  const [lowest = 0, highest = 0] = [middle[0], middle.at(-1)];
  if (highest - lowest > mostWithinReadingC) return undefined;
  return middle.reduce((sum, celsius) => sum + celsius, 0) / middle.length;
}
