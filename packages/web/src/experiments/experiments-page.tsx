import { leaderApi } from '@lcs/contract';
import { Alert, Button, EmptyState, Group, Pagination, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useMay } from '../services/use-may.ts';
import { CurveIcon, FlaskIcon, PlusIcon, SearchIcon, WarningIcon } from '../ui/icons.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { experimentsWords } from '../words/experiments.ts';
import { mostCompared, namesText } from './compared-names.ts';
import { ExperimentCards } from './experiment-cards.tsx';
import { tagsInUse } from './experiment-rows.ts';
import styles from './experiments-page.module.css';
import { ExperimentsTable } from './experiments-table.tsx';
import {
  changeListSearch,
  hasFilter,
  type ListPage,
  type ListSearch,
  listPage,
  type SortColumn,
  sortOf,
  toggleSort,
} from './list-search.ts';
import { ListToolbar } from './list-toolbar.tsx';
import { useDialogs } from './use-dialogs.tsx';
import { useExperimentRows } from './use-experiment-rows.ts';

const route = getRouteApi('/experiments');

/** Below this width the table does not fit; the same as Mantine's breakpoint `md`. */
const narrowQuery = '(max-width: 62em)';

/** How many experiments the list shows, and how many archived ones it leaves out. */
function countText({ matching }: ListPage, total: number, search: ListSearch): string {
  if (hasFilter(search)) return commonWords.partOfWhole(matching, experimentsWords.experimentCount(total));
  const experiments = experimentsWords.experimentCount(matching);
  return total === matching ? experiments : experimentsWords.withArchived(experiments, total - matching);
}

function Loading() {
  return (
    <Stack gap={6} role="status" aria-label={experimentsWords.loadingExperiments}>
      {Array.from({ length: 8 }, (_, index) => experimentsWords.rowNumber(index)).map((key) => (
        <Skeleton key={key} height={30} />
      ))}
    </Stack>
  );
}

function NoExperiments({ onNew }: { readonly onNew: () => void }) {
  const may = useMay();
  return (
    <EmptyState
      py={48}
      icon={<FlaskIcon size={40} />}
      title={experimentsWords.noExperimentsYet}
      description={experimentsWords.experimentsHelp}
    >
      <EmptyState.Actions>
        <Button leftSection={<PlusIcon />} onClick={onNew} {...may(leaderApi.createExperiment)}>
          {experimentsWords.createFirstExperiment}
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  );
}

function NoMatch({ onClear }: { readonly onClear: () => void }) {
  return (
    <EmptyState
      py={48}
      icon={<SearchIcon size={36} />}
      title={experimentsWords.nothingMatches}
      description={experimentsWords.noneFits}
    >
      <EmptyState.Actions>
        <Button variant="default" onClick={onClear}>
          {experimentsWords.clearSearchAndFilters}
        </Button>
      </EmptyState.Actions>
    </EmptyState>
  );
}

function Pages({ page, onPage }: { readonly page: ListPage; readonly onPage: (page: number) => void }) {
  if (page.pages <= 1) return null;
  return (
    <Group component="nav" aria-label={experimentsWords.pages} justify="center">
      <Pagination
        total={page.pages}
        value={page.page}
        onChange={onPage}
        getItemProps={(number) => ({ 'aria-label': experimentsWords.pageNumber(number) })}
        getControlProps={(control) => ({
          'aria-label': control === 'next' ? experimentsWords.nextPage : experimentsWords.previousPage,
        })}
      />
    </Group>
  );
}

interface HeadProps {
  readonly count: string;
  readonly selected: ReadonlySet<string>;
  readonly onNew: () => void;
}

