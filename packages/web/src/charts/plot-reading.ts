import { flagDescriptions } from '@lcs/domain';
import { fixedText } from '../ui/number-text.ts';
import { chartsWords } from '../words/charts.ts';
import { flagsAt } from './flag-spans.ts';
import { changeNear, changeText } from './mean-changes.ts';
import { offLabel } from './off-spans.ts';
import type { PlotLine, PlotReading, PlotSettings } from './plot-types.ts';
import { nearestIndex } from './points.ts';
import type { TimeRange } from './time-range.ts';
import { type MomentForm, momentLabel } from './time-ticks.ts';

/** A point has a value for moments that are at most this share of the window away. */
const nearShare = 0.03;

type ReadingSettings = Pick<PlotSettings, keyof MomentForm | 'decimals'>;

/** The value of a line at a moment: that of its nearest point, none in a pause, `off` while its unit was off. */
function valueAt(
  { points, counts, changes, name, style, flags, off }: PlotLine,
  moment: number,
  nearMs: number,
  settings: ReadingSettings,
) {
  const offReason = offLabel(off, moment);
  if (offReason !== null) return [{ name, value: 'off', style, flags: [offReason], y: Number.NEGATIVE_INFINITY }];
  const index = nearestIndex(points.x, moment);
  const x = points.x[index];
  const y = points.y[index];
  if (x === undefined || y === undefined) return [];
  // A slow series has values between its readings too.
  const interval = Math.min(
    x - (points.x[index - 1] ?? x - nearMs),
    (points.x[index + 1] ?? Number.POSITIVE_INFINITY) - x,
  );
  if (Math.abs(x - moment) > Math.max(nearMs, 3 * interval)) return [];
  const titles = flagsAt(flags, x).map((flag) => flagDescriptions[flag].title);
  const count = counts?.[index];
  const change = changeNear(changes, moment, nearMs);
  if (change !== undefined) titles.push(changeText(change, momentLabel(change.atMs, settings)));
  const value = `${fixedText(y, settings.decimals)}${count === undefined ? '' : chartsWords.andCountN(count)}`;
  return [{ name, value, style, flags: titles, y }];
}

/** The values of all lines at a moment, the highest first. */
export function readingsAt(
  lines: readonly PlotLine[],
  moment: number,
  range: TimeRange,
  settings: ReadingSettings,
): Pick<PlotReading, 'moment' | 'values'> {
  const nearMs = (range.toMs - range.fromMs) * nearShare;
  const values = lines.flatMap((line) => valueAt(line, moment, nearMs, settings));
  return {
    moment: momentLabel(moment, settings),
    values: values.sort((one, other) => other.y - one.y).map(({ y: _, ...value }) => value),
  };
}
