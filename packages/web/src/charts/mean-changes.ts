import { chartsWords } from '../words/charts.ts';
import { commonWords } from '../words/common.ts';

/** Where other units have values than before: a mean is broken there. */
export interface MeanChange {
  readonly atMs: number;
  /** Of how many units the mean is before and after it. */
  readonly before: number;
  readonly after: number;
}

/** `mean of 3 units until 14:05, of 2 since` */
export const changeText = ({ before, after }: MeanChange, moment: string): string =>
  before === after
    ? chartsWords.meanOfOtherUnits(moment)
    : chartsWords.meanChanges(commonWords.unitCount(before), moment, after);

/** The change nearest to a moment, of those that are not farther away. */
export function changeNear(
  changes: readonly MeanChange[] | undefined,
  moment: number,
  nearMs: number,
): MeanChange | undefined {
  const distance = ({ atMs }: MeanChange): number => Math.abs(atMs - moment);
  return changes
    ?.filter((change) => distance(change) <= nearMs)
    .toSorted((one, other) => distance(one) - distance(other))[0];
}

/** `n = 3`, or `n = 2–3` where it changes. */
export function countsText(counts: readonly number[]): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? commonWords.countN(most) : chartsWords.countRange(least, most);
}
