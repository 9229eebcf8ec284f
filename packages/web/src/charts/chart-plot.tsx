import { chartsWords } from '../words/charts.ts';
import 'uplot/dist/uPlot.min.css';
import { type ChartDescriptor, hourMs } from '@lcs/contract';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef } from 'react';
import { useServices } from '../services/services.tsx';
import { useTicking } from '../services/use-ticking.ts';
import type { PageClock } from '../time/page-clock.ts';
import styles from './chart-card.module.css';
import type { ChartView } from './chart-view.ts';
import { createDrawThrottle } from './draw-throttle.ts';
import type { FlagSpan } from './flag-spans.ts';
import { groupedLines } from './group-lines.ts';
import type { ChangeWatch, LineCache } from './line-cache.ts';
import type { OffSpan } from './off-spans.ts';
import { createPlot, type Plot } from './plot.ts';
import { inks } from './plot-inks.ts';
import { lineName, newestPoints, newestText, readingText } from './plot-text.ts';
import type { PlotLine, PlotReading, PlotScene, PlotSettings } from './plot-types.ts';
import { createPointedReading } from './pointed-reading.ts';
import type { TimeRange } from './time-range.ts';
import { clampedWindow, latestWindow, pannedBy, zoomedAround } from './time-window.ts';
import { unitStyle } from './unit-colours.ts';
import { PointedValues } from './value-box.tsx';
import type { YChoice } from './y-choice.ts';

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
  readonly y: YChoice;
  /** Only the lines of this unit, on the range of values of all; absent: all lines. */
  readonly only?: string;
  /** Takes the handle of the drawing. */
  readonly onHandle: (handle: PlotHandle) => void;
}

/** Live points are drawn at most so often; of many units one has a new reading all the time. */
const drawPauseMs = { usual: 1000, manyUnits: 2000 };
const manyUnits = 12;
/** Without new readings the window moves on by a pixel at a time, within these bounds. */
const idleDraw = { leastMs: 1000, mostMs: 20_000 };
const pointerStep = 0.02;

/** The first reading, or the beginning of the experiment. */
const firstMsOf = (cache: LineCache, view: ChartView): number =>
  Math.min(view.originMs, ...cache.lines().map(({ points }) => points.x[0] ?? view.originMs));

/** The window of a chart: the zoomed one, else that of the lookback, but not before the first reading. */
function rangeOf(cache: LineCache, view: ChartView, hours: number): TimeRange {
  const zoom = view.window.current();
  if (zoom) return zoom;
  const window = latestWindow(firstMsOf(cache, view), view.nowMs(), hours * hourMs);
  return view.isOver ? { ...window, toMs: view.nowMs() } : window;
}

const noFlags: readonly FlagSpan[] = [];
const neverOff: readonly OffSpan[] = [];

type WindowMove = (window: TimeRange | null) => void;

type Shown = Pick<ChartPlotProps, 'view' | 'cache' | 'deviations' | 'flags'>;

