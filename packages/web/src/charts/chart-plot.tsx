import 'uplot/dist/uPlot.min.css';
import { type ChartDescriptor, hourMs } from '@lcs/contract';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useServices } from '../services/services.tsx';
import type { PageClock } from '../time/page-clock.ts';
import styles from './chart-card.module.css';
import type { ChartView } from './chart-view.ts';
import { createDrawThrottle } from './draw-throttle.ts';
import type { FlagSpan } from './flag-spans.ts';
import type { LineCache } from './line-cache.ts';
import type { OffSpan } from './off-spans.ts';
import { createPlot, type Plot } from './plot.ts';
import { inks } from './plot-inks.ts';
import { lineName, newestPoints, newestText, pannedBy, readingText, zoomedBy } from './plot-text.ts';
import type { PlotLine, PlotReading, TimeRange } from './plot-types.ts';
import { unitStyle } from './unit-colours.ts';
import { ValueBox } from './value-box.tsx';

interface ChartPlotProps {
  readonly descriptor: ChartDescriptor;
  readonly view: ChartView;
  readonly cache: LineCache;
  /** Standard deviations of the lines, by their labels; `null`: the values are not estimates. */
  readonly deviations: LineCache | null;
  /** The flagged spans, by the label of the line. */
  readonly flags: ReadonlyMap<string, readonly FlagSpan[]>;
  readonly isInView: boolean;
  readonly isLogarithmic: boolean;
}

/** Live points are drawn at most so often. */
const drawPauseMs = 1000;
/** Without new readings the window moves on by a pixel at a time, within these bounds. */
const idleDraw = { leastMs: 1000, mostMs: 20_000 };
const pointerStep = 0.02;

/** The window of a chart: the zoomed one, else that of the lookback, but not before the first reading. */
function rangeOf(cache: LineCache, view: ChartView, hours: number): TimeRange {
  if (view.zoom) return view.zoom;
  const toMs = view.nowMs();
  const firstMs = Math.min(view.originMs, ...cache.lines().map(({ points }) => points.x[0] ?? toMs));
  return { fromMs: Math.max(firstMs, toMs - hours * hourMs), toMs };
}

const noFlags: readonly FlagSpan[] = [];
const neverOff: readonly OffSpan[] = [];

type Shown = Pick<ChartPlotProps, 'view' | 'cache' | 'deviations' | 'flags'>;

function plotLines({ view, cache, deviations, flags }: Shown, scheme: 'light' | 'dark'): readonly PlotLine[] {
  const lines = cache.lines();
  const deviationsOf = (label: string) => deviations?.lines().find((each) => each.label === label)?.points ?? null;
  return lines
    .filter(({ unit }) => !view.hiddenUnits.has(unit))
    .map((line) => {
      const channels = lines.filter(({ unit }) => unit === line.unit);
      return {
        ...line,
        name: lineName(line, lines, view.nameOf),
        style: unitStyle(view.indexOf(line.unit), scheme, channels.indexOf(line)),
        deviations: deviationsOf(line.label),
        flags: flags.get(line.label) ?? noFlags,
        off: view.off.get(line.unit) ?? neverOff,
      };
    });
}

interface PlotHandle {
  readonly plot: Plot | null;
  readonly range: () => TimeRange;
  readonly onZoom: (range: TimeRange | null) => void;
}

/** Keys of a chart: arrows move the pointer, with Shift the window; + and - zoom. */
function onPlotKey(event: KeyboardEvent<HTMLDivElement>, { plot, range, onZoom }: PlotHandle): void {
  const move = (direction: number): void =>
    event.shiftKey ? onZoom(pannedBy(range(), 0.25 * direction)) : plot?.movePointer(pointerStep * direction);
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => move(-1),
    ArrowRight: () => move(1),
    '+': () => onZoom(zoomedBy(range(), 0.5)),
    '-': () => onZoom(zoomedBy(range(), 2)),
    Escape: () => onZoom(null),
  };
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

/** The settings of a drawing: it is created anew when they change. */
function usePlotSettings({ view, descriptor, isLogarithmic }: ChartPlotProps, scheme: 'light' | 'dark') {
  const { display, originMs } = view;
  return useMemo(
    () => ({
      display,
      originMs,
      domain: descriptor.y_axis_domain ?? [0, 1],
      decimals: descriptor.fixed_decimals,
      isStepped: /step/i.test(descriptor.interpolation),
      isLogarithmic,
      ink: inks[scheme],
    }),
    [display, originMs, descriptor, isLogarithmic, scheme],
  );
}

