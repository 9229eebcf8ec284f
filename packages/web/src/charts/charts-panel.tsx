import type { ChartDescriptor } from '@lcs/contract';
import { Button, Group, SegmentedControl, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import { useChartDescriptors, useChartPreferences, useInterruptions, useSharedConfig } from '../services/queries.ts';
import { useLeaderNow } from '../services/use-ticking.ts';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { ChartCard } from './chart-card.tsx';
import { configuredCharts, visibleCharts } from './chart-choice.ts';
import { ChartPicker } from './chart-picker.tsx';
import type { ChartView } from './chart-view.ts';
import styles from './charts-panel.module.css';
import { configSection } from './config-section.ts';
import { isLookback, type Lookback, lookbackHours, lookbacks, lookbackText } from './lookback.ts';
import { offSpans } from './off-spans.ts';
import type { TimeRange } from './plot-types.ts';
import type { TimeDisplay } from './time-ticks.ts';
import { UnitLegend } from './unit-legend.tsx';

interface ChartsPanelProps {
  readonly experiment: string;
  readonly createdAtMs: number;
  /** When the experiment was over; `null`: it goes on. */
  readonly endMs: number | null;
  /** All units that are or were in the experiment, in the order of their colours. */
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  readonly lookback: Lookback;
  /** `null`: as configured. */
  readonly display: TimeDisplay | null;
  readonly onLookback: (lookback: Lookback) => void;
  readonly onDisplay: (display: TimeDisplay) => void;
}

/** A set with one member more or less. */
function toggled(set: ReadonlySet<string>, member: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(member)) next.add(member);
  return next;
}

function configuredDisplay(config: string | undefined): TimeDisplay {
  const section = configSection(config ?? '', 'ui.overview.settings');
  return section?.get('time_display_mode') === 'hours' ? 'elapsed' : 'clock';
}

const hourMs = 3_600_000;
const windowOptions = lookbacks.map((value) => ({ value, label: lookbackText[value] }));
const displayOptions = [
  { value: 'clock', label: 'Clock time' },
  { value: 'elapsed', label: 'Elapsed' },
];

/** The charts of an experiment, with the controls they share. */
export function ChartsPanel(props: ChartsPanelProps) {
  const { experiment, createdAtMs, endMs, units, nameOf, lookback } = props;
  const descriptors = useChartDescriptors();
  const preferences = useChartPreferences(experiment);
  const config = useSharedConfig();
  const { data: interruptions } = useInterruptions(experiment);
  const off = useMemo(() => offSpans(interruptions ?? []), [interruptions]);
  const leaderNowMs = useLeaderNow();
  const nowMs = useCallback(() => endMs ?? leaderNowMs(), [endMs, leaderNowMs]);
  const hoursSinceEnd = useCallback(
    () => (endMs === null ? 0 : Math.max(0, leaderNowMs() - endMs) / hourMs),
    [endMs, leaderNowMs],
  );
  const [zoom, setZoom] = useState<TimeRange | null>(null);
  const [hiddenUnits, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [highlighted, setHighlighted] = useState<string | null>(null);
  const display = props.display ?? configuredDisplay(config.data);
  const hoursOf = useCallback(
    (descriptor: ChartDescriptor) => lookbackHours(lookback, descriptor.lookback),
    [lookback],
  );
  const view: ChartView = useMemo(() => {
    const known = new Map(units.map((unit, index) => [unit, index]));
    return {
      experiment,
      display,
      originMs: createdAtMs,
      nowMs,
      hoursSinceEnd,
      isOver: endMs !== null,
      hoursOf,
      zoom,
      onZoom: setZoom,
      hiddenUnits,
      off,
      highlighted,
      nameOf,
      indexOf: (unit) => known.get(unit) ?? units.length,
    };
  }, [
    experiment,
    display,
    createdAtMs,
    endMs,
    nowMs,
    hoursSinceEnd,
    hoursOf,
    zoom,
    hiddenUnits,
    off,
    highlighted,
    nameOf,
    units,
  ]);

  const isKnown = descriptors.data !== undefined && !preferences.isPending && !config.isPending;
  const all = descriptors.data ?? [];
  const shown = isKnown
    ? visibleCharts(all, preferences.data, config.data === undefined ? null : configuredCharts(config.data))
    : [];
  const only = (unit: string): void => {
    const others = units.filter((each) => each !== unit);
    setHidden(others.every((each) => hiddenUnits.has(each)) ? new Set() : new Set(others));
  };

  return (
    <Stack gap="sm" component="section" aria-label="Charts">
      <VisuallyHidden component="h2">Charts</VisuallyHidden>
      <div className={styles.toolbar}>
        <SegmentedControl
          size="xs"
          className={styles.windows}
          aria-label="Window of time"
          data={windowOptions}
          value={lookback}
          onChange={(value) => {
            if (!isLookback(value)) return;
            setZoom(null);
            props.onLookback(value);
          }}
        />
        <SegmentedControl
          size="xs"
          aria-label="Time on the charts"
          data={displayOptions}
          value={display}
          onChange={(value) => props.onDisplay(value === 'elapsed' ? 'elapsed' : 'clock')}
        />
        {isKnown && <ChartPicker experiment={experiment} descriptors={all} shown={shown} />}
      </div>
      <div className={styles.legendRow}>
        <UnitLegend
          units={units}
          nameOf={nameOf}
          hidden={hiddenUnits}
          onToggle={(unit) => setHidden(toggled(hiddenUnits, unit))}
          onOnly={only}
          onHighlight={setHighlighted}
        />
        {zoom && (
          <Button size="xs" className={styles.reset} onClick={() => setZoom(null)}>
            Reset zoom
          </Button>
        )}
      </div>
      {descriptors.error && !descriptors.data && (
        <ProblemAlert
          error={descriptors.error}
          onRetry={() => descriptors.refetch()}
          retrying={descriptors.isFetching}
        />
      )}
      {!isKnown && !descriptors.error && <Skeleton height={280} role="status" aria-label="Loading charts" />}
      {isKnown && shown.length === 0 && (
        <Group className={styles.none}>
          <Text size="sm" c="dimmed">
            No chart is chosen for this experiment. Choose some under “Charts”.
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
