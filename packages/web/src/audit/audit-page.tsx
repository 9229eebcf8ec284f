import { type AuditQuery, leaderApi } from '@lcs/contract';
import { Button, Group, NativeSelect, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useFieldZone } from '../services/use-ticking.ts';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { auditWords } from '../words/audit.ts';
import { commonWords } from '../words/common.ts';
import { type AuditFilters, auditQueryOf, isAuditKind, noFilters } from './audit-filters.ts';
import styles from './audit-table.module.css';
import { AuditTable } from './audit-table.tsx';
import { AuditVerificationPanel } from './audit-verification.tsx';

const pageSize = 50;

const kinds = [
  { value: '', label: auditWords.allEntries },
  { value: 'change', label: auditWords.changes },
  { value: 'sign_in', label: auditWords.signInsAndSignOuts },
  { value: 'refusal', label: auditWords.refusals },
  { value: 'failure', label: auditWords.otherFailures },
];

interface FiltersProps {
  readonly filters: AuditFilters;
  readonly onChange: (filters: AuditFilters) => void;
}

const texts = [
  { name: 'caller', label: auditWords.personOrToken },
  { name: 'experiment', label: commonWords.experiment },
  { name: 'unit', label: commonWords.unit },
] as const;

const times = [
  { name: 'since', label: commonWords.from },
  { name: 'until', label: auditWords.before },
] as const;

function Filters({ filters, onChange }: FiltersProps) {
  const zones = { since: useFieldZone(filters.since), until: useFieldZone(filters.until) };
  return (
    <Group gap="sm" align="end" role="search" aria-label={commonWords.filters} className={styles.filters ?? ''}>
      {texts.map(({ name, label }) => (
        <TextInput
          key={name}
          size="xs"
          label={label}
          value={filters[name]}
          onChange={({ currentTarget: { value } }) => onChange({ ...filters, [name]: value })}
        />
      ))}
      <NativeSelect
        size="xs"
        label={commonWords.kind}
        data={kinds}
        value={filters.kind}
        onChange={({ currentTarget: { value } }) => {
          if (isAuditKind(value)) onChange({ ...filters, kind: value });
        }}
      />
      {times.map(({ name, label }) => (
        <TextInput
          key={name}
          size="xs"
          type="datetime-local"
          label={`${label} (${zones[name]})`}
          value={filters[name]}
          onChange={({ currentTarget: { value } }) => onChange({ ...filters, [name]: value })}
        />
      ))}
    </Group>
  );
}

function Entries({ query }: { readonly query: AuditQuery }) {
  const { leader } = useServices();
  const pages = useInfiniteQuery({
    queryKey: [...queryKeys.audit, query],
    queryFn: ({ pageParam, signal }) =>
      leader.listAudit({
        query: { ...query, limit: pageSize, ...(pageParam !== undefined && { before: String(pageParam) }) },
        signal,
      }),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => (page.length === pageSize ? page.at(-1)?.seq : undefined),
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  const { data, error, isFetching, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = pages;
  const entries = data?.pages.flat() ?? [];
  return (
    <>
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {!data && !error && <Skeleton height={120} role="status" aria-label={auditWords.loadingAudit} />}
      {data && entries.length === 0 && (
        <Text size="sm" c="dimmed">
          {auditWords.noEntryMatchesTheseFilters}
        </Text>
      )}
      {entries.length > 0 && <AuditTable entries={entries} />}
      {hasNextPage && (
        <Group>
          <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {auditWords.showEarlierEntries}
          </Button>
        </Group>
      )}
    </>
  );
}

/** Who requested which change, with what result. */
export function AuditPage() {
  const gate = useMay()(leaderApi.listAudit);
  const [filters, setFilters] = useState(noFilters);
  return (
    <Stack>
      <title>{commonWords.pageTitle(commonWords.audit)}</title>
      <Title order={1} size="h2">
        {commonWords.audit}
      </Title>
      {gate.disabled ? (
        <Text size="sm">{gate.title}.</Text>
      ) : (
        <>
          <AuditVerificationPanel />
          <Panel title={commonWords.entries}>
            <Stack gap="md">
              <Filters filters={filters} onChange={setFilters} />
              <Entries query={auditQueryOf(filters)} />
            </Stack>
          </Panel>
        </>
      )}
    </Stack>
  );
}
