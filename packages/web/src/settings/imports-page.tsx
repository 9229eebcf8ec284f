import { EndedImport, leaderApi, nodeApi, type PioreactorImport, taskResult } from '@lcs/contract';
import { Button, FileButton, Group, Progress, SegmentedControl, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { isNotFound } from '../api/problem.ts';
import { queryKeys } from '../api/query-keys.ts';
import { type FieldDescriptor, FormFields } from '../forms/form-field.tsx';
import { useTask } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { Panel } from '../ui/panel.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { sizeText } from '../ui/size-text.ts';
import { commonWords } from '../words/common.ts';
import { settingsWords } from '../words/settings.ts';
import { EarlierImports } from './earlier-imports.tsx';
import { ImportReportView } from './import-report.tsx';
import { type BegunImport, readBegunImport } from './import-text.ts';

const storageKey = 'lcs.import';

const folderField: FieldDescriptor = {
  kind: 'text',
  name: 'folder',
  label: settingsWords.folderOfSource,
  hint: settingsWords.folderHelp,
  placeholder: '/var/lib/lcs/pioreactor',
};

const options: readonly FieldDescriptor[] = [
  {
    kind: 'tags',
    name: 'experiments',
    label: commonWords.onlyTheseExperiments,
    hint: settingsWords.namesHelp,
  },
  {
    kind: 'choice',
    name: 'conflict',
    label: settingsWords.sameNameExists,
    isNative: true,
    options: [
      { value: 'rename', label: settingsWords.importItAsNameImported },
      { value: 'skip', label: settingsWords.doNotImportIt },
    ],
  },
];

/** The import of this browser: begun, followed, and found again after the page was left. */
function useImport() {
  const { leader } = useServices();
  const [begun, setBegun] = useState(() => readBegunImport(localStorage.getItem(storageKey)));
  const keep = (next: BegunImport): void => {
    localStorage.setItem(storageKey, JSON.stringify(next));
    setBegun(next);
  };
  const begin = useMutation({
    mutationFn: async ({ request, source }: Omit<BegunImport, 'task_id'>) => {
      const { task_id } = await leader.importPioreactor({ body: request });
      return { task_id, request, source };
    },
    onSuccess: keep,
  });
  const upload = useMutation({
    mutationFn: (file: File) => leader.uploadToLeader({ file: { content: file, fileName: file.name } }),
  });
  return { begun, begin, upload };
}

type Import = ReturnType<typeof useImport>;

/** Where the data of the other system is, and what of it comes. */
function SourceForm({ begin, upload }: Pick<Import, 'begin' | 'upload'>) {
  const may = useMay();
  const form = useForm({
    initialValues: { from: 'folder', folder: '', experiments: [] as string[], conflict: 'rename' },
  });
  const { from, experiments, conflict } = form.values;
  const folder = form.values.folder.trim();
  const file = upload.variables;
  const isReady = from === 'folder' ? folder !== '' : upload.data !== undefined;
  const plan = (): void => {
    const place: PioreactorImport =
      from === 'folder' ? { folder } : upload.data === undefined ? {} : { upload_id: upload.data.upload_id };
    const on_conflict = conflict === 'skip' ? 'skip' : 'rename';
    const chosen = experiments.length > 0 ? { experiments } : {};
    begin.mutate({
      source: from === 'folder' ? folder : (file?.name ?? ''),
      request: { ...place, ...chosen, on_conflict, dry_run: true },
    });
  };
  return (
    <Panel title={commonWords.source}>
      <Stack gap="md" maw={640}>
        <SegmentedControl
          aria-label={commonWords.source}
          data={[
            { value: 'folder', label: commonWords.folder },
            { value: 'zip', label: settingsWords.zipFile },
          ]}
          {...form.getInputProps('from')}
        />
        {from === 'folder' ? (
          <FormFields fields={[folderField]} form={form} />
        ) : (
          <Group gap="sm">
            <FileButton accept=".zip" onChange={(chosen) => chosen && upload.mutate(chosen)}>
              {(props) => (
                <Button variant="default" loading={upload.isPending} {...props} {...may(leaderApi.uploadToLeader)}>
                  {settingsWords.chooseZip}
                </Button>
              )}
            </FileButton>
            <Text size="sm" role="status">
              {upload.data !== undefined && file !== undefined
                ? settingsWords.wasSent(file.name, sizeText(file.size))
                : settingsWords.zipOfFolder(sizeText(leaderApi.uploadToLeader.upload.limitBytes))}
            </Text>
          </Group>
        )}
        {upload.error && <ProblemAlert error={upload.error} />}
        <FormFields fields={options} form={form} />
        {begin.error && <ProblemAlert error={begin.error} />}
        <div>
          <Button
            disabled={!isReady}
            loading={begin.isPending}
            onClick={plan}
            {...(isReady ? may(leaderApi.importPioreactor) : {})}
          >
            {settingsWords.showWhatWillCome}
          </Button>
        </div>
      </Stack>
    </Panel>
  );
}

/** A plan with the button that carries it out, or the report of what was carried out. */
function Ended({ importId, request, source, begin }: BegunImport & Pick<Import, 'begin'> & { importId: string }) {
  const { leader } = useServices();
  const may = useMay();
  const { data: report, error } = useQuery({
    queryKey: queryKeys.importReport(importId),
    queryFn: ({ signal }) => leader.getImport({ params: { import_id: importId }, signal }),
  });
  if (error) return <ProblemAlert error={error} />;
  if (report === undefined) return <Skeleton height={120} role="status" aria-label={settingsWords.loadingReport} />;
  return (
    <Stack gap="md">
      {report.is_dry_run && (
        <Group gap="sm">
          <Button
            loading={begin.isPending}
            onClick={() => begin.mutate({ source, request: { ...request, dry_run: false } })}
            {...may(leaderApi.importPioreactor)}
          >
            {settingsWords.importThis}
          </Button>
          <Text size="sm">{settingsWords.importCanBeDeleted}</Text>
        </Group>
      )}
      <ImportReportView report={report} />
    </Stack>
  );
}

/** The progress of an import, then its plan or report. */
function Followed({ begun, begin }: { readonly begun: BegunImport } & Pick<Import, 'begin'>) {
  const { node } = useServices();
  const may = useMay();
  const { data: task, error } = useTask(begun.task_id);
  const cancel = useMutation({ mutationFn: () => node.cancelTask({ params: { task_id: begun.task_id } }) });
  const outcome = useMemo(() => {
    if (task?.status !== 'succeeded' && task?.status !== 'failed') return undefined;
    try {
      return { ended: taskResult(task, EndedImport) };
    } catch (failure) {
      return { failure };
    }
  }, [task]);
  // The leader keeps tasks for a time only; the report is in the list below.
  if (isNotFound(error)) return null;
  const isPlan = begun.request.dry_run === true;
  const progress = task !== undefined && 'progress' in task ? task.progress : null;
  return (
    <Panel title={settingsWords.planOrImportOf(isPlan, begun.source)}>
      {outcome?.ended && <Ended {...begun} importId={outcome.ended.import_id} begin={begin} />}
      {outcome?.failure !== undefined && <ProblemAlert error={outcome.failure} />}
      {outcome === undefined && (
        <Stack gap="xs">
          {error && <ProblemAlert error={error} />}
          <Progress
            value={progress === null ? 100 : 100 * progress}
            striped={progress === null}
            animated={progress === null}
            aria-label={isPlan ? settingsWords.readingSource : settingsWords.importing}
          />
          <Text size="sm" role="status">
            {isPlan ? settingsWords.readingSource : settingsWords.importing}
            {progress !== null && `: ${Math.round(100 * progress)} %`}
          </Text>
          <Text size="sm" c="dimmed">
            {settingsWords.youCanLeaveThisPage}
          </Text>
          {cancel.error && <ProblemAlert error={cancel.error} />}
          <div>
            <Button
              size="xs"
              variant="default"
              loading={cancel.isPending}
              onClick={() => cancel.mutate()}
              {...may(nodeApi.cancelTask)}
            >
              {commonWords.cancel}
            </Button>
          </div>
        </Stack>
      )}
      {begin.error && <ProblemAlert error={begin.error} />}
    </Panel>
  );
}

/** Brings the data of a Pioreactor leader into this one. */
export function ImportsPage() {
  const { begun, begin, upload } = useImport();
  return (
    <Stack>
      <title>{commonWords.pageTitle(settingsWords.import)}</title>
      <Title order={1} size="h2">
        {settingsWords.import}
      </Title>
      <Text size="sm">{settingsWords.importHelp}</Text>
      <SourceForm begin={begin} upload={upload} />
      {begun !== undefined && (
        <PartBoundary part={settingsWords.partImport} resetKey={begun.task_id}>
          <Followed key={begun.task_id} begun={begun} begin={begin} />
        </PartBoundary>
      )}
      <EarlierImports />
    </Stack>
  );
}
