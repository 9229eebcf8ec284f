import { type ChartDescriptor, hourMs } from '@lcs/contract';
import {
  Button,
  Group,
  NativeSelect,
  Popover,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  VisuallyHidden,
} from '@mantine/core';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import {
  useChartDescriptors,
  useChartPreferences,
  useInterruptions,
  useReplicateGroups,
  useSharedConfig,
} from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { windowZones } from '../time/moment-text.ts';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { usePhone } from '../ui/use-phone.ts';
import { chartsWords } from '../words/charts.ts';
import { commonWords } from '../words/common.ts';
import { ChartCard } from './chart-card.tsx';
import { configuredCharts, visibleCharts } from './chart-choice.ts';
import { ChartPicker } from './chart-picker.tsx';
import {
  type Arrangement,
  axesOfSearch,
  axisSearch,
  type ChartSearch,
  type ChartSearchUpdate,
  hiddenOfSearch,
  hiddenSearch,
  zoomOfSearch,
  zoomSearch,
} from './chart-search.ts';
import { type ChartEvents, type ChartView, noEvents } from './chart-view.ts';
import styles from './charts-panel.module.css';
import { configSection } from './config-section.ts';
import { type LineGroup, meanRule } from './group-lines.ts';
import { createHighlightedUnit } from './highlighted-unit.ts';
import { isLookback, type Lookback, lookbackHours, lookbacks, lookbackText } from './lookback.ts';
import { offSpans } from './off-spans.ts';
import type { ChartMark } from './plot-events.ts';
import { createSharedWindow, type SharedWindow } from './shared-window.ts';
import type { TimeRange } from './time-range.ts';
import type { TimeDisplay } from './time-ticks.ts';
import { UnitLegend } from './unit-legend.tsx';
import { WindowButtons } from './window-buttons.tsx';

interface ChartsPanelProps {
  readonly experiment: string;
  readonly createdAtMs: number;
  /** When the experiment ended; `null`: it goes on. */
  readonly endMs: number | null;
  /** All units that are or were in the experiment, in the order of their colours. */
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  /** The view that the address contains. */
  readonly search: ChartSearch;
  readonly onSearch: (update: ChartSearchUpdate) => void;
  /** What is drawn on the charts beside the lines. */
  readonly events?: ChartEvents;
  /** Opens the timeline at a mark. */
  readonly onMark?: (mark: ChartMark) => void;
}

const noGroups: readonly LineGroup[] = [];

/** The set with the member added, or removed if it was there. */
function toggled(set: ReadonlySet<string>, member: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(member)) next.add(member);
  return next;
}

function configuredDisplay(config: string | undefined): TimeDisplay {
  const section = configSection(config ?? '', 'ui.overview.settings');
  return section?.get('time_display_mode') === 'hours' ? 'elapsed' : 'clock';
}

const windowOptions = lookbacks.map((value) => ({ value, label: lookbackText[value] }));
const arrangementOptions = [
  { value: 'overlaid', label: chartsWords.overlaid },
  { value: 'units', label: chartsWords.perUnit },
  { value: 'groups', label: chartsWords.groups },
];

/** The zoomed window: moved at once, and written to the address when the movement has paused. */
function useSharedWindow(zoom: TimeRange | null, onSettled: (zoom: TimeRange | null) => void): SharedWindow {
  const { clock } = useServices();
  const settled = useRef(onSettled);
  settled.current = onSettled;
  const window = useMemo(() => createSharedWindow(clock, (next) => settled.current(next)), [clock]);
  useEffect(() => window.adopt(zoom), [window, zoom]);
  useEffect(() => window.stop, [window]);
  return window;
}

