import { type ChartDescriptor, hourMs } from '@lcs/contract';
import { Button, Skeleton, Text } from '@mantine/core';
import { type ComponentProps, type ReactNode, useCallback, useId, useMemo, useRef, useSyncExternalStore } from 'react';
import { problemText } from '../api/problem.ts';
import { useJobDescriptors, useJobs } from '../services/queries.ts';
import { Moment } from '../ui/moments.tsx';
import { useInView } from '../ui/use-in-view.ts';
import { chartsWords } from '../words/charts.ts';
import { commonWords } from '../words/common.ts';
import { BreakLegend } from './break-legend.tsx';
import styles from './chart-card.module.css';
import { ChartExport } from './chart-export.tsx';
import { type AxisChoice, ChartOptions } from './chart-options.tsx';
import { ChartPlot, type PlotHandle } from './chart-plot.tsx';
import { deviationsOf, isDensity, jobOfChart } from './chart-source.ts';
import type { ChartView } from './chart-view.ts';
import { areBandsCrowded, bandDeviations } from './deviation-band.ts';
import { FlagLegend } from './flag-legend.tsx';
import { shownFlags } from './flag-spans.ts';
import type { Line, LineCache } from './line-cache.ts';
import { shownBreaks } from './off-spans.ts';
import { lineName } from './plot-text.ts';
import { useChartLines } from './use-chart-lines.ts';
import { useSampleFlags } from './use-sample-flags.ts';
import { parseTransformation } from './y-transformation.ts';

interface ChartCardProps {
  readonly descriptor: ChartDescriptor;
  readonly view: ChartView;
}

interface EmptyProps {
  readonly descriptor: ChartDescriptor;
  readonly experiment: string;
  readonly isAllHidden: boolean;
  /** When the experiment ended; `null`: it has not. */
  readonly endMs: number | null;
  readonly onWhole: ChartView['onWhole'];
}

/** Why the chart is empty, and what to do. */
function Empty({ descriptor, experiment, isAllHidden, endMs, onWhole }: EmptyProps) {
  const jobs = useJobs() ?? [];
  const jobName = jobOfChart(descriptor);
  const { data: descriptors = [] } = useJobDescriptors();
  const title = descriptors.find(({ job_name }) => job_name === jobName)?.display_name;
  const isRunning = jobs.some(
    (job) => job.job_name === jobName && job.experiment === experiment && job.state !== 'lost',
  );
  const sentence = (): string => {
    if (isAllHidden) return chartsWords.allUnitsHidden;
    if (endMs !== null) return chartsWords.endedWithoutReadings;
    if (title === undefined) return chartsWords.noReadingsInWindow;
    if (isRunning) return chartsWords.noReadingsYet(title);
    return chartsWords.noReadingsStartJob(title);
  };
  return (
    <Text size="sm" c="dimmed" className={styles.empty}>
      {endMs !== null && !isAllHidden && chartsWords.lastReadingAt(<Moment ms={endMs} />)} {sentence()}
      {endMs !== null && !isAllHidden && onWhole !== null && (
        <Button size="compact-sm" variant="default" ml="xs" onClick={onWhole}>
          {chartsWords.showWhole}
        </Button>
      )}
    </Text>
  );
}

/** The scale factor of a linear function: a standard deviation is scaled, but not shifted. */
const slopeOf =
  (transform: (y: number) => number) =>
  (deviation: number): number =>
    Math.abs(transform(deviation) - transform(0));

const identity = (y: number): number => y;
const everything = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };

/** The lines of a chart, their uncertainty, and the flags of their readings. */
function useChartContents({ descriptor, view }: ChartCardProps, isWanted: boolean, isInView: boolean) {
  const { y_transformation } = descriptor;
  const transform = useMemo(() => parseTransformation(y_transformation), [y_transformation]);
  const slope = useMemo(() => slopeOf(transform ?? identity), [transform]);
  const { experiment, unitCount, zoom, hoursSinceEnd } = view;
  const common = { experiment, hours: view.hoursOf(descriptor), unitCount, zoom, hoursSinceEnd };
  const spread = deviationsOf(descriptor);
  const lines = useChartLines({ ...common, source: descriptor, transform: transform ?? identity, isWanted });
  // A chart of measured values requests nothing more.
  const deviations = useChartLines({
    ...common,
    source: spread ?? descriptor,
    transform: slope,
    isWanted: isWanted && spread !== null,
  });
  const flags = useSampleFlags({ source: descriptor, ...common, isWanted: isInView });
  return {
    ...lines,
    transform: transform ?? identity,
    isTransformed: transform !== null,
    deviations: spread === null ? null : deviations.cache,
    flags,
  };
}

