import { Button, EmptyState, NativeSelect, Skeleton, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { BellIcon, SearchIcon } from '../ui/icons.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { AlarmCard } from './alarm-card.tsx';
import styles from './alarms.module.css';
import { usePastAlarms } from './use-alarms.ts';

const typingMs = 300;
const dayMs = 86_400_000;

const spans = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '', label: 'Any time' },
];

/** Cleared alarms, newest first, by text and time. */
export function AlarmHistory() {
  const [text, setText] = useState('');
  const [days, setDays] = useState('');
  const [search] = useDebouncedValue(text.trim(), typingMs);
  const past = usePastAlarms({ search, spanMs: days === '' ? null : Number(days) * dayMs });
  const isFiltered = search !== '' || days !== '';
  return (
    <>
      <div className={styles.filters}>
        <TextInput
          label="Search"
          placeholder="Message, unit, experiment or comment"
          leftSection={<SearchIcon size={16} />}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <NativeSelect
          label="Time"
          data={spans}
          value={days}
          onChange={({ currentTarget }) => setDays(currentTarget.value)}
        />
      </div>
      {past.error && <ProblemAlert error={past.error} onRetry={() => past.refetch()} />}
      {past.isPending && !past.error && (
        <Skeleton height={90} role="status" aria-label="Loading the history of alarms" />
      )}
      {past.data && past.alarms.length === 0 && (
        <EmptyState
          py={48}
          icon={<BellIcon size={40} />}
          title={<h2 className="empty-title">{isFiltered ? 'No alarm matches' : 'No earlier alarms'}</h2>}
          description={
            isFiltered
              ? 'Change the text or the time.'
              : 'An alarm moves here when its condition is over and somebody has acknowledged it.'
          }
        />
      )}
      {past.alarms.length > 0 && (
        <ol className={styles.list} aria-label="Earlier alarms">
          {past.alarms.map((alarm) => (
            <AlarmCard key={alarm.alarm_id} alarm={alarm} />
          ))}
        </ol>
      )}
      {past.hasNextPage && (
        <Button
          variant="default"
          className={styles.more ?? ''}
          loading={past.isFetchingNextPage}
          onClick={() => past.fetchNextPage()}
        >
          Show more
        </Button>
      )}
    </>
  );
}