/** The view of the charts from the address; the same values as long as it does not change. */
function useShownChoices({ search, onSearch }: Pick<ChartsPanelProps, 'search' | 'onSearch'>) {
  const { from, to, log, y, hidden } = search;
  const zoom = useMemo(() => zoomOfSearch({ ...(from && { from }), ...(to && { to }) }), [from, to]);
  const axes = useMemo(() => axesOfSearch({ ...(log && { log }), ...(y && { y }) }), [log, y]);
  const hiddenUnits = useMemo(() => hiddenOfSearch({ ...(hidden && { hidden }) }), [hidden]);
  const change = useRef(onSearch);
  change.current = onSearch;
  const onAxis: ChartView['onAxis'] = useCallback(
    (key, choice) => change.current((before) => axisSearch(axesOfSearch(before), key, choice)),
    [],
  );
  const window = useSharedWindow(zoom, (next) => onSearch(zoomSearch(next)));
  return useMemo(() => ({ zoom, axes, hiddenUnits, onAxis, window }), [zoom, axes, hiddenUnits, onAxis, window]);
}

/** The state that all charts of the panel share. */
function useChartView(props: ChartsPanelProps, display: TimeDisplay, lookback: Lookback) {
  const { experiment, createdAtMs: originMs, endMs, units, nameOf, events = noEvents } = props;
  const { data: interruptions } = useInterruptions(experiment);
  const off = useMemo(() => offSpans(interruptions ?? []), [interruptions]);
  const leaderNowMs = useLeaderNow();
  const choices = useShownChoices(props);
  const openMark = useRef(props.onMark);
  openMark.current = props.onMark;
  const onMark = useCallback((mark: ChartMark) => openMark.current?.(mark), []);
  const search = useRef(props.onSearch);
  search.current = props.onSearch;
  const isWhole = lookback === 'all' && choices.zoom === null;
  const onWhole = useMemo(
    () => (isWhole ? null : () => search.current({ window: 'all', ...zoomSearch(null) })),
    [isWhole],
  );
  const { arrange: arrangement = 'overlaid' } = props.search;
  const groups = useReplicateGroups(experiment, arrangement === 'groups') ?? noGroups;
  const highlight = useMemo(createHighlightedUnit, []);
  const time = useMemo(
    () => ({
      nowMs: () => endMs ?? leaderNowMs(),
      hoursSinceEnd: () => (endMs === null ? 0 : Math.max(0, leaderNowMs() - endMs) / hourMs),
      isOver: endMs !== null,
      hoursOf: (descriptor: ChartDescriptor) => lookbackHours(lookback, descriptor.lookback),
    }),
    [endMs, leaderNowMs, lookback],
  );
  const naming = useMemo(() => {
    const known = new Map(units.map((unit, index) => [unit, index]));
    return { nameOf, unitCount: units.length, indexOf: (unit: string) => known.get(unit) ?? units.length };
  }, [units, nameOf]);
  const view: ChartView = useMemo(
    () => ({
      experiment,
      display,
      originMs,
      ...time,
      ...choices,
      onWhole,
      events,
      onMark,
      off,
      highlight,
      ...naming,
      arrangement,
      groups: arrangement === 'groups' ? groups : noGroups,
    }),
    [
      experiment,
      display,
      originMs,
      time,
      choices,
      onWhole,
      events,
      onMark,
      off,
      highlight,
      naming,
      arrangement,
      groups,
    ],
  );
  return view;
}

/** The zones of the window that the charts show. */
function useWindowZones(window: SharedWindow, whole: () => TimeRange): string {
  const ofWhole = useTicking(() => windowZones(whole()));
  const ofZoom = useSyncExternalStore(window.subscribe, () => {
    const zoom = window.current();
    return zoom === null ? '' : windowZones(zoom);
  });
  return ofZoom === '' ? ofWhole : ofZoom;
}

interface ControlsProps {
  readonly lookback: Lookback;
  readonly arrangement: Arrangement;
  readonly onArrangement: (arrangement: Arrangement) => void;
  readonly onLookback: (lookback: Lookback) => void;
  readonly onDisplay: (display: TimeDisplay) => void;
  readonly display: TimeDisplay;
  /** The zones of the shown window. */
  readonly zones: string;
  /** Moves and zooms. */
  readonly buttons: ReactNode;
  /** Chooses the charts. */
  readonly picker: ReactNode;
}

type ViewsProps = Pick<ControlsProps, 'arrangement' | 'display' | 'zones' | 'onArrangement' | 'onDisplay'>;

