import { type FinishedTask, failureReason, leaderApi } from '@lcs/contract';
import { Alert, Button, FileButton, Group, Progress, Stack, Table, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { broadcast } from '../api/broadcast.ts';
import { plainWords } from '../api/plain-words.ts';
import { isNotFound, readable } from '../api/problem.ts';
import { queryKeys } from '../api/query-keys.ts';
import { useLeaderIdentity, useTask, useUnits } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { commandOutcomes } from '../tasks/unit-answers.ts';
import { reasonsOf } from '../tasks/unit-command.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { WarningIcon } from '../ui/icons.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { settingsWords } from '../words/settings.ts';

const route = getRouteApi('/settings/updates');

const naturally = new Intl.Collator('en', { numeric: true });

/** The release that an update installs: the next one of the folder of releases, or an uploaded file. */
type Release = { readonly file: File | null };

/** The task of an update, or that another one is under way. */
class UpdateRunning extends Error {}

function useUpdate() {
  const { leader } = useServices();
  return useMutation({
    mutationFn: async ({ file }: Release) => {
      if (file === null) return startedTask(await leader.updateToNextVersion({ body: { units: broadcast } }));
      const { upload_id } = await leader.uploadToLeader({ file: { content: file, fileName: file.name } });
      const body = { release_archive_location: upload_id, units: broadcast };
      return startedTask(await leader.updateFromArchive({ body }));
    },
  });
}

function startedTask(answer: { readonly task_id: string } | { readonly lock: string }): string {
  if ('task_id' in answer) return answer.task_id;
  throw new UpdateRunning(settingsWords.anotherUpdateIsRunning);
}

/** Where an ended update is not installed, and why. */
function UpdateResult({ task }: { readonly task: FinishedTask }) {
  const outcomes = [...commandOutcomes(task, null)];
  const refusals = outcomes.flatMap(([unit, outcome]) =>
    outcome.ok ? [] : [{ unit, unitId: unit, ...outcome.refusal }],
  );
  if (refusals.length === 0) return <Text role="status">{settingsWords.updateIsInstalled}</Text>;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<WarningIcon />}
      title={settingsWords.updateIsNotInstalledOn(refusals.length, outcomes.length)}
    >
      {reasonsOf(refusals).map(({ units, text }) => (
        <Text key={text} size="sm">
          {settingsWords.machineReason(units.join(', '), text)}
        </Text>
      ))}
    </Alert>
  );
}

/** The phases of an update: workers first, the leader last, which restarts. */
function UpdateProgress({ taskId, onEnd }: { readonly taskId: string; readonly onEnd: () => void }) {
  const { data, error } = useTask(taskId);
  const status = data?.status;
  const end = useRef(onEnd);
  end.current = onEnd;
  useEffect(() => {
    if (status === 'succeeded' || status === 'failed') end.current();
  }, [status]);
  if (data?.status === 'succeeded') return <UpdateResult task={data} />;
  if (data?.status === 'failed') {
    const { error, cause, remediation } = readable(failureReason(data));
    return (
      <Alert color="red" variant="light" icon={<WarningIcon />} title={error}>
        {cause} {remediation}
      </Alert>
    );
  }
  // An address of long ago: the task is forgotten.
  if (data === undefined && error !== null && isNotFound(error)) return null;
  const percent = Math.round(100 * (data?.progress ?? 0));
  return (
    <Stack gap={6}>
      <Text size="sm" role="status">
        {data?.message ? plainWords(data.message) : settingsWords.updateBegins} {percent} %
      </Text>
      <Progress value={percent} aria-label={settingsWords.progressOfUpdate} />
    </Stack>
  );
}

/** All machines with their version; those that differ from the leader are marked. */
function Versions() {
  const identity = useLeaderIdentity();
  const { data: units = [] } = useUnits();
  const others = units
    .filter(({ reactor_unit }) => reactor_unit !== identity?.leader)
    .toSorted((one, other) => naturally.compare(one.reactor_unit, other.reactor_unit));
  return (
    <Table.ScrollContainer minWidth={320}>
      <Table aria-label={settingsWords.versions} verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{settingsWords.machine}</Table.Th>
            <Table.Th>{commonWords.version}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Table.Tr>
            <Table.Td>{settingsWords.leaderNamed(identity?.leader ?? '…')}</Table.Td>
            <Table.Td>{identity?.version ?? '…'}</Table.Td>
          </Table.Tr>
          {others.map(({ reactor_unit, app_version }) => {
            const differs = app_version !== null && app_version !== identity?.version;
            return (
              <Table.Tr key={reactor_unit}>
                <Table.Td>{reactor_unit}</Table.Td>
                <Table.Td {...(differs && { c: 'var(--page-warning)' })}>
                  {app_version ?? commonWords.notKnown}
                  {differs && settingsWords.differsFromLeader}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Versions of all machines, and their update. */
export function UpdatesPage() {
  const { task } = route.useSearch();
  const navigate = route.useNavigate();
  const cache = useQueryClient();
  const update = useUpdate();
  const may = useMay();
  const [asked, setAsked] = useState<Release>();
  /** Forgets the file, so that the same one can be chosen again. */
  const resetFile = useRef<() => void>(null);
  const confirm = (): void => {
    if (asked !== undefined)
      update.mutate(asked, {
        onSuccess: (started) => void navigate({ to: '/settings/updates', search: { task: started }, replace: true }),
      });
    setAsked(undefined);
  };
  const choose = (file: File | null): void => {
    resetFile.current?.();
    if (file) setAsked({ file });
  };
  return (
    <Stack>
      <title>{commonWords.pageTitle(settingsWords.updates)}</title>
      <Title order={1} size="h2">
        {settingsWords.updates}
      </Title>
      <Group gap="sm">
        <Button onClick={() => setAsked({ file: null })} {...may(leaderApi.updateToNextVersion)}>
          {settingsWords.updateAllMachines}
        </Button>
        <FileButton resetRef={resetFile} onChange={choose}>
          {(props) => (
            <Button variant="default" {...props} {...may(leaderApi.updateFromArchive)}>
              {settingsWords.installReleaseFile}
            </Button>
          )}
        </FileButton>
      </Group>
      {update.isPending && <Text role="status">{settingsWords.sending}</Text>}
      {update.error instanceof UpdateRunning ? (
        <Text role="alert">{update.error.message}</Text>
      ) : (
        update.error && <ProblemAlert error={update.error} />
      )}
      {task !== undefined && (
        <UpdateProgress taskId={task} onEnd={() => void cache.invalidateQueries({ queryKey: queryKeys.units })} />
      )}
      <Panel title={settingsWords.versions}>
        <Versions />
      </Panel>
      <Dialog
        title={asked?.file ? settingsWords.installNamedQuestion(asked.file.name) : settingsWords.installNextRelease}
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
      >
        {asked?.file === null && <Text size="sm">{settingsWords.sourceOfNextRelease}</Text>}
        <Text size="sm">{settingsWords.installConsequence}</Text>
        <DialogActions>
          <Button variant="default" onClick={() => setAsked(undefined)}>
            {commonWords.cancel}
          </Button>
          <Button onClick={confirm}>{settingsWords.installOnAllMachines}</Button>
        </DialogActions>
      </Dialog>
    </Stack>
  );
}
