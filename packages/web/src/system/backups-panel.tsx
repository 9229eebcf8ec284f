import { type Backup, type Backups, callPath, failureReason, leaderApi, minuteMs } from '@lcs/contract';
import { Alert, Anchor, Button, Code, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useIsMutating, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { readable } from '../api/problem.ts';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { useLeaderNow } from '../services/use-ticking.ts';
import { followTask } from '../tasks/follow-task.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { Moment } from '../ui/moments.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { sizeText } from '../ui/size-text.ts';
import { commonWords } from '../words/common.ts';
import { systemWords } from '../words/system.ts';
import { planText, removedBackups, replacedText } from './backup-plan-text.ts';
import styles from './backups-panel.module.css';

const pollMs = 60_000;
/** Copying and verifying a store of some gigabytes takes minutes. */
const taskTimeoutMs = 30 * minuteMs;

/** The backup failed; the message has the leader's reason. */
class BackupNotMade extends Error {}

function useBackups() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.backups,
    queryFn: ({ signal }) => leader.listBackups({ signal }),
    staleTime: 0,
    refetchInterval: pollMs,
  });
}

/** A backup that is being made when the person returns to the page is not begun again. */
const makingBackup = ['make-backup'];

function useBackupNow() {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  return useMutation({
    mutationKey: makingBackup,
    mutationFn: async () => {
      const task = await followTask(clock, await leader.createBackup({}), taskTimeoutMs);
      if (task.status !== 'failed') return;
      const { error, cause, remediation } = readable(failureReason(task));
      throw new BackupNotMade([error, cause, remediation].join(' '));
    },
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.backups }),
  });
}

/** Where backups are stored and when the next one is made. */
function BackupPlan(plan: Backups) {
  const { place, is_second_place, next_at, backups, has_keys } = plan;
  const [newest] = backups;
  return (
    <Stack gap="xs">
      <dl className={styles.facts}>
        <div>
          <dt>{systemWords.lastVerified}</dt>
          <dd>{newest === undefined ? systemWords.noBackupYet : <Moment ms={Date.parse(newest.created_at)} />}</dd>
        </div>
        <div>
          <dt>{commonWords.next}</dt>
          <dd>
            {next_at === null && systemWords.onlyOnRequest}
            {next_at !== null &&
              (newest === undefined ? systemWords.withinTenMinutes : <Moment ms={Date.parse(next_at)} />)}
          </dd>
        </div>
        <div>
          <dt>{commonWords.plan}</dt>
          <dd>{planText(plan)}</dd>
        </div>
        <div>
          <dt>{commonWords.folder}</dt>
          <dd translate="no">{place}</dd>
        </div>
      </dl>
      {has_keys === null && (
        <Text size="sm" c="var(--page-warning)">
          {systemWords.keysNotKnown}
        </Text>
      )}
      {has_keys === false && <Text size="sm">{systemWords.backupsContainNoKeys}</Text>}
      {!is_second_place && (
        <Text size="sm" c="var(--page-warning)">
          {systemWords.onSameDisk}
        </Text>
      )}
    </Stack>
  );
}

/** Reads a backup that stands on the leader. */
function DownloadBackup({ backup_name }: Pick<Backup, 'backup_name'>) {
  const may = useMay();
  const { disabled } = may(leaderApi.downloadBackup);
  if (disabled) return null;
  return (
    <Anchor
      href={callPath(leaderApi.downloadBackup, { params: { backup_name } })}
      download={`${backup_name}.zip`}
      size="sm"
      aria-label={systemWords.downloadNamed(backup_name)}
    >
      {systemWords.download}
    </Anchor>
  );
}

/** A backup is restored on the machine itself: the running leader cannot replace its own store. */
const RestoreSteps = ({ folder }: { readonly folder: string }) => (
  <details>
    <summary>{systemWords.howToRestoreBackup}</summary>
    <ol>
      <li>{systemWords.stopLeaderOnItsMachine}</li>
      <li>{systemWords.downloadedBackup}</li>
      <li>{systemWords.runOrWithAnotherFolder(<Code>{systemWords.lcsRestoreReplace(folder)}</Code>)}</li>
      <li>{systemWords.startLeaderAgain}</li>
    </ol>
  </details>
);

