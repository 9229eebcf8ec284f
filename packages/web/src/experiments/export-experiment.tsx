import { Anchor, Button, Checkbox, Group, ScrollArea, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useShowTask } from '../tasks/task-toast.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import type { DialogFrame } from './dialogs.ts';
import { type ExportForm, exportRequest, exportUrl, formError, initialForm } from './export-request.ts';

interface ExportExperimentProps extends DialogFrame {
  readonly experiment: string;
}

const formats = [
  { value: 'csv', label: 'CSV' },
  { value: 'parquet', label: 'Parquet' },
];

function useDatasets() {
  const { leader } = useServices();
  return useQuery({
    queryKey: queryKeys.datasets,
    queryFn: ({ signal }) => leader.listExportableDatasets({ signal }),
  });
}

interface DatasetChoiceProps {
  readonly chosen: readonly string[];
  readonly onChange: (chosen: string[]) => void;
}

function DatasetChoice({ chosen, onChange }: DatasetChoiceProps) {
  const { data: datasets = [], error } = useDatasets();
  if (error) return <ProblemAlert error={error} />;
  return (
    <Checkbox.Group label="Datasets" value={[...chosen]} onChange={onChange}>
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

/** The link to a finished export. */
function DownloadLink({ result }: { readonly result: unknown }) {
  const address = exportUrl(result);
  if (address === undefined) return null;
  return (
    <Anchor href={address} download size="sm">
      Download the zip file
    </Anchor>
  );
}

interface OptionsProps {
  readonly form: ExportForm;
  readonly onChange: (changes: Partial<ExportForm>) => void;
}

/** The period, the format and the files of an export. */
function ExportOptions({ form, onChange }: OptionsProps) {
  return (
    <>
      <Group grow align="flex-start">
        <TextInput
          type="datetime-local"
          label="From"
          description="Empty: from the beginning"
          value={form.from}
          onChange={(event) => onChange({ from: event.currentTarget.value })}
        />
        <TextInput
          type="datetime-local"
          label="To"
          description="Empty: up to now"
          value={form.to}
          onChange={(event) => onChange({ to: event.currentTarget.value })}
        />
      </Group>
      <Group justify="space-between">
        <SegmentedControl
          aria-label="Format"
          data={formats}
          value={form.format}
          onChange={(format) => onChange({ format: format === 'parquet' ? 'parquet' : 'csv' })}
        />
        <Checkbox
          label="A file for each unit"
          checked={form.byUnit}
          onChange={(event) => onChange({ byUnit: event.currentTarget.checked })}
        />
      </Group>
    </>
  );
}

/** Starts an export; a notice shows its progress and then the link to the file. */
export function ExportExperiment({ experiment, isOpen, onClose, onClosed }: ExportExperimentProps) {
  const { leader } = useServices();
  const showTask = useShowTask();
  const [form, setForm] = useState(initialForm);
  const change = (changes: Partial<ExportForm>) => setForm((before) => ({ ...before, ...changes }));
  const fault = formError(form);

  const exporting = useMutation({
    mutationFn: () => leader.exportDatasets({ body: exportRequest(experiment, form) }),
    onSuccess: ({ task_id }) => {
      showTask(task_id, {
        running: `Exporting ${experiment}`,
        succeeded: `${experiment} is exported`,
        failed: `${experiment} was not exported`,
        canBeCancelled: true,
        outcome: (result) => <DownloadLink result={result} />,
      });
      onClose();
    },
  });

  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fault === undefined) exporting.mutate();
  };

  return (
    <Dialog isOpen={isOpen} onClose={onClose} onClosed={onClosed} title={`Export data of ${experiment}`} size="lg">
      <form onSubmit={submit}>
        <Stack gap="md">
          <DatasetChoice chosen={form.datasets} onChange={(datasets) => change({ datasets })} />
          <ExportOptions form={form} onChange={change} />
          {fault !== undefined && (
            <Text size="sm" c="var(--mantine-color-error)" role="status">
              {fault}
            </Text>
          )}
          {exporting.error && <ProblemAlert error={exporting.error} />}
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={fault !== undefined} loading={exporting.isPending}>
              Export
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
