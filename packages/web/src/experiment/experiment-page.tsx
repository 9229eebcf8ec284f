import { Button, EmptyState, SegmentedControl, Skeleton, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type RefObject, useMemo, useRef } from 'react';
import { PastUnits } from '../assignments/past-units.tsx';
import { useExperimentUnits } from '../assignments/use-experiment-units.ts';
import { ExperimentAudit } from '../audit/experiment-audit.tsx';
import { zoomOfSearch, zoomSearch } from '../charts/chart-search.ts';
import { ChartsPanel } from '../charts/charts-panel.tsx';
import { lookbackHours } from '../charts/lookback.ts';
import type { TimeRange } from '../charts/time-range.ts';
import type { ExperimentRow } from '../experiments/experiment-rows.ts';
import { useDialogs } from '../experiments/use-dialogs.tsx';
import { useExperimentRows } from '../experiments/use-experiment-rows.ts';
import { EventLog } from '../logs/event-log.tsx';
import { RunningProfiles } from '../protocols/running-profiles.tsx';
import { ConcernedExperiment } from '../services/use-may.ts';
import { TimelinePanel } from '../timeline/timeline-panel.tsx';
import { useChartEvents } from '../timeline/use-chart-events.ts';
import { FlaskIcon } from '../ui/icons.tsx';
import { Panel } from '../ui/panel.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { UnitsPanel } from '../units/units-panel.tsx';
import { DescriptionEditor } from './description-editor.tsx';
import { experimentEndMs } from './experiment-end.ts';
import { ExperimentHeader } from './experiment-header.tsx';
import styles from './experiment-page.module.css';
import { GrowthCurves } from './growth-curves.tsx';
import { type PagePart, type PageSearch, type PageSearchChange, readPageSearch } from './page-search.ts';
import { ProtectionNotice } from './protection-notice.tsx';
import { useNewestReading } from './use-newest-reading.ts';

const route = getRouteApi('/experiments/$experiment');

function Missing({ name, broken }: { readonly name: string; readonly broken: boolean }) {
  const title = broken ? `${name} could not be shown` : `There is no experiment ${name}`;
  return (
    <EmptyState
      py={48}
      icon={<FlaskIcon size={40} />}
      title={<h1 className="empty-title">{title}</h1>}
      description={
        broken
          ? 'The leader sent a record that the web UI cannot read.'
          : 'It was deleted, or its name is spelled differently: upper and lower case differ.'
      }
    >
      <EmptyState.Actions>
        <Button component={Link} to="/experiments" variant="default">
          All experiments
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  );
}

/** Below this width the page shows one part at a time; the same as Mantine's breakpoint `md`. */
const narrowQuery = '(max-width: 62em)';

const partOptions = [
  { value: 'charts', label: 'Charts' },
  { value: 'units', label: 'Units' },
  { value: 'timeline', label: 'Timeline' },
  { value: 'log', label: 'Log' },
  { value: 'about', label: 'About' },
];

/** Shown without an experiment: it is loading, the request failed, or it does not exist. */
function WithoutRow({
  name,
  broken,
  isKnown,
  query,
}: { readonly name: string } & Pick<ReturnType<typeof useExperimentRows>, 'broken' | 'isKnown' | 'query'>) {
  return (
    <>
      {query.error && <ProblemAlert error={query.error} onRetry={() => query.refetch()} retrying={query.isFetching} />}
      {isKnown && <Missing name={name} broken={broken.includes(name)} />}
      {!isKnown && !query.error && (
        <Stack gap="sm" role="status" aria-label="Loading the experiment">
          <Skeleton height={36} width={280} />
          <Skeleton height={110} />
          <Skeleton height={160} />
        </Stack>
      )}
    </>
  );
}

interface PartsProps {
  readonly row: ExperimentRow;
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  readonly isHidden: (part: PagePart) => boolean;
}

interface ChartsAndUnitsProps extends PartsProps {
  /** When it ended; `null`: it goes on. */
  readonly endMs: number | null;
  readonly search: PageSearch;
  readonly go: (change: PageSearchChange) => void;
  readonly chartsRef: RefObject<HTMLDivElement | null>;
}

/** The charts, and the units beside them. */
function ChartsAndUnits({ row, units, nameOf, isHidden, endMs, search, go, chartsRef }: ChartsAndUnitsProps) {
  const name = row.experiment.experiment;
  const lookback = search.window ?? (endMs === null ? '1d' : 'all');
  const zoom = useMemo(() => zoomOfSearch(search), [search]);
  const events = useChartEvents(name, { hours: lookback === 'all' ? null : lookbackHours(lookback, 0), zoom });
  return (
    <div ref={chartsRef} className={styles.columns} hidden={isHidden('charts') && isHidden('units')}>
      <div hidden={isHidden('charts')}>
        <PartBoundary part="The charts" resetKey={name}>
          <ChartsPanel
            key={name}
            experiment={name}
            createdAtMs={row.createdAtMs}
            endMs={endMs}
            units={units}
            nameOf={nameOf}
            search={search}
            onSearch={go}
            events={events}
          />
        </PartBoundary>
      </div>
      <div hidden={isHidden('units')}>
        <PartBoundary part="The units" resetKey={name}>
          <UnitsPanel
            key={name}
            experiment={name}
            units={units}
            nameOf={nameOf}
            isOver={endMs !== null}
            view={search.units ?? null}
            onView={(view) => go({ units: view })}
          />
        </PartBoundary>
      </div>
    </div>
  );
}

