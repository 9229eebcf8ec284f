import { type ConfigHistoryEntry, configAuthors } from '@lcs/contract';
import { Button, Group, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import type { Gate } from '../services/gate.ts';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { configWords } from '../words/config.ts';
import styles from './config-findings.module.css';
import { DiffView } from './diff-view.tsx';
import { useConfigHistory } from './use-config-file.ts';

interface ConfigHistoryProps {
  readonly unit: string | undefined;
  /** The text in the editor. */
  readonly text: string;
  /** Puts the text of an earlier version into the editor. */
  readonly onLoad: (text: string) => void;
  readonly gate: Gate;
}

/** Versions that are read at once: each has its whole text. */
const versionsAtOnce = 20;

/** Versions of before this was recorded have no author. */
function authorText(author: string | null | undefined): string {
  if (author === null || author === undefined) return configWords.authorNotRecorded;
  const { installed, file } = configAuthors;
  return author === installed || author === file ? `, ${author}` : commonWords.byPersonAfter(author);
}

interface VersionProps extends Omit<ConfigHistoryProps, 'unit'> {
  readonly version: ConfigHistoryEntry;
  readonly isNewest: boolean;
}

function Version({ version: { timestamp, author, data }, isNewest, text, onLoad, gate }: VersionProps) {
  const [isCompared, setCompared] = useState(false);
  return (
    <li>
      <Group justify="space-between" py={4}>
        <Text size="sm">
          <Moment ms={Date.parse(timestamp)} />
          {authorText(author)}
          {isNewest && ` ${configWords.newest}`}
        </Text>
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="default"
            aria-expanded={isCompared}
            onClick={() => setCompared((before) => !before)}
          >
            {isCompared ? configWords.hideComparison : commonWords.compare}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => onLoad(data)} {...gate}>
            {configWords.loadThisVersion}
          </Button>
        </Group>
      </Group>
      {isCompared && <DiffView label={configWords.fromVersionToEditor} before={data} after={text} />}
    </li>
  );
}

/** Earlier versions of the file; one that is loaded into the editor becomes active when it is saved. */
export function ConfigHistory({ unit, text, onLoad, gate }: ConfigHistoryProps) {
  const [limit, setLimit] = useState(versionsAtOnce);
  const history = useConfigHistory(unit, limit);
  const versions = history.data ?? [];
  return (
    <Panel title={configWords.earlierVersions}>
      {history.error && !history.data && (
        <ProblemAlert error={history.error} onRetry={() => history.refetch()} retrying={history.isFetching} />
      )}
      {history.isPending && <Skeleton height={60} role="status" aria-label={configWords.loadingEarlierVersions} />}
      {history.data?.length === 0 && <Text size="sm">{configWords.noEarlierVersions}</Text>}
      <ul className={styles.list}>
        {versions.map((version, index) => (
          <Version
            key={`${version.timestamp} ${version.data.length}`}
            version={version}
            isNewest={index === 0}
            text={text}
            onLoad={onLoad}
            gate={gate}
          />
        ))}
      </ul>
      {versions.length === limit && (
        <Button
          size="xs"
          variant="default"
          loading={history.isFetching}
          onClick={() => setLimit((before) => before + versionsAtOnce)}
        >
          {configWords.showOlderVersions}
        </Button>
      )}
    </Panel>
  );
}