/** Opens the comparison of the ticked experiments. */
function Compare({ selected }: Pick<HeadProps, 'selected'>) {
  const navigate = useNavigate();
  const isEnough = selected.size > 1 && selected.size <= mostCompared;
  return (
    <Button
      variant="default"
      leftSection={<CurveIcon />}
      disabled={!isEnough}
      {...(!isEnough && { title: experimentsWords.tickToCompare(mostCompared) })}
      onClick={() => void navigate({ to: '/compare', search: { e: namesText([...selected]) } })}
    >
      {isEnough ? experimentsWords.compareNamed(selected.size) : commonWords.compare}
    </Button>
  );
}

function Head({ count, selected, onNew }: HeadProps) {
  const may = useMay();
  return (
    <Group justify="space-between" gap="xs">
      <div className={styles.title}>
        <Title order={1} size="h3">
          {commonWords.experiments}
        </Title>
        <Text size="sm" c="dimmed" role="status">
          {count}
        </Text>
      </div>
      <Group gap="xs">
        <Compare selected={selected} />
        <Button leftSection={<PlusIcon />} onClick={onNew} {...may(leaderApi.createExperiment)}>
          {commonWords.newExperiment}
        </Button>
      </Group>
    </Group>
  );
}

/** The list of all experiments. */
export function ExperimentsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isNarrow = useMediaQuery(narrowQuery, false, { getInitialValueInEffect: false });
  const { rows, broken, isKnown, query } = useExperimentRows();
  const dialogs = useDialogs(rows);
  const page = useMemo(() => listPage(rows, search), [rows, search]);
  const tags = useMemo(() => tagsInUse(rows), [rows]);
  // Of the present address: two changes may follow each other before the page is drawn again.
  const go = (next: (before: ListSearch) => ListSearch, how: 'replace' | 'push' = 'replace'): void => {
    void navigate({ to: '/experiments', search: next, replace: how === 'replace' });
  };
  const change = (changes: Parameters<typeof changeListSearch>[1]): void =>
    go((before) => changeListSearch(before, changes));
  const onPage = (number: number): void => {
    go((before) => changeListSearch(before, { page: number }), 'push');
    window.scrollTo({ top: 0 });
  };
  const onSort = (column: SortColumn): void => go((before) => toggleSort(before, column));
  const openNew = (): void => dialogs.open({ kind: 'new', prefill: null });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const onSelect = (experiment: string): void => {
    const next = new Set(selected);
    if (!next.delete(experiment)) next.add(experiment);
    setSelected(next);
  };
  const actions = { selected, onSelect, onDialog: dialogs.open, onDuplicate: dialogs.duplicate };
  const toolbar = { search, onChange: change, tags, isNarrow, onSort };
  return (
    <Stack gap="md">
      <title>{commonWords.pageTitle(commonWords.experiments)}</title>
      <Head
        selected={selected}
        count={isKnown && rows.length > 0 ? countText(page, rows.length, search) : ''}
        onNew={openNew}
      />
      {(rows.length > 0 || !isKnown) && <ListToolbar {...toolbar} />}
      {query.error && <ProblemAlert error={query.error} onRetry={() => query.refetch()} retrying={query.isFetching} />}
      {broken.length > 0 && (
        <Alert color="orange" variant="light" icon={<WarningIcon />} title={experimentsWords.someNotShown}>
          {experimentsWords.recordsNotReadable(broken.join(', '))}
        </Alert>
      )}
      {!isKnown && !query.error && <Loading />}
      {isKnown && rows.length === 0 && broken.length === 0 && <NoExperiments onNew={openNew} />}
      {rows.length > 0 && page.matching === 0 && (
        <NoMatch onClear={() => change({ q: undefined, tags: undefined, status: undefined })} />
      )}
      {page.rows.length > 0 && isNarrow && <ExperimentCards rows={page.rows} {...actions} />}
      {page.rows.length > 0 && !isNarrow && (
        <ExperimentsTable rows={page.rows} sort={sortOf(search)} onSort={onSort} {...actions} />
      )}
      <Pages page={page} onPage={onPage} />
      {dialogs.element}
    </Stack>
  );
}
