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
export function hotRunWith(run: HotRun | undefined, celsius: number, limitC: number): HotRun | undefined {
  if (!isBoardTemperature(celsius)) return run;
  if (celsius < limitC) return undefined;
  const isNear = run !== undefined && Math.abs(celsius - run.celsius) <= mostBetweenC;
  return { count: isNear ? run.count + 1 : 1, celsius };
}
