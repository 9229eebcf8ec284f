import { failureReason, leaderApi, type TaskRecord } from '@lcs/contract';
import {
  Alert,
  Anchor,
  Box,
  Button,
  Checkbox,
  Group,
  ScrollArea,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { readable } from '../api/problem.ts';
import { queryKeys } from '../api/query-keys.ts';
import type { TimeRange } from '../charts/time-range.ts';
import { useExportableDatasets, useTask } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { useFieldZone, useLeaderNow } from '../services/use-ticking.ts';
import { useShowTask } from '../tasks/task-toast.tsx';
import { localSecond } from '../time/moment-text.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { experimentWords } from '../words/experiment.ts';
import styles from './export-form.module.css';
import { ExportPreview } from './export-preview.tsx';
import { type ExportChoices, exportRequest, exportUrl, formFault, initialForm } from './export-request.ts';
import { ExportSize } from './export-size.tsx';

const formats = [
  { value: 'csv', label: experimentWords.csv },
  { value: 'parquet', label: experimentWords.parquet },
];

interface DatasetChoiceProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: string[]) => void;
}

function DatasetChoice({ chosen, onChange }: DatasetChoiceProps) {
  const { data: datasets = [], error } = useExportableDatasets();
  if (error) return <ProblemAlert error={error} />;
  return (
    <Checkbox.Group label={experimentWords.datasets} value={[...chosen]} onChange={onChange}>
      <ScrollArea.Autosize mah={260} mt={6} type="auto">
        <Stack gap={8}>
          {datasets.map(({ dataset_name: name, display_name, description }) => (
            <Checkbox key={name} value={name} label={display_name} description={description} size="sm" />
          ))}
        </Stack>
      </ScrollArea.Autosize>
    </Checkbox.Group>
  );
}

/** The export that was begun last, beside its button: its progress, then the link to its file. */
function NewestExport({ taskId }: { readonly taskId: string }) {
  const { data: task } = useTask(taskId);
  if (task?.status === 'failed') {
    const { cause, remediation } = readable(failureReason(task));
    return (
      <Text size="sm" c="var(--mantine-color-error)">
        {experimentWords.exportFailed(cause, remediation)}
      </Text>
    );
  }
  if (task?.status !== 'succeeded') return <Text size="sm">{experimentWords.exporting}</Text>;
  const address = exportUrl(task.result);
  return address === undefined ? null : (
    <Anchor href={address} download size="sm">
      {experimentWords.downloadZipFile}
    </Anchor>
  );
}

/** Whether the export that was begun last has not ended, as far as is known; one that the leader does not know any more has. */
function useIsRunning(taskId: string | undefined): boolean {
  const { data: task, isError } = useQuery<TaskRecord>({ queryKey: queryKeys.task(taskId ?? ''), queryFn: skipToken });
  return taskId !== undefined && !isError && task?.status !== 'succeeded' && task?.status !== 'failed';
}

interface OptionsProps {
  readonly form: ExportChoices;
  /** The zoomed window of the charts; `null`: they are not zoomed. */
  readonly chartWindow: TimeRange | null;
  readonly fault: ReturnType<typeof formFault>;
  readonly onChange: (changes: Partial<ExportChoices>) => void;
}