/** The lines of the units of a chart. */
function unitLines({ view, cache, deviations, flags }: Shown, scheme: 'light' | 'dark'): readonly PlotLine[] {
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

/** The lines of a chart as they are drawn: of its units, or of groups of them. */
function plotLines(shown: Shown, scheme: 'light' | 'dark'): readonly PlotLine[] {
  const lines = unitLines(shown, scheme);
  const { groups } = shown.view;
  return groups.length === 0
    ? lines
    : groupedLines(lines, groups, (place, channel) => unitStyle(place, scheme, channel));
}

/** What a person can do with a drawing, beside pointing at it. */
export interface PlotHandle {
  readonly plot: () => Plot | null;
  readonly range: () => TimeRange;
  /** What is drawn now, in the colours of a scheme; and how. */
  readonly scene: (scheme: 'light' | 'dark') => PlotScene;
  readonly settings: (scheme: 'light' | 'dark') => PlotSettings;
}

/** Keys of a chart: arrows move the pointer, with Shift the window; + and - zoom; Enter opens the mark at the pointer. */
function onPlotKey(event: KeyboardEvent<HTMLDivElement>, { plot, range }: PlotHandle, move: WindowMove): void {
  const step = (direction: number): void =>
    event.shiftKey ? move(pannedBy(range(), 0.25 * direction)) : plot()?.movePointer(pointerStep * direction);
  const actions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => step(-1),
    ArrowRight: () => step(1),
    '+': () => move(zoomedAround(range(), 0.5)),
    '-': () => move(zoomedAround(range(), 2)),
    Enter: () => plot()?.chooseMark(),
    Escape: () => move(null),
  };
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

/** The settings of a drawing: it is created anew when they change. */
function usePlotSettings({ view, descriptor, isLogarithmic, y }: ChartPlotProps, scheme: 'light' | 'dark') {
  const { display, originMs } = view;
  const presentYear = Number(useTicking((nowMs) => String(new Date(nowMs).getFullYear())));
  return useMemo(
    () => ({
      display,
      originMs,
      presentYear,
      domain: descriptor.y_axis_domain ?? [0, 1],
      decimals: descriptor.fixed_decimals,
      isStepped: /step/i.test(descriptor.interpolation),
      isLogarithmic,
      y,
      ink: inks[scheme],
    }),
    [display, originMs, presentYear, descriptor, isLogarithmic, y, scheme],
  );
}

/** Draws all, or what has changed in the readings and in time. */
type Draw = (what: 'all' | 'live') => void;

/** Draws now, at each change of a cache, and when the window has moved by a pixel; returns how to stop that. */
function drawOnChange(
  caches: readonly (LineCache | null)[],
  clock: PageClock,
  draw: RefObject<Draw>,
  { idleMs, pauseMs }: { readonly idleMs: RefObject<number>; readonly pauseMs: number },
): () => void {
  const throttle = createDrawThrottle(clock, pauseMs, () => draw.current('live'));
  let drawnAt = clock.now();
  const stops = caches.flatMap((each) => each?.subscribe(throttle.request) ?? []);
  const stopTicking = clock.everySecond(() => {
    if (clock.now() - drawnAt < idleMs.current) return;
    drawnAt = clock.now();
    throttle.request();
  });
  draw.current('all');
  return () => {
    for (const stop of [...stops, stopTicking]) stop();
    throttle.stop();
  };
}

/** What a chart draws now. */
function sceneOf({ descriptor, view, only, ...shown }: ChartPlotProps, scheme: 'light' | 'dark'): PlotScene {
  const isShown = (unit: string | null): boolean =>
    unit === null || (only === undefined ? !view.hiddenUnits.has(unit) : unit === only);
  const lines = plotLines({ view, ...shown }, scheme);
  return {
    lines: only === undefined ? lines : lines.filter(({ unit }) => unit === only),
    scaleLines: lines,
    marks: view.events.marks.filter(({ unit }) => isShown(unit)),
    targets: view.events.targetsOf(descriptor.data_source).filter(({ unit }) => isShown(unit)),
    chosenMs: view.events.chosenMs,
    colourOf: (unit) => (unit === null ? inks[scheme].text : unitStyle(view.indexOf(unit), scheme).colour),
  };
}

/** Calls `draw` with the next frame after a change. */
function drawOnFrame(subscribe: (listener: () => void) => () => void, draw: () => void): () => void {
  let frame: number | undefined;
  const stop = subscribe(() => {
    frame ??= requestAnimationFrame(() => {
      frame = undefined;
      draw();
    });
  });
  return () => {
    stop();
    if (frame !== undefined) cancelAnimationFrame(frame);
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
  const watches = useRef<readonly ChangeWatch[]>([]);

  const hours = view.hoursOf(descriptor);
  const range = (): TimeRange => rangeOf(cache, view, hours);
  const draw = useRef<Draw>(() => {});
  draw.current = (what) => {
    if (!isInView || plot.current === null || width === 0) return;
    // A moved window is drawn by its movement.
    if (what === 'live' && view.window.isMoving()) return;
    const changedFromMs = Math.min(...watches.current.map((watch) => watch.take()));
    // A reading of one unit may change the mean of its group further back.
    const isWhole = what === 'all' || view.groups.length > 0;
    cache.trim(view.nowMs() - hours * hourMs);
    deviations?.trim(view.nowMs() - hours * hourMs);
    const scene = sceneOf(props, scheme);
    const window = range();
    idle.current = Math.min(idleDraw.mostMs, Math.max(idleDraw.leastMs, (window.toMs - window.fromMs) / width));
    plot.current.resize(width, height);
    plot.current.draw(scene, window, isWhole ? Number.NEGATIVE_INFINITY : changedFromMs);
    plot.current.highlight(view.highlight.current());
    const title = props.only === undefined ? descriptor.title : `${descriptor.title}, ${view.nameOf(props.only)}`;
    newest.current = `${title}. ${newestText(scene.lines, descriptor.fixed_decimals)}`;
    holder.current?.setAttribute('aria-label', newest.current);
    holder.current?.setAttribute('data-newest', newestPoints(scene.lines));
  };
  const moveTo = useRef<WindowMove>(() => {});
  moveTo.current = (window) =>
    view.window.move(window && clampedWindow(window, { fromMs: firstMsOf(cache, view), toMs: view.nowMs() }));
  const moved = useRef<() => void>(() => {});
  moved.current = () => {
    if (isInView && width > 0) plot.current?.move(range(), view.window.isMoving());
  };

  const settings = usePlotSettings(props, scheme);
  const { experiment, window, highlight, onMark } = view;
  const pauseMs = view.unitCount > manyUnits ? drawPauseMs.manyUnits : drawPauseMs.usual;
  useEffect(() => {
    if (holder.current === null) return undefined;
    const move = (next: TimeRange): void => moveTo.current(next);
    const created = createPlot(holder.current, experiment, settings, {
      onMove: move,
      onBrush: move,
      onHold: window.hold,
      onPoint,
      onMark,
    });
    plot.current = created;
    const watching = [cache, deviations].flatMap((each) => each?.watchChanges() ?? []);
    watches.current = watching;
    const stopDrawing = drawOnChange([cache, deviations], clock, draw, { idleMs: idle, pauseMs });
    return () => {
      stopDrawing();
      for (const watch of watching) watch.stop();
      // A gesture ends with its chart.
      window.hold(false);
      plot.current = null;
      created.destroy();
    };
  }, [cache, deviations, clock, experiment, window, onPoint, onMark, settings, pauseMs]);
  useEffect(() => drawOnFrame(window.subscribe, () => moved.current()), [window]);
  useEffect(() => drawOnFrame(highlight.subscribe, () => plot.current?.highlight(highlight.current())), [highlight]);

  // A changed view is drawn at once: the person waits for it.
  const shownState = useMemo(
    () => ({ view, descriptor, scheme, width, height, isInView, flags }),
    [view, descriptor, scheme, width, height, isInView, flags],
  );
  useEffect(() => {
    if (shownState.isInView) draw.current('all');
  }, [shownState]);
  const handle: PlotHandle = {
    plot: () => plot.current,
    range,
    scene: (wanted) => sceneOf(props, wanted),
    settings: (wanted) => ({ ...settings, ink: inks[wanted] }),
  };
  return { frame, holder, label: newest.current, handle, moveTo };
}

/** Where the pointer is, for screen readers; set without drawing the chart anew. */
function describePointer(holder: HTMLElement | null, pointed: PlotReading | null): void {
  holder?.setAttribute('aria-valuenow', String(pointed ? Math.round((100 * pointed.left) / pointed.width) : 100));
  holder?.setAttribute('aria-valuetext', pointed ? readingText(pointed) : chartsWords.now);
}

/** The drawing of a chart, with its pointer and keys. */
export function ChartPlot(props: ChartPlotProps) {
  const { onHandle, only } = props;
  const pointed = useMemo(createPointedReading, []);
  const { frame, holder, label, handle, moveTo } = usePlot(props, pointed.set);
  useEffect(() => onHandle(handle));
  useEffect(() => {
    const describe = (): void => describePointer(holder.current, pointed.current());
    describe();
    return pointed.subscribe(describe);
  }, [pointed, holder]);
  return (
    <div ref={frame} className={styles.frame} data-small={only === undefined ? undefined : ''}>
      <div
        ref={holder}
        className={styles.plot}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-roledescription="chart"
        aria-valuemin={0}
        aria-valuemax={100}
        // Set by the pointer from then on.
        aria-valuenow={100}
        aria-valuetext="now"
        onKeyDown={(event) => onPlotKey(event, handle, moveTo.current)}
        onDoubleClick={() => moveTo.current(null)}
        onBlur={() => handle.plot()?.releasePointer()}
      />
      <PointedValues pointed={pointed} />
    </div>
  );
}