/** The kind of time and the arrangement of all charts. */
const Views = ({ arrangement, display, zones, onArrangement, onDisplay }: ViewsProps) => (
  <div className={styles.views}>
    <SegmentedControl
      size="xs"
      aria-label={chartsWords.timeOnCharts}
      data={[
        { value: 'clock', label: chartsWords.clockInZone(zones) },
        { value: 'elapsed', label: commonWords.elapsed },
      ]}
      value={display}
      onChange={(value) => onDisplay(value === 'elapsed' ? 'elapsed' : 'clock')}
    />
    <SegmentedControl
      size="xs"
      aria-label={chartsWords.arrangementOfCharts}
      data={arrangementOptions}
      value={arrangement}
      onChange={(value) => onArrangement(value === 'units' || value === 'groups' ? value : 'overlaid')}
    />
  </div>
);

/** One row on a phone: the window, the charts, and a menu with the rest. The charts are what a person came for. */
function PhoneControls({ lookback, onLookback, buttons, picker, ...views }: ControlsProps) {
  return (
    <div className={styles.toolbar} data-controls="">
      <NativeSelect
        className={styles.window ?? ''}
        aria-label={chartsWords.windowOfTime}
        data={windowOptions}
        value={lookback}
        onChange={({ currentTarget: { value } }) => {
          if (isLookback(value)) onLookback(value);
        }}
      />
      {picker}
      {/* Upwards: the bar below, with Stop, stays in reach. */}
      <Popover position="top-end" trapFocus returnFocus withinPortal shadow="md">
        <Popover.Target>
          <Button size="xs" variant="default">
            {chartsWords.view}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Stack gap="sm">
            <Views {...views} />
            {buttons}
          </Stack>
        </Popover.Dropdown>
      </Popover>
    </div>
  );
}

/** The window and the kind of time of all charts. */
function Controls(props: ControlsProps) {
  const { lookback, onLookback, buttons, picker, ...views } = props;
  if (usePhone()) return <PhoneControls {...props} />;
  return (
    <div className={styles.toolbar} data-controls="">
      <div className={styles.windows}>
        <SegmentedControl
          size="xs"
          aria-label={chartsWords.windowOfTime}
          data={windowOptions}
          value={lookback}
          onChange={(value) => {
            if (isLookback(value)) onLookback(value);
          }}
        />
      </div>
      <Views {...views} />
      {buttons}
      {picker}
    </div>
  );
}

interface LegendProps extends Pick<ChartsPanelProps, 'units' | 'nameOf'> {
  readonly view: ChartView;
  /** The units that are hidden then, of those that are hidden before. */
  readonly onHidden: (next: (hidden: ReadonlySet<string>) => ReadonlySet<string>) => void;
  readonly onHighlight: (unit: string | null) => void;
}

interface GroupLegendProps extends LegendProps {
  readonly groups: readonly LineGroup[];
}

/** The groups and the units of no group with their colours: hides and highlights their lines. */
function GroupLegend({ groups, units: all, nameOf, view, onHidden, onHighlight }: GroupLegendProps) {
  const unitsOf = (name: string): readonly string[] => groups.find((group) => group.name === name)?.units ?? [name];
  const isIn = (hidden: ReadonlySet<string>, name: string): boolean => unitsOf(name).every((unit) => hidden.has(unit));
  const grouped = new Set(groups.flatMap(({ units }) => units));
  const names = [...groups.map(({ name }) => name), ...all.filter((unit) => !grouped.has(unit))];
  const toggle = (name: string): void => {
    const units = new Set(unitsOf(name));
    onHidden((hidden) => (isIn(hidden, name) ? hidden.difference(units) : hidden.union(units)));
  };
  const only = (name: string): void => {
    const others = names.filter((each) => each !== name);
    onHidden((hidden) => new Set(others.every((each) => isIn(hidden, each)) ? [] : others.flatMap(unitsOf)));
  };
  return (
    <UnitLegend
      units={names}
      nameOf={(name) => (groups.some((group) => group.name === name) ? name : nameOf(name))}
      hidden={new Set(names.filter((name) => isIn(view.hiddenUnits, name)))}
      onToggle={toggle}
      onOnly={only}
      onHighlight={onHighlight}
    />
  );
}

