import { dayMs } from '@lcs/contract';
import { Button, EmptyState, NativeSelect, Skeleton, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { BellIcon, SearchIcon } from '../ui/icons.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { alarmsWords } from '../words/alarms.ts';
import { commonWords } from '../words/common.ts';
import { AlarmCard } from './alarm-card.tsx';
import styles from './alarms.module.css';
import { usePastAlarms } from './use-alarms.ts';

const typingMs = 300;

const spans = [
  { value: '1', label: alarmsWords.last24Hours },
  { value: '7', label: alarmsWords.last7Days },
  { value: '30', label: alarmsWords.last30Days },
  { value: '', label: alarmsWords.anyTime },
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
          label={commonWords.search}
          placeholder={alarmsWords.searchHint}
          leftSection={<SearchIcon size={16} />}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <NativeSelect
          label={alarmsWords.time}
          data={spans}
          value={days}
          onChange={({ currentTarget }) => setDays(currentTarget.value)}
        />
      </div>
      {past.error && <ProblemAlert error={past.error} onRetry={() => past.refetch()} />}
      {past.isPending && !past.error && (
        <Skeleton height={90} role="status" aria-label={alarmsWords.loadingHistoryOfAlarms} />
      )}
      {past.data && past.alarms.length === 0 && (
        <EmptyState
          py={48}
          icon={<BellIcon size={40} />}
          title={
            <h2 className="empty-title">{isFiltered ? alarmsWords.noAlarmMatches : alarmsWords.noEarlierAlarms}</h2>
          }
          description={isFiltered ? alarmsWords.changeTextOrTime : alarmsWords.historyHelp}
        />
      )}
      {past.alarms.length > 0 && (
        <ol className={styles.list} aria-label={alarmsWords.earlierAlarms}>
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
          {commonWords.showMore}
        </Button>
      )}
    </>
  );
}