/** Draws now, at each change of a cache, and when the window has moved by a pixel; returns how to stop that. */
function drawOnChange(
  caches: readonly (LineCache | null)[],
  clock: PageClock,
  draw: RefObject<() => void>,
  idleMs: RefObject<number>,
): () => void {
  const throttle = createDrawThrottle(clock, drawPauseMs, () => draw.current());
  let drawnAt = clock.now();
  const stops = caches.flatMap((each) => each?.subscribe(throttle.request) ?? []);
  const stopTicking = clock.everySecond(() => {
    if (clock.now() - drawnAt < idleMs.current) return;
    drawnAt = clock.now();
    throttle.request();
  });
  draw.current();
  return () => {
    for (const stop of [...stops, stopTicking]) stop();
    throttle.stop();
  };
}

/** Creates the plot of a chart, and draws it when its readings, its view or the time change. */
function usePlot(props: ChartPlotProps, onPoint: (reading: PlotReading | null) => void) {
  const { descriptor, view, cache, deviations, flags, isInView } = props;
  const { clock } = useServices();
  const scheme = useComputedColorScheme('light');
  const { ref: frame, width, height } = useElementSize<HTMLDivElement>();
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | null>(null);
  const newest = useRef(descriptor.title);
  const idle = useRef(idleDraw.mostMs);

  const hours = view.hoursOf(descriptor);
  const draw = useRef<() => void>(() => {});
  draw.current = () => {
    if (!isInView || plot.current === null || width === 0) return;
    if (view.zoom === null) {
      cache.trim(view.nowMs() - hours * hourMs);
      deviations?.trim(view.nowMs() - hours * hourMs);
    }
    const lines = plotLines(props, scheme);
    const range = rangeOf(cache, view, hours);
    idle.current = Math.min(idleDraw.mostMs, Math.max(idleDraw.leastMs, (range.toMs - range.fromMs) / width));
    plot.current.resize(width, height);
    plot.current.draw(lines, range);
    plot.current.highlight(view.highlighted);
    newest.current = `${descriptor.title}. ${newestText(lines, descriptor.fixed_decimals)}`;
    holder.current?.setAttribute('aria-label', newest.current);
    holder.current?.setAttribute('data-newest', newestPoints(lines));
  };

  const settings = usePlotSettings(props, scheme);
  const { experiment, onZoom } = view;
  useEffect(() => {
    if (holder.current === null) return undefined;
    const created = createPlot(holder.current, experiment, settings, { onZoom, onPoint });
    plot.current = created;
    const stopDrawing = drawOnChange([cache, deviations], clock, draw, idle);
    return () => {
      stopDrawing();
      plot.current = null;
      created.destroy();
    };
  }, [cache, deviations, clock, experiment, onZoom, onPoint, settings]);

  // A changed view is drawn at once: the person waits for it.
  const shownState = useMemo(
    () => ({ view, descriptor, scheme, width, height, isInView, flags }),
    [view, descriptor, scheme, width, height, isInView, flags],
  );
  useEffect(() => {
    if (shownState.isInView) draw.current();
  }, [shownState]);
  return { frame, holder, plot, label: newest.current, range: () => rangeOf(cache, view, hours) };
}

/** The drawing of a chart, with its pointer and keys. */
export function ChartPlot(props: ChartPlotProps) {
  const { onZoom } = props.view;
  const [pointed, setPointed] = useState<PlotReading | null>(null);
  const { frame, holder, plot, label, range } = usePlot(props, setPointed);
  return (
    <div ref={frame} className={styles.frame}>
      <div
        ref={holder}
        className={styles.plot}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-roledescription="chart"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={pointed ? Math.round((100 * pointed.left) / pointed.width) : 100}
        aria-valuetext={pointed ? readingText(pointed) : 'now'}
        onKeyDown={(event) => onPlotKey(event, { plot: plot.current, range, onZoom })}
        onDoubleClick={() => onZoom(null)}
        onBlur={() => plot.current?.releasePointer()}
      />
      <ValueBox reading={pointed} />
    </div>
  );
}
