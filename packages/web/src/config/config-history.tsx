import { Button, Group, Skeleton, Text } from '@mantine/core';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { useConfigHistory } from './use-config-file.ts';

interface ConfigHistoryProps {
  readonly unit: string | undefined;
  /** The text of an earlier version is wanted in the editor. */
  readonly onRestore: (text: string) => void;
}

/** So many of the newest versions are offered. */
const most = 20;

/** What the file was; an earlier version is taken into the editor, and is in force once it is saved. */
export function ConfigHistory({ unit, onRestore }: ConfigHistoryProps) {
  const history = useConfigHistory(unit);
  const versions = history.data ?? [];
  const newest = versions
    .map((version, index) => ({ ...version, number: versions.length - index, isNewest: index === 0 }))
    .slice(0, most);
  return (
    <Panel title="Earlier versions">
      {history.error && !history.data && (
        <ProblemAlert error={history.error} onRetry={() => history.refetch()} retrying={history.isFetching} />
      )}
      {history.isPending && <Skeleton height={60} role="status" aria-label="Loading earlier versions" />}
      {history.data?.length === 0 && <Text size="sm">Nobody has saved this file yet.</Text>}
      {newest.map(({ number, isNewest, timestamp, data }) => (
        <Group key={number} justify="space-between" py={4}>
          <Text size="sm">
            <Moment ms={Date.parse(timestamp)} />
            {isNewest && ' (newest)'}
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => onRestore(data)}>
            Take into the editor
          </Button>
        </Group>
      ))}
    </Panel>
  );
}
