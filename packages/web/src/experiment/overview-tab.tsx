import { Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import { zoomOfSearch } from '../charts/chart-search.ts';
import { ChartsPanel } from '../charts/charts-panel.tsx';
import { lookbackHours } from '../charts/lookback.ts';
import type { ChartMark } from '../charts/plot-events.ts';
import { LatestProvider } from '../latest/use-latest.tsx';
import { noFilters } from '../timeline/timeline-address.ts';
import { useChartEvents } from '../timeline/use-chart-events.ts';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { experimentWords } from '../words/experiment.ts';
import { useShownExperiment } from './experiment-context.ts';
import styles from './overview-tab.module.css';
import { readPageSearch } from './page-search.ts';
import { UnitStrip } from './unit-strip.tsx';
import { usePageSearch } from './use-page-search.ts';

/** Loaded when an entry is marked. */
const ChosenEntry = lazy(() => import('./chosen-entry.tsx').then(({ ChosenEntry: part }) => ({ default: part })));

/** The units as they are now, and the charts. */
export function OverviewTab() {
  const { name, row, endMs, units, nameOf } = useShownExperiment();
  const [search, change] = usePageSearch();
  const navigate = useNavigate();
  const openMark = ({ id, atMs }: ChartMark): void => {
    void navigate({
      to: '/experiments/$experiment/timeline',
      params: { experiment: name },
      // No filter hides it.
      search: readPageSearch({ ...search, ...noFilters, entry: id, at: new Date(atMs).toISOString() }),
    });
  };
  const description = row.experiment.description?.trim() ?? '';
  const lookback = search.window ?? (endMs === null ? '1d' : 'all');
  const { from, to } = search;
  const zoom = useMemo(() => zoomOfSearch({ ...(from && { from }), ...(to && { to }) }), [from, to]);
  const chosenMs = search.entry && search.at ? Date.parse(search.at) : null;
  const hours = lookback === 'all' ? null : lookbackHours(lookback, 0);
  const events = useChartEvents(name, { hours, zoom, chosenMs });
  return (
    <Stack gap="md">
      {description !== '' && (
        <Text className={styles.description ?? ''} lineClamp={3}>
          {description}
        </Text>
      )}
      <PartBoundary part={experimentWords.units} resetKey={name}>
        <LatestProvider>
          <UnitStrip />
        </LatestProvider>
      </PartBoundary>
      <PartBoundary part={experimentWords.charts} resetKey={name}>
        {chosenMs !== null && (
          <Suspense fallback={null}>
            <ChosenEntry
              experiment={name}
              atMs={chosenMs}
              {...{ units, nameOf }}
              text={events.marks.find(({ id }) => id === search.entry)?.text ?? ''}
              search={search}
              onRemove={() => change({ entry: undefined, at: undefined })}
            />
          </Suspense>
        )}
        <ChartsPanel
          experiment={name}
          createdAtMs={row.createdAtMs}
          endMs={endMs}
          units={units}
          nameOf={nameOf}
          search={search}
          onSearch={change}
          events={events}
          onMark={openMark}
        />
      </PartBoundary>
    </Stack>
  );
}