/** The units with their colours: hides and highlights their lines. */
function Legend({ units, nameOf, view, onHidden, onHighlight }: LegendProps) {
  const { hiddenUnits, groups } = view;
  if (groups.length > 0) return <GroupLegend {...{ groups, units, nameOf, view, onHidden, onHighlight }} />;
  const only = (unit: string): void => {
    const others = units.filter((each) => each !== unit);
    onHidden((hidden) => new Set(others.every((each) => hidden.has(each)) ? [] : others));
  };
  return (
    <UnitLegend
      units={units}
      nameOf={nameOf}
      hidden={hiddenUnits}
      onToggle={(unit) => onHidden((hidden) => toggled(hidden, unit))}
      onOnly={only}
      onHighlight={onHighlight}
    />
  );
}

/** The charts of an experiment, with the controls they share. */
export function ChartsPanel(props: ChartsPanelProps) {
  const { experiment, units, nameOf, endMs, search, onSearch } = props;
  // An experiment that has ended is shown whole.
  const lookback = search.window ?? (endMs === null ? '1d' : 'all');
  const descriptors = useChartDescriptors();
  const preferences = useChartPreferences(experiment);
  const config = useSharedConfig();
  const display = search.time ?? configuredDisplay(config.data);
  const view = useChartView(props, display, lookback);
  const isKnown = descriptors.data !== undefined && !preferences.isPending && !config.isPending;
  const all = descriptors.data ?? [];
  const configured = config.data === undefined ? null : configuredCharts(config.data);
  const shown = isKnown ? visibleCharts(all, preferences.data, configured) : [];
  const bounds = (): TimeRange => ({ fromMs: view.originMs, toMs: view.nowMs() });
  const whole = (): TimeRange => {
    const { fromMs, toMs } = bounds();
    return { fromMs: Math.max(fromMs, toMs - lookbackHours(lookback, Number.POSITIVE_INFINITY) * hourMs), toMs };
  };
  const zones = useWindowZones(view.window, whole);
  return (
    <Stack gap="sm" component="section" aria-label={commonWords.charts}>
      <VisuallyHidden component="h2">{commonWords.charts}</VisuallyHidden>
      <Controls
        lookback={lookback}
        display={display}
        zones={zones}
        onLookback={(window) => onSearch({ window, ...zoomSearch(null) })}
        onDisplay={(time) => onSearch({ time })}
        arrangement={view.arrangement}
        onArrangement={(chosen) => onSearch({ arrange: chosen === 'overlaid' ? undefined : chosen })}
        buttons={<WindowButtons window={view.window} whole={whole} bounds={bounds} />}
        picker={
          isKnown && (
            <ChartPicker
              experiment={experiment}
              descriptors={all}
              visible={(chosen) => visibleCharts(all, chosen, configured)}
            />
          )
        }
      />
      <Legend
        units={units}
        nameOf={nameOf}
        view={view}
        onHidden={(next) => onSearch((before) => hiddenSearch(next(hiddenOfSearch(before))))}
        onHighlight={view.highlight.set}
      />
      {view.arrangement === 'groups' && view.groups.length === 0 && (
        <Text size="sm" c="dimmed">
          {chartsWords.noGroups}
        </Text>
      )}
      {view.groups.length > 0 && (
        <Text size="sm" c="dimmed">
          {meanRule}
        </Text>
      )}
      {descriptors.error && !descriptors.data && (
        <ProblemAlert
          error={descriptors.error}
          onRetry={() => descriptors.refetch()}
          retrying={descriptors.isFetching}
        />
      )}
      {!isKnown && !descriptors.error && <Skeleton height={280} role="status" aria-label={chartsWords.loadingCharts} />}
      {isKnown && shown.length === 0 && (
        <Group className={styles.none}>
          <Text size="sm" c="dimmed">
            {chartsWords.noChartChosen}
          </Text>
        </Group>
      )}
      <div className={styles.grid}>
        {shown.map((descriptor) => (
          <PartBoundary key={descriptor.chart_key} part={descriptor.title} resetKey={experiment}>
            <ChartCard key={`${experiment} ${descriptor.chart_key}`} descriptor={descriptor} view={view} />
          </PartBoundary>
        ))}
      </div>
    </Stack>
  );
}
