import type uPlot from 'uplot';
import { aheadMinutesAt } from '../time/moment-text.ts';
import { isolatedRows } from './isolated-rows.ts';
import type { PlotLine, PlotSettings } from './plot-types.ts';
import type { TimeRange } from './time-range.ts';
import { type TimeDisplay, timeLabels, timeTicks } from './time-ticks.ts';
import { logTicks, type Range, tickLabels, yTicks } from './y-scale.ts';

/** Lines and marks of other units than the highlighted one are so opaque. */
export const highlightedPaleness = 0.15;
const leastYAxisWidth = 46;
/** Of the widest digit of the font. */
const digitPx = 7.2;
const yAxisGap = 6;
/** The date is shown below the time of day. */
const xAxisHeights: { readonly [Display in TimeDisplay]: number } = { clock: 38, elapsed: 24 };
const font = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

/** What is shown now. */
export interface PlotFrame {
  readonly size: { readonly width: number; readonly height: number };
  readonly range: TimeRange;
  readonly y: Range;
}

/** Marks of other units than the highlighted one are pale. */
export const lineAlpha = (unit: string, highlighted: string | null): number =>
  highlighted === null || highlighted === unit ? 1 : highlightedPaleness;

/** How a line is drawn. */
export function seriesOf(line: Pick<PlotLine, 'name' | 'style'>): uPlot.Series {
  return {
    label: line.name,
    stroke: line.style.colour,
    width: 1.6,
    dash: [...line.style.dash],
    spanGaps: false,
    // A reading with a gap on both sides is drawn as a dot.
    points: {
      size: 4,
      fill: line.style.colour,
      show: true,
      filter: (plot, index) => [...isolatedRows(plot.data[index] ?? [])],
    },
  };
}

/** Both axes, with ticks at round values and times; `frame` returns the shown ranges when they are drawn. */
export function axesOf(
  { display, originMs, presentYear, isLogarithmic, ink }: PlotSettings,
  frame: () => PlotFrame,
): uPlot.Axis[] {
  const common = { stroke: ink.text, font, grid: { stroke: ink.grid, width: 1 }, ticks: { show: false } };
  const moments = (): number[] => {
    const { range, size } = frame();
    const most = Math.max(2, Math.floor((size.width - leastYAxisWidth) / 70));
    return [...timeTicks({ ...range, most, display, originMs, offsetMinutesAt: aheadMinutesAt })];
  };
  const values = (): number[] => {
    const { y, size } = frame();
    const room = size.height - xAxisHeights[display];
    return [...(isLogarithmic ? logTicks(y, room) : yTicks(y, room))];
  };
  return [
    {
      ...common,
      size: xAxisHeights[display],
      gap: 6,
      splits: moments,
      values: (_, ticks) => [...timeLabels(ticks, { display, originMs, presentYear })],
    },
    {
      ...common,
      // As wide as its longest label.
      size: (_, labels) =>
        Math.max(
          leastYAxisWidth,
          Math.ceil(Math.max(0, ...(labels ?? []).map(({ length }) => length)) * digitPx) + yAxisGap + 4,
        ),
      gap: yAxisGap,
      splits: values,
      values: (_, ticks) => (isLogarithmic ? ticks.map(String) : [...tickLabels(ticks)]),
      // The drawing library leaves out ticks of logarithmic axes by rules of its own.
      filter: (_, ticks) => ticks,
    },
  ];
}
