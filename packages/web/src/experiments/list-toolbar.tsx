import {
  ActionIcon,
  CloseButton,
  Group,
  MultiSelect,
  NativeSelect,
  SegmentedControl,
  TextInput,
  Tooltip,
} from '@mantine/core';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useServices } from '../services/services.tsx';
import { ArrowDownIcon, ArrowUpIcon, SearchIcon } from '../ui/icons.tsx';
import { commonWords } from '../words/common.ts';
import { experimentsWords } from '../words/experiments.ts';
import { experimentStates } from './experiment-rows.ts';
import { stateTitles } from './experiment-text.tsx';
import { type ListChange, type ListSearch, type SortColumn, sortColumns, sortOf } from './list-search.ts';
import styles from './list-toolbar.module.css';

interface ListToolbarProps {
  readonly search: ListSearch;
  readonly onChange: (change: ListChange) => void;
  readonly tags: readonly string[];
  readonly isNarrow: boolean;
  readonly onSort: (column: SortColumn) => void;
}

/** Between typing and searching, so that the address does not change with every letter. */
const typingPauseMs = 150;

function SearchBox({ value, onChange }: { readonly value: string; readonly onChange: (q: string) => void }) {
  const { clock } = useServices();
  const [text, setText] = useState(value);
  const searched = useRef(value);
  useEffect(() => {
    // The address changed by navigation: back and forward, or a link.
    if (value === searched.current) return;
    searched.current = value;
    setText(value);
  }, [value]);
  const search = useEffectEvent((q: string) => {
    searched.current = q;
    onChange(q);
  });
  useEffect(() => {
    const q = text.trim();
    return q === searched.current ? undefined : clock.after(typingPauseMs, () => search(q));
  }, [text, clock]);
  return (
    <TextInput
      type="search"
      aria-label={experimentsWords.searchExperiments}
      placeholder={experimentsWords.searchNameOrganismTagDescription}
      leftSection={<SearchIcon />}
      rightSection={
        text === '' ? null : (
          <CloseButton size="sm" aria-label={experimentsWords.clearSearch} onClick={() => setText('')} />
        )
      }
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      className={styles.search}
      autoComplete="off"
    />
  );
}

const sortTitles: { readonly [Column in SortColumn]: string } = experimentsWords.sortTitles;

/** Cards have no column heads to click, so sorting needs its own controls. */
function SortControl({ search, onChange, onSort }: Pick<ListToolbarProps, 'search' | 'onChange' | 'onSort'>) {
  const { column, order } = sortOf(search);
  const label = order === 'asc' ? experimentsWords.ascendingReverseOrder : experimentsWords.descendingReverseOrder;
  return (
    <Group gap={6} wrap="nowrap">
      <NativeSelect
        aria-label={experimentsWords.sortBy}
        data={sortColumns.map((value) => ({ value, label: sortTitles[value] }))}
        value={column}
        onChange={(event) => onChange({ sort: event.currentTarget.value, order: undefined })}
      />
      <Tooltip label={label}>
        <ActionIcon variant="default" size={36} aria-label={label} onClick={() => onSort(column)}>
          {order === 'asc' ? <ArrowUpIcon /> : <ArrowDownIcon />}
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

interface StatusFilterProps {
  readonly status: string;
  readonly onStatus: (status: string) => void;
  readonly isNarrow: boolean;
}

const statusOptions = [
  { value: 'all', label: commonWords.all },
  ...experimentStates.map((value) => ({ value, label: stateTitles[value] })),
];

/** Five choices side by side are wider than a phone. */
const StatusFilter = ({ status, onStatus, isNarrow }: StatusFilterProps) =>
  isNarrow ? (
    <NativeSelect
      aria-label={experimentsWords.filterByStatus}
      data={statusOptions}
      value={status}
      onChange={(event) => onStatus(event.currentTarget.value)}
    />
  ) : (
    <SegmentedControl
      aria-label={experimentsWords.filterByStatus}
      data={statusOptions}
      value={status}
      onChange={onStatus}
    />
  );

/** Search, filters and, on a narrow screen, sorting. */
export function ListToolbar({ search, onChange, tags, isNarrow, onSort }: ListToolbarProps) {
  const chosen = search.tags ?? [];
  return (
    <search className={styles.toolbar}>
      <SearchBox value={search.q ?? ''} onChange={(q) => onChange({ q })} />
      <MultiSelect
        aria-label={experimentsWords.filterByTags}
        placeholder={chosen.length === 0 ? experimentsWords.allTags : ''}
        data={[...new Set([...tags, ...chosen])]}
        value={[...chosen]}
        onChange={(next) => onChange({ tags: next })}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': experimentsWords.clearTags }}
        nothingFoundMessage={experimentsWords.noSuchTag}
        withScrollArea={false}
        comboboxProps={{ withinPortal: false }}
        className={styles.tags}
      />
      <StatusFilter status={search.status ?? 'all'} onStatus={(status) => onChange({ status })} isNarrow={isNarrow} />
      {isNarrow && <SortControl search={search} onChange={onChange} onSort={onSort} />}
    </search>
  );
}