/** The labels of the lines of a cache; the caller is drawn again when they change. */
const useLabels = (cache: LineCache): string =>
  useSyncExternalStore(cache.subscribe, () =>
    cache
      .lines()
      .map(({ label }) => label)
      .join('\n'),
  );

/** The lines that are shown, the marks of their readings, and the breaks in the window. */
function useShownLines(
  { descriptor, view }: ChartCardProps,
  { cache, flags }: Pick<ReturnType<typeof useChartContents>, 'cache' | 'flags'>,
) {
  const labels = useLabels(cache);
  const lines = useMemo(() => (labels === '' ? [] : cache.lines()), [cache, labels]);
  const shown = lines.filter(({ unit }) => !view.hiddenUnits.has(unit));
  const marks = shownFlags(
    shown.map((line) => ({ name: lineName(line, lines, view.nameOf), flags: flags.get(line.label) ?? [] })),
    view.zoom ?? everything,
  );
  const breaks = shownBreaks(
    shown.map(({ unit }) => ({ name: view.nameOf(unit), off: view.off.get(unit) ?? [] })),
    view.zoom ?? { fromMs: view.nowMs() - view.hoursOf(descriptor) * hourMs, toMs: Number.POSITIVE_INFINITY },
  );
  return { lines, shown, isEmpty: shown.length === 0, marks, breaks };
}

/** What the shaded areas are. */
const bandRemark = ({ arrangement }: ChartView, shown: readonly Line[]): string =>
  arrangement !== 'units' && areBandsCrowded(shown)
    ? chartsWords.deviationsOfPointedUnit(bandDeviations)
    : chartsWords.deviationsShaded(bandDeviations);

/** The unit of the values, unless the title has it. */
function unitRemark({ title, y_axis_label }: ChartDescriptor, isTransformed: boolean): string | false {
  if (!isTransformed) return chartsWords.asMeasured;
  return y_axis_label !== '' && !title.includes(y_axis_label) && y_axis_label;
}

interface HeadProps {
  readonly titleId: string;
  readonly descriptor: ChartDescriptor;
  /** Beside the title: the unit of the values, and remarks. */
  readonly remarks: readonly (string | false)[];
  readonly axis: AxisChoice;
  readonly onAxis: (axis: AxisChoice) => void;
  /** The menu of the chart. */
  readonly children: ReactNode;
}

function Head({ titleId, descriptor, remarks, axis, onAxis, children }: HeadProps) {
  return (
    <div className={styles.head}>
      <div className={styles.words}>
        <h3 id={titleId} className={styles.title}>
          {descriptor.title}
        </h3>
        {remarks.map(
          (remark) =>
            remark !== false && (
              <span key={remark} className={styles.unit}>
                {remark}
              </span>
            ),
        )}
      </div>
      <div className={styles.acts}>
        {isDensity(descriptor) && (
          <button
            type="button"
            className={styles.log}
            aria-pressed={axis.isLogarithmic}
            aria-label={chartsWords.logScaleFor(descriptor.title)}
            title={chartsWords.logarithmicScaleHelp}
            onClick={() => onAxis({ ...axis, isLogarithmic: !axis.isLogarithmic })}
          >
            {chartsWords.log}
          </button>
        )}
        {children}
      </div>
    </div>
  );
}

interface ChartProblemProps {
  readonly error: unknown;
  readonly isRetrying: boolean;
  readonly onRetry: () => void;
}

function ChartProblem({ error, isRetrying, onRetry }: ChartProblemProps) {
  const problem = problemText(error);
  return (
    <div className={styles.problem} role="alert">
      <span>
        {problem.error} {problem.remediation}
      </span>
      <Button size="compact-xs" variant="default" onClick={onRetry} loading={isRetrying}>
        {commonWords.tryAgain}
      </Button>
    </div>
  );
}