interface LogAndAboutProps extends PartsProps {
  readonly search: PageSearch;
  /** Shows a window on the charts. */
  readonly onShow: (window: TimeRange) => void;
}

/** Below the charts and units: growth curves, the timeline, the event log, the description, past assignments. */
function LogAndAbout({ row, units, nameOf, isHidden, search, onShow }: LogAndAboutProps) {
  const { experiment: name, description } = row.experiment;
  const zoom = useMemo(() => zoomOfSearch(search), [search]);
  return (
    <>
      <div hidden={isHidden('charts')}>
        <PartBoundary part="The growth curves" resetKey={name}>
          <GrowthCurves key={name} experiment={name} nameOf={nameOf} />
        </PartBoundary>
      </div>
      <div hidden={isHidden('timeline')}>
        <PartBoundary part="The timeline" resetKey={name}>
          <TimelinePanel
            key={name}
            experiment={name}
            units={units}
            nameOf={nameOf}
            chartWindow={zoom}
            onShow={onShow}
          />
        </PartBoundary>
      </div>
      <div hidden={isHidden('log')} className={styles.log}>
        <PartBoundary part="The event log" resetKey={name}>
          <EventLog key={name} experiment={name} units={units} nameOf={nameOf} />
        </PartBoundary>
      </div>
      <div hidden={isHidden('about')} className={styles.about}>
        <PartBoundary part="The description" resetKey={name}>
          <DescriptionEditor key={name} experiment={name} description={description ?? ''} />
        </PartBoundary>
        <Panel title="History of assignments">
          <PartBoundary part="The history of assignments" resetKey={name}>
            <PastUnits experiment={name} />
          </PartBoundary>
        </Panel>
      </div>
      <div hidden={isHidden('about')}>
        <PartBoundary part="The audit" resetKey={name}>
          <ExperimentAudit key={name} experiment={name} />
        </PartBoundary>
      </div>
    </>
  );
}

/** When the experiment ended; `null`: it goes on. */
function useEndMs(name: string, row: ExperimentRow | undefined): number | null {
  const hasUnits = row === undefined || row.workers === null || row.workers.assigned > 0;
  const endedAtMs = row?.endedAtMs ?? null;
  const newestMs = useNewestReading(name, !hasUnits || endedAtMs !== null);
  return experimentEndMs({ endedAtMs, hasUnits, newestMs });
}

/** The page of one experiment; its name is in the address. */
export function ExperimentPage() {
  const { experiment: name } = route.useParams();
  const { rows, broken, isKnown, query } = useExperimentRows();
  const dialogs = useDialogs(rows);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isNarrow = useMediaQuery(narrowQuery, false, { getInitialValueInEffect: false });
  const { units, nameOf } = useExperimentUnits(name);
  const row = rows.find(({ experiment }) => experiment.experiment === name);
  const endMs = useEndMs(name, row);
  const part = search.part ?? 'charts';
  const isHidden = (each: PagePart): boolean => isNarrow && part !== each;
  const go = (change: PageSearchChange): void => {
    void navigate({
      to: '/experiments/$experiment',
      params: { experiment: name },
      // Of the present address: two changes may follow each other before the page is drawn again.
      search: (before: PageSearch) => readPageSearch({ ...before, ...change }),
      replace: true,
      resetScroll: false,
    });
  };

  const chartsRef = useRef<HTMLDivElement>(null);
  const show = (window: TimeRange): void => {
    go({ ...zoomSearch(window), part: 'charts' });
    // The header of the page stays above the charts.
    chartsRef.current?.scrollIntoView({ block: 'start' });
  };

  if (row === undefined)
    return (
      <Stack gap="md">
        <WithoutRow name={name} broken={broken} isKnown={isKnown} query={query} />
        {dialogs.element}
      </Stack>
    );

  return (
    <ConcernedExperiment value={name}>
      <Stack gap="lg">
        <title>{`${name} – Leader Control Service`}</title>
        <ExperimentHeader row={row} endMs={endMs} onDialog={dialogs.open} onDuplicate={dialogs.duplicate} />
        <ProtectionNotice experiment={name} />
        <PartBoundary part="The running profiles" resetKey={name}>
          <RunningProfiles experiment={name} />
        </PartBoundary>
        {query.error && (
          <ProblemAlert error={query.error} onRetry={() => query.refetch()} retrying={query.isFetching} />
        )}
        {isNarrow && (
          <SegmentedControl
            fullWidth
            aria-label="Part of the page"
            data={partOptions}
            value={part}
            onChange={(value) => go(readPageSearch({ part: value }))}
          />
        )}
        <ChartsAndUnits
          row={row}
          units={units}
          nameOf={nameOf}
          isHidden={isHidden}
          endMs={endMs}
          search={search}
          go={go}
          chartsRef={chartsRef}
        />
        <LogAndAbout row={row} units={units} nameOf={nameOf} isHidden={isHidden} search={search} onShow={show} />
        {dialogs.element}
      </Stack>
    </ConcernedExperiment>
  );
}