/** The period, the format and the files of an export. */
function ExportOptions({ form, chartWindow, fault, onChange }: OptionsProps) {
  const faultAt = (field: 'from' | 'to'): string | null => (fault?.field === field ? fault.text : null);
  const [fromZone, toZone] = [useFieldZone(form.from), useFieldZone(form.to)];
  const { data: datasets = [] } = useExportableDatasets();
  const alwaysByUnit = datasets.filter(
    (each) => each.always_partition_by_unit && form.datasets.includes(each.dataset_name),
  );
  return (
    <>
      <Group align="flex-start">
        <TextInput
          className={styles.moment}
          type="datetime-local"
          label={commonWords.from}
          description={experimentWords.emptyFromBeginning(fromZone)}
          value={form.from}
          error={faultAt('from')}
          onChange={(event) => onChange({ from: event.currentTarget.value })}
        />
        <TextInput
          className={styles.moment}
          type="datetime-local"
          label={commonWords.to}
          description={experimentWords.emptyUpToNow(toZone)}
          value={form.to}
          error={faultAt('to')}
          onChange={(event) => onChange({ to: event.currentTarget.value })}
        />
        {chartWindow !== null && (
          <Button
            variant="default"
            mt={46}
            onClick={() => onChange({ from: localSecond(chartWindow.fromMs), to: localSecond(chartWindow.toMs) })}
          >
            {experimentWords.windowOfCharts}
          </Button>
        )}
      </Group>
      <Group justify="space-between">
        <SegmentedControl
          aria-label={commonWords.format}
          data={formats}
          value={form.format}
          onChange={(format) => onChange({ format: format === 'parquet' ? 'parquet' : 'csv' })}
        />
        <Checkbox
          label={experimentWords.fileForEachUnit}
          description={
            alwaysByUnit.length > 0 &&
            experimentWords.alwaysFileForEachUnit(alwaysByUnit.map((each) => each.display_name).join(', '))
          }
          checked={form.byUnit}
          onChange={(event) => onChange({ byUnit: event.currentTarget.checked })}
        />
      </Group>
    </>
  );
}

/** Starts an export; a notice shows its progress on all pages, and the file is offered here. */
export function ExportForm({
  experiment,
  chartWindow,
}: {
  readonly experiment: string;
  readonly chartWindow: TimeRange | null;
}) {
  const { leader } = useServices();
  const showTask = useShowTask();
  const may = useMay();
  const cache = useQueryClient();
  // Also after another page was shown meanwhile.
  const newest = useQuery<string>({
    queryKey: queryKeys.newestExport(experiment),
    queryFn: skipToken,
    gcTime: Number.POSITIVE_INFINITY,
  }).data;
  const [form, setForm] = useState(initialForm);
  const change = (changes: Partial<ExportChoices>) => setForm((before) => ({ ...before, ...changes }));
  const leaderNowMs = useLeaderNow();
  const fault = formFault(form, leaderNowMs());

  const exporting = useMutation({
    mutationFn: () => leader.exportDatasets({ body: exportRequest(experiment, form) }),
    onSuccess: ({ task_id }) => {
      cache.setQueryData(queryKeys.newestExport(experiment), task_id);
      showTask(task_id, {
        running: experimentWords.exportingNamed(experiment),
        succeeded: experimentWords.isExported(experiment),
        failed: experimentWords.wasNotExported(experiment),
        canBeCancelled: true,
      });
    },
  });

  const isRunning = useIsRunning(newest);
  const [isAsked, setAsked] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fault !== undefined) return;
    if (isRunning) setAsked(true);
    else exporting.mutate();
  };

  return (
    <form onSubmit={submit}>
      <Box maw={720} mb="md">
        <DatasetChoice chosen={form.datasets} onChange={(datasets) => change({ datasets })} />
      </Box>
      <ExportPreview experiment={experiment} names={form.datasets} />
      <Stack gap="md" maw={720} mt="md">
        <ExportOptions form={form} chartWindow={chartWindow} fault={fault} onChange={change} />
        {fault === undefined && <ExportSize experiment={experiment} form={form} />}
        {fault?.field === 'datasets' && (
          <Text size="sm" c="var(--mantine-color-error)" role="status">
            {fault.text}
          </Text>
        )}
        {exporting.error && <ProblemAlert error={exporting.error} />}
        {isAsked && isRunning && (
          <Alert color="orange" variant="light" role="alert">
            <Group gap="sm">
              <Text size="sm">{experimentWords.exportStillRuns}</Text>
              <Button
                size="xs"
                variant="default"
                onClick={() => {
                  setAsked(false);
                  exporting.mutate();
                }}
              >
                {experimentWords.exportAnother}
              </Button>
            </Group>
          </Alert>
        )}
        <Group>
          <Button
            type="submit"
            disabled={fault !== undefined}
            loading={exporting.isPending}
            {...(fault === undefined && may(leaderApi.exportDatasets))}
          >
            {experimentWords.export}
          </Button>
          <div role="status">{newest !== undefined && <NewestExport key={newest} taskId={newest} />}</div>
        </Group>
      </Stack>
    </form>
  );
}
