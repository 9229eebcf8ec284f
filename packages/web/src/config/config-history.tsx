import { Button, Group, Skeleton, Text } from '@mantine/core';
import type { Gate } from '../services/gate.ts';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { useConfigHistory } from './use-config-file.ts';

interface ConfigHistoryProps {
  readonly unit: string | undefined;
  /** Puts the text of an earlier version into the editor. */
  readonly onRestore: (text: string) => void;
  readonly gate: Gate;
}

/** Shown versions, newest first. */
const maxVersions = 20;

/** Earlier versions of the file; one that is opened in the editor becomes active when it is saved. */
export function ConfigHistory({ unit, onRestore, gate }: ConfigHistoryProps) {
  const history = useConfigHistory(unit);
  const versions = history.data ?? [];
  const newest = versions
    .map((version, index) => ({ ...version, number: versions.length - index, isNewest: index === 0 }))
    .slice(0, maxVersions);
  return (
    <Panel title="Earlier versions">
      {history.error && !history.data && (
        <ProblemAlert error={history.error} onRetry={() => history.refetch()} retrying={history.isFetching} />
      )}
      {history.isPending && <Skeleton height={60} role="status" aria-label="Loading earlier versions" />}
      {history.data?.length === 0 && <Text size="sm">No saved versions yet.</Text>}
      {newest.map(({ number, isNewest, timestamp, author, data }) => (
        <Group key={number} justify="space-between" py={4}>
          <Text size="sm">
            <Moment ms={Date.parse(timestamp)} />
            {author !== null && ` by ${author}`}
            {isNewest && ' (newest)'}
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => onRestore(data)} {...gate}>
            Open this version
          </Button>
        </Group>
      ))}
    </Panel>
  );
}
