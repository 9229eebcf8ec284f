import { hourMs, type LogEntry, type LogLevel, logLevels } from '@lcs/contract';
import { Button, SegmentedControl, Select, Skeleton, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { memo, useRef, useState } from 'react';
import { forPeople, plainSentence, plainWords } from '../api/plain-words.ts';
import { useTicking } from '../services/use-ticking.ts';
import { exactText, localMinute, secondOfAnyYearText, zonesText } from '../time/moment-text.ts';
import { SearchIcon, WarningIcon } from '../ui/icons.tsx';
import { LongRows, type RowPlace } from '../ui/long-table.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { useInView } from '../ui/use-in-view.ts';
import { usePhone } from '../ui/use-phone.ts';
import { commonWords } from '../words/common.ts';
import { logsWords } from '../words/logs.ts';
import { unitNameText } from '../words/unit-name.ts';
import styles from './event-log.module.css';
import { type LogFilter, logKey } from './log-list.ts';
import { useLogs } from './use-logs.ts';

interface EventLogProps {
  /** `null`: of all experiments, and of the cluster itself. */
  readonly experiment: string | null;
  /** The unit whose entries are shown first; absent: all. */
  readonly firstUnit?: string;
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  /** The minute up to which entries are shown, milliseconds; `null`: up to now. */
  readonly untilMs: number | null;
  readonly onGoTo: (untilMs: number | null) => void;
}

const levelOptions = [
  { value: 'DEBUG', label: commonWords.all },
  { value: 'INFO', label: logsWords.info },
  { value: 'NOTICE', label: logsWords.notice },
  { value: 'WARNING', label: commonWords.warnings },
  { value: 'ERROR', label: logsWords.errors },
];

/** How many entries come at once. Chosen: on a phone, what is below them is reached with a few swipes. */
const rowsAtOnce = 100;
const rowsOnPhone = 25;

/** A search is sent when the typing pauses. */
const typingPauseMs = 300;

const isLevel = (value: string): value is LogLevel => logLevels.some((level) => level === value);
const isSevere = (level: LogLevel): boolean => level === 'WARNING' || level === 'ERROR' || level === 'CRITICAL';

/** The experiment of entries that belong to none. */
const clusterItself = '$experiment';

/** People wrote these entries: their words stay. */
const noteTask = 'note';

interface RowProps {
  readonly entry: LogEntry;
  readonly name: string;
  /** Whether the experiment is named. */
  readonly isOfCluster: boolean;
  /** The present year. */
  readonly year: number;
  readonly place: RowPlace;
}

const Row = memo(function Row({ entry, name, isOfCluster, year, place }: RowProps) {
  const at = Date.parse(entry.timestamp);
  return (
    <li className={styles.row} data-level={entry.level} {...place}>
      <time dateTime={entry.timestamp} title={exactText(at)} className={styles.time}>
        {secondOfAnyYearText(at, year)}
      </time>
      <span className={styles.level}>
        {isSevere(entry.level) && <WarningIcon size={13} />}
        {entry.level.toLowerCase()}
      </span>
      <span className={styles.unit}>{name}</span>
      <span className={styles.message}>
        {isOfCluster && entry.experiment !== clusterItself && (
          <span className={styles.task} translate="no">
            {entry.experiment} ·{' '}
          </span>
        )}
        {entry.task !== '' && <span className={styles.task}>{plainWords(entry.task)}: </span>}
        {entry.task === noteTask ? (
          <span translate="no">{entry.message}</span>
        ) : (
          forPeople(entry.message) || plainSentence(entry.message)
        )}
      </span>
    </li>
  );
});

/** The filters of the log; `search` as it is typed. */
type Filters = Omit<LogFilter, 'experiment' | 'untilMs'>;

const firstFilters: Filters = { minLevel: 'INFO', search: '', unit: null };

interface LogFiltersProps extends Pick<EventLogProps, 'units' | 'nameOf'> {
  readonly filters: Filters;
  readonly onChange: (change: Partial<Filters>) => void;
}

function LogFilters({ filters, units, nameOf, onChange }: LogFiltersProps) {
  return (
    <div className={styles.filters}>
      <SegmentedControl
        size="xs"
        aria-label={logsWords.lowestLevel}
        data={levelOptions}
        value={filters.minLevel}
        onChange={(value) => {
          if (isLevel(value)) onChange({ minLevel: value });
        }}
      />
      <Select
        size="xs"
        aria-label={commonWords.unit}
        placeholder={commonWords.allUnits}
        clearable
        data={units.map((each) => ({ value: each, label: unitNameText(each, nameOf(each)) }))}
        value={filters.unit}
        onChange={(unit) => onChange({ unit })}
        comboboxProps={{ withinPortal: false }}
        withScrollArea={false}
        className={styles.unitFilter}
      />
      <TextInput
        size="xs"
        type="search"
        aria-label={logsWords.searchEventLog}
        placeholder={commonWords.search}
        leftSection={<SearchIcon size={14} />}
        value={filters.search}
        onChange={(event) => onChange({ search: event.currentTarget.value })}
        className={styles.search}
      />
    </div>
  );
}

/** Shows the entries up to a time; the address names it. */
function GoToTime({ untilMs, onGoTo }: Pick<EventLogProps, 'untilMs' | 'onGoTo'>) {
  const [typed, setTyped] = useState(untilMs === null ? '' : localMinute(untilMs));
  const chosenMs = typed === '' ? Number.NaN : new Date(typed).getTime();
  const isNew = !Number.isNaN(chosenMs) && chosenMs !== untilMs;
  const go = (ms: number | null): void => {
    setTyped(ms === null ? '' : localMinute(ms));
    onGoTo(ms);
  };
  return (
    <form
      className={styles.goTo}
      aria-label={logsWords.goToTime}
      onSubmit={(event) => {
        event.preventDefault();
        if (isNew) go(chosenMs);
      }}
    >
      <TextInput
        size="xs"
        type="datetime-local"
        aria-label={logsWords.timeOfLog}
        value={typed}
        onChange={({ currentTarget: { value } }) => setTyped(value)}
      />
      <Button type="submit" size="xs" variant="default" disabled={!isNew}>
        {logsWords.goToTimeShort}
      </Button>
      {untilMs !== null && (
        <>
          <Button size="xs" variant="default" onClick={() => go(untilMs + hourMs)}>
            {logsWords.hourLater}
          </Button>
          <Button size="xs" variant="default" onClick={() => go(null)}>
            {logsWords.newestEntries}
          </Button>
        </>
      )}
    </form>
  );
}

/** What happened in an experiment or in the cluster, newest first. */
export function EventLog({ experiment, firstUnit, units, nameOf, untilMs, onGoTo }: EventLogProps) {
  const panel = useRef<HTMLElement>(null);
  const isInView = useInView(panel);
  const wasInView = useRef(false);
  wasInView.current ||= isInView;
  const [filters, setFilters] = useState<Filters>({ ...firstFilters, unit: firstUnit ?? null });
  const { minLevel, unit } = filters;
  const [search] = useDebouncedValue(filters.search.trim(), typingPauseMs);
  const pageSize = usePhone() ? rowsOnPhone : rowsAtOnce;
  const logs = useLogs({ experiment, minLevel, search, unit, untilMs }, pageSize, wasInView.current);
  const nowZone = useTicking((nowMs) => zonesText([untilMs ?? nowMs]));
  const year = Number(useTicking((nowMs) => String(new Date(nowMs).getFullYear())));
  const zones = zonesText(logs.entries.map(({ timestamp }) => Date.parse(timestamp))) || nowZone;
  const isFiltered = search !== '' || unit !== null || minLevel !== 'INFO';

  return (
    <section ref={panel} className={styles.panel} aria-labelledby="event-log">
      <div className={styles.head}>
        <h2 id="event-log" className={styles.title}>
          {logsWords.eventLog(<span className={styles.zone}>{logsWords.timesIn(zones)}</span>)}
        </h2>
        <LogFilters
          filters={filters}
          units={units}
          nameOf={nameOf}
          onChange={(change) => setFilters((before) => ({ ...before, ...change }))}
        />
        <GoToTime untilMs={untilMs} onGoTo={onGoTo} />
      </div>
      {logs.error && <ProblemAlert error={logs.error} onRetry={() => logs.refetch()} retrying={logs.isFetching} />}
      {logs.isPending && !logs.error && <Skeleton height={160} role="status" aria-label={logsWords.loadingEventLog} />}
      {logs.data && logs.entries.length === 0 && (
        <Text size="sm" c="dimmed" className={styles.none}>
          {untilMs !== null
            ? logsWords.nothingMatches
            : isFiltered
              ? logsWords.nothingInLogMatches
              : experiment === null
                ? logsWords.noEntriesOfCluster
                : logsWords.noEntriesYet}
        </Text>
      )}
      <ol className={styles.list} aria-label={commonWords.entries}>
        <LongRows rows={logs.entries} keyOf={logKey} estimatedPx={28} kind="list">
          {(entry, place) => (
            <Row
              entry={entry}
              name={nameOf(entry.reactor_unit)}
              isOfCluster={experiment === null}
              year={year}
              place={place}
            />
          )}
        </LongRows>
      </ol>
      {logs.hasNextPage && (
        <Button
          size="xs"
          variant="default"
          mt="sm"
          loading={logs.isFetchingNextPage}
          onClick={() => void logs.fetchNextPage()}
        >
          {commonWords.olderEntries}
        </Button>
      )}
    </section>
  );
}
