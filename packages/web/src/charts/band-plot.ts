import { hourMs } from '@lcs/contract';
import uPlot from 'uplot';
import { type BandLine, type BandRoom, bandColumns, bandEndMs, bandRange, bandTextAt } from './band-lines.ts';
import { changeNear, changeText } from './mean-changes.ts';
import { axesOf, seriesOf } from './plot-style.ts';
import type { PlotReading, PlotSettings } from './plot-types.ts';
import { type MomentForm, momentLabel } from './time-ticks.ts';
import { unitStyle } from './unit-colours.ts';

const elapsed: MomentForm = { display: 'elapsed', originMs: 0, presentYear: 0 };
const bandAlpha = '2a';
/** A change of the units of a mean is explained within this share of the chart. */
const nearShare = 0.02;

export interface BandPlot {
  resize(width: number, height: number): void;
  /** Moves the pointer by a share of the width. */
  movePointer(share: number): void;
  destroy(): void;
}

interface BandPlotOptions {
  readonly element: HTMLElement;
  readonly lines: readonly BandLine[];
  readonly room: BandRoom;
  readonly scheme: 'light' | 'dark';
  readonly ink: PlotSettings['ink'];
  readonly onPoint: (reading: PlotReading | null) => void;
}

function pointedAt(plot: uPlot, { lines, scheme }: BandPlotOptions): PlotReading | null {
  const { left } = plot.cursor;
  if (left === undefined || left === null || left < 0) return null;
  const ms = plot.posToVal(left, 'x');
  const nearMs = bandEndMs(lines) * nearShare;
  const values = lines.map((line, at) => {
    const change = changeNear(line.changes, ms, nearMs);
    const flags = change === undefined ? [] : [changeText(change, momentLabel(change.atMs, elapsed))];
    return { name: line.name, value: bandTextAt(line, ms / hourMs), style: unitStyle(at, scheme), flags };
  });
  return {
    moment: momentLabel(ms, elapsed),
    values,
    marks: [],
    left,
    width: plot.over.clientWidth,
    offset: plot.over.offsetLeft,
  };
}

/** Draws predicted lines with their bands; all bands of one group share the pointer. */
export function createBandPlot(options: BandPlotOptions): BandPlot {
  const { element, lines, room, scheme, ink, onPoint } = options;
  const y = bandRange(lines, room);
  const range = { fromMs: 0, toMs: bandEndMs(lines) };
  let size = { width: 0, height: 0 };
  const settings: PlotSettings = {
    ...elapsed,
    domain: y,
    decimals: 3,
    isStepped: false,
    isLogarithmic: false,
    y: 'all',
    ink,
  };
  const styles = lines.map((_, at) => unitStyle(at, scheme));
  const plot = new uPlot(
    {
      ...size,
      ms: 1,
      padding: [8, 20, 0, 0],
      // A line that is rounded to pixels looks like stairs.
      pxAlign: 0,
      legend: { show: false },
      cursor: {
        drag: { x: false, y: false, setScale: false },
        points: { show: false },
        y: false,
        sync: { key: 'rehearsal', setSeries: false, scales: ['x', null] },
      },
      scales: { x: { time: false, range: () => [range.fromMs, range.toMs] }, y: { range: () => [y[0], y[1]] } },
      axes: axesOf(settings, () => ({ size, range, y })),
      series: [
        {},
        ...lines.flatMap(({ name }, at) => {
          const median = seriesOf({ name, style: styles[at] ?? unitStyle(0, scheme) });
          const edge: uPlot.Series = { spanGaps: false, width: 0, points: { show: false } };
          return [median, edge, edge];
        }),
      ],
      bands: lines.map((_, at) => ({
        series: [3 * at + 3, 3 * at + 2],
        fill: `${styles[at]?.colour ?? '#888888'}${bandAlpha}`,
      })),
      hooks: {
        setCursor: [
          (self) =>
            onPoint(
              self.over.matches(':hover') || document.activeElement === element ? pointedAt(self, options) : null,
            ),
        ],
      },
    },
    [...bandColumns(lines)],
    element,
  );
  return {
    resize: (width, height) => {
      if (size.width === width && size.height === height) return;
      size = { width, height };
      plot.setSize(size);
    },
    movePointer: (share) => {
      const { left } = plot.cursor;
      const { clientWidth, clientHeight } = plot.over;
      const from = left === undefined || left === null || left < 0 ? 0 : left;
      plot.setCursor({
        left: Math.min(Math.max(from + share * clientWidth, 0), clientWidth - 1),
        top: clientHeight / 2,
      });
    },
    destroy: () => plot.destroy(),
  };
}