function BackupTable({ backups }: { readonly backups: readonly Backup[] }) {
  return (
    <Table.ScrollContainer minWidth={420}>
      <Table aria-label={commonWords.backups}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{systemWords.made}</Table.Th>
            <Table.Th>{systemWords.size}</Table.Th>
            <Table.Th>{commonWords.version}</Table.Th>
            <Table.Th>{systemWords.nameForLcsRestore}</Table.Th>
            <Table.Th>{commonWords.file}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {backups.map(({ backup_name, created_at, bytes, app_version }) => (
            <Table.Tr key={backup_name}>
              <Table.Td>
                <Moment ms={Date.parse(created_at)} />
              </Table.Td>
              <Table.Td>{sizeText(bytes)}</Table.Td>
              <Table.Td>{app_version}</Table.Td>
              <Table.Td>{backup_name}</Table.Td>
              <Table.Td>
                <DownloadBackup backup_name={backup_name} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** The backups that have disappeared since the page was opened. */
function useRemoved(backups: readonly Backup[] | undefined): readonly string[] {
  const [seen, setSeen] = useState<readonly Backup[]>([]);
  const news = backups?.filter(({ backup_name }) => seen.every((each) => each.backup_name !== backup_name)) ?? [];
  if (news.length > 0) setSeen([...news, ...seen]);
  return backups === undefined ? [] : removedBackups(seen, backups);
}

/** The backups of the leader, their plan and problems, and a backup on demand. */
export function BackupsPanel() {
  const { data, error, isFetching, refetch } = useBackups();
  const make = useBackupNow();
  const isBusy = useIsMutating({ mutationKey: makingBackup }) > 0;
  const may = useMay();
  const now = useLeaderNow();
  const removed = useRemoved(data?.backups);
  const replaced = data === undefined ? '' : replacedText(data, now());
  return (
    <Panel
      title={commonWords.backups}
      aside={
        <Button
          size="xs"
          loading={isBusy}
          // A small backup is made between the two clicks of a double click.
          onClick={({ detail }) => {
            if (detail <= 1) make.mutate();
          }}
          {...may(leaderApi.createBackup)}
        >
          {systemWords.makeBackupNow}
        </Button>
      }
    >
      {error && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {!data && !error && <Skeleton height={80} role="status" aria-label={systemWords.loadingBackups} />}
      {data && <BackupPlan {...data} />}
      {replaced !== '' && (
        <Text size="sm" c="dimmed">
          {replaced}
        </Text>
      )}
      {data && data.problem !== null && (
        <Alert color="red" variant="light" icon={<WarningIcon />} title={systemWords.noBackupCouldBeMade}>
          {data.problem}
        </Alert>
      )}
      {make.error instanceof BackupNotMade ? (
        <Text size="sm" role="alert" c="var(--mantine-color-error)">
          {make.error.message}
        </Text>
      ) : (
        make.error && <ProblemAlert error={make.error} />
      )}
      {make.isSuccess && (
        <Text size="sm" role="status">
          {systemWords.backupWasMadeAndVerified}
        </Text>
      )}
      {removed.length > 0 && (
        <Text size="sm" role="status">
          {systemWords.removedByPlan(removed.join(', '))}
        </Text>
      )}
      {data && data.backups.length === 0 && (
        <Text size="sm" c="dimmed">
          {systemWords.noBackupsYet}
        </Text>
      )}
      {data && data.backups.length > 0 && <BackupTable backups={data.backups} />}
      {data && data.backups.length > 0 && (
        <RestoreSteps folder={`${data.place}/${data.backups[0]?.backup_name ?? ''}`} />
      )}
    </Panel>
  );
}