interface SmallPlotsProps extends Omit<ComponentProps<typeof ChartPlot>, 'only'> {
  readonly lines: readonly Line[];
}

interface SmallPlotProps extends ComponentProps<typeof ChartPlot> {
  readonly only: string;
  readonly isFirst: boolean;
}

/** With a hundred units most of them are out of view: those have the room of a drawing only. */
function SmallPlot({ isFirst, ...plot }: SmallPlotProps) {
  const item = useRef<HTMLLIElement>(null);
  const isInView = useInView(item) && plot.isInView;
  return (
    <li ref={item}>
      <div className={styles.smallName}>{plot.view.nameOf(plot.only)}</div>
      {/* The export of the chart has the handle of the first. */}
      {isInView || isFirst ? <ChartPlot {...plot} isInView={isInView} /> : <div className={styles.frame} data-small />}
    </li>
  );
}

/** A small drawing for each unit, all with the same axes and one pointer. */
function SmallPlots({ lines, onHandle, ...plot }: SmallPlotsProps) {
  const units = [...new Set(lines.map(({ unit }) => unit))];
  const ignore = useCallback(() => {}, []);
  return (
    <ul className={styles.small}>
      {units.map((unit, at) => (
        <SmallPlot key={unit} {...plot} only={unit} isFirst={at === 0} onHandle={at === 0 ? onHandle : ignore} />
      ))}
    </ul>
  );
}

/** One chart with its title; while it is out of view it is not drawn. */
export function ChartCard({ descriptor, view }: ChartCardProps) {
  const titleId = useId();
  const card = useRef<HTMLElement>(null);
  const isInView = useInView(card);
  const wasInView = useRef(false);
  wasInView.current ||= isInView;
  const contents = useChartContents({ descriptor, view }, wasInView.current, isInView);
  const { cache, deviations, flags, isKnown, error, isFetching, retry, transform, isTransformed } = contents;
  const { lines, shown, isEmpty, marks, breaks } = useShownLines({ descriptor, view }, contents);
  const remarks = [
    unitRemark(descriptor, isTransformed),
    view.groups.length > 0 && !isEmpty && chartsWords.meanOfEachGroup,
    view.groups.length === 0 && deviations !== null && !isEmpty && bandRemark(view, shown),
    isFetching && isKnown && chartsWords.loading,
  ];
  const key = descriptor.chart_key;
  const axis: AxisChoice = { isLogarithmic: view.axes.logarithmic.has(key), y: view.axes.y.get(key) ?? 'auto' };
  const handle = useRef<PlotHandle | null>(null);
  const onHandle = useCallback((next: PlotHandle) => {
    handle.current = next;
  }, []);
  const plot = { descriptor, view, cache, deviations, flags, isInView, ...axis, onHandle };
  const onAxis = (choice: AxisChoice): void => view.onAxis(key, choice);
  return (
    <section ref={card} className={styles.card} aria-labelledby={titleId}>
      <Head titleId={titleId} descriptor={descriptor} remarks={remarks} axis={axis} onAxis={onAxis}>
        <ChartOptions
          title={descriptor.title}
          axis={axis}
          shownValues={() => handle.current?.plot()?.shownValues() ?? null}
          onAxis={onAxis}
        >
          <ChartExport descriptor={descriptor} view={view} transform={transform} handle={() => handle.current} />
        </ChartOptions>
      </Head>
      {error && <ChartProblem error={error} isRetrying={isFetching} onRetry={() => void retry()} />}
      {!isEmpty && view.arrangement !== 'units' && <ChartPlot {...plot} />}
      {!isEmpty && view.arrangement === 'units' && <SmallPlots {...plot} lines={shown} />}
      <FlagLegend title={descriptor.title} flags={marks} />
      <BreakLegend title={descriptor.title} breaks={breaks} />
      {isEmpty && isKnown && (
        <Empty
          descriptor={descriptor}
          experiment={view.experiment}
          isAllHidden={lines.length > 0}
          endMs={view.isOver ? view.nowMs() : null}
          onWhole={view.onWhole}
        />
      )}
      {isEmpty && !isKnown && !error && (
        <Skeleton className={styles.frame} role="status" aria-label={commonWords.loadingNamed(descriptor.title)} />
      )}
    </section>
  );
}
