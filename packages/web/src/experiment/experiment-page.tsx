import { Button, EmptyState, Skeleton, Stack } from '@mantine/core';
import { getRouteApi, Link, Outlet } from '@tanstack/react-router';
import { useExperimentUnits } from '../assignments/use-experiment-units.ts';
import type { ExperimentRow } from '../experiments/experiment-rows.ts';
import { useDialogs } from '../experiments/use-dialogs.tsx';
import { useExperimentRows } from '../experiments/use-experiment-rows.ts';
import { useNewestReading } from '../experiments/use-newest-reading.ts';
import { RunningProfiles } from '../protocols/running-profiles.tsx';
import { ConcernedExperiment } from '../services/use-may.ts';
import { FlaskIcon } from '../ui/icons.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import styles from '../ui/path-tabs.module.css';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { experimentWords } from '../words/experiment.ts';
import { ExperimentContext } from './experiment-context.ts';
import { experimentEndMs } from './experiment-end.ts';
import { ExperimentHeader } from './experiment-header.tsx';
import { experimentTabs } from './experiment-tabs.ts';
import type { PageSearch } from './page-search.ts';
import { ProtectionNotice } from './protection-notice.tsx';

const route = getRouteApi('/experiments/$experiment');

function Missing({ name, broken }: { readonly name: string; readonly broken: boolean }) {
  const title = broken ? experimentWords.couldNotBeShown(name) : experimentWords.thereIsNoExperiment(name);
  return (
    <EmptyState
      py={48}
      icon={<FlaskIcon size={40} />}
      title={<h1 className="empty-title">{title}</h1>}
      description={broken ? experimentWords.recordNotReadable : commonWords.deletedOrMisspelled}
    >
      <EmptyState.Actions>
        <Button component={Link} to="/experiments" variant="default">
          {commonWords.allExperiments}
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  );
}

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
        <Stack gap="sm" role="status" aria-label={experimentWords.loadingExperiment}>
          <Skeleton height={36} width={280} />
          <Skeleton height={110} />
          <Skeleton height={160} />
        </Stack>
      )}
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

/** Links to the tabs; each shows the same window of time. */
const Tabs = ({ experiment }: { readonly experiment: string }) => (
  <nav className={styles.tabs} aria-label={experimentWords.partsOfExperiment}>
    {experimentTabs.map(({ tab, to, title }) => (
      <Link
        key={tab}
        to={to}
        params={{ experiment }}
        search={(before: PageSearch) => before}
        className={styles.tab}
        activeOptions={{ includeSearch: false }}
        activeProps={{ 'aria-current': 'page' }}
      >
        {title}
      </Link>
    ))}
  </nav>
);

/** The frame of the pages of one experiment, whose name is in the address: its header, and the chosen tab. */
export function ExperimentPage() {
  const { experiment: name } = route.useParams();
  const { rows, broken, isKnown, query } = useExperimentRows();
  const dialogs = useDialogs(rows);
  const { units, nameOf } = useExperimentUnits(name);
  const row = rows.find(({ experiment }) => experiment.experiment === name);
  const endMs = useEndMs(name, row);
  if (row === undefined)
    return (
      <Stack gap="md">
        <WithoutRow name={name} broken={broken} isKnown={isKnown} query={query} />
        {dialogs.element}
      </Stack>
    );
  return (
    <ConcernedExperiment value={name}>
      <ExperimentContext
        value={{ name, row, endMs, units, nameOf, onDialog: dialogs.open, onDuplicate: dialogs.duplicate }}
      >
        <Stack gap="md">
          <title>{commonWords.pageTitle(name)}</title>
          <ExperimentHeader />
          <ProtectionNotice experiment={name} />
          <PartBoundary part={experimentWords.runningProfiles} resetKey={name}>
            <RunningProfiles experiment={name} />
          </PartBoundary>
          {query.error && (
            <ProblemAlert error={query.error} onRetry={() => query.refetch()} retrying={query.isFetching} />
          )}
          <Tabs experiment={name} />
          <Outlet key={name} />
          {dialogs.element}
        </Stack>
      </ExperimentContext>
    </ConcernedExperiment>
  );
}
