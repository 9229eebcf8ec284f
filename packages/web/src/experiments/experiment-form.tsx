import { Button, Skeleton, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useMemo, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { queryKeys } from '../api/query-keys.ts';
import { type FieldDescriptor, FormFields, type FormValues, useFormValues } from '../forms/form-field.tsx';
import { applyLiveEvent } from '../live/live-cache.ts';
import { useServices, useUnsavedWork } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { CopiedUnits, useUnitsOfCopy } from './copied-units.tsx';
import type { DialogFrame, ExperimentDialog } from './dialogs.ts';
import { designOf, type ExperimentDesign, mergedDesign, tagsOfDesign } from './experiment-design.ts';
import { type ExperimentRow, tagsInUse } from './experiment-rows.ts';
import { faultText, fieldOfProblem, nameFault, tagsFault } from './form-rules.ts';
import { type CopiedUnit, unitsAtFirst } from './units-of-copy.ts';
import { refusalText } from './use-experiment-change.ts';

type Subject = Extract<ExperimentDialog, { readonly kind: 'new' | 'edit' }>;

interface ExperimentFormProps extends DialogFrame {
  /** A new experiment, or the one to change. */
  readonly subject: Subject;
  readonly rows: readonly ExperimentRow[];
}

/** Where a new experiment takes its set-up from. */
const sourceOf = (subject: Subject): ExperimentRow | undefined =>
  subject.kind === 'new' ? subject.prefill?.source : undefined;

function initialValues(subject: Subject): FormValues {
  const row = subject.kind === 'edit' ? subject.row : sourceOf(subject);
  const { organism = '', medium = '', tags = [] } = row?.design ?? {};
  const name = subject.kind === 'edit' ? subject.row.experiment.experiment : (subject.prefill?.name ?? '');
  return { name, organism, medium, description: row?.experiment.description ?? '', tags };
}

const tagsOf = ({ tags }: FormValues): readonly string[] => (Array.isArray(tags) ? tags : []);
const designOfForm = (values: FormValues): ExperimentDesign => ({
  organism: String(values.organism),
  medium: String(values.medium),
  tags: tagsOf(values),
});
const allTagsOf = (values: FormValues): string[] => tagsOfDesign(designOfForm(values));

/** What was entered before, each once, the newest first. */
const usedBefore = (rows: readonly ExperimentRow[], field: 'organism' | 'medium'): readonly string[] =>
  [...new Set(rows.map(({ design }) => design[field]))].filter((value) => value !== '');

/** The name of an experiment cannot be changed. */
function fieldsOf({ kind }: Subject, rows: readonly ExperimentRow[]) {
  const isNew = kind === 'new';
  const hint = 'Cannot be changed later';
  const name: FieldDescriptor = { kind: 'text', name: 'name', label: 'Name', hint, isRequired: true, isFirst: true };
  const rest: readonly (FieldDescriptor | readonly FieldDescriptor[])[] = [
    [
      { kind: 'text', name: 'organism', label: 'Organism, strain', suggestions: usedBefore(rows, 'organism') },
      { kind: 'text', name: 'medium', label: 'Medium', suggestions: usedBefore(rows, 'medium') },
    ],
    { kind: 'text', name: 'description', label: 'Description', isLong: true, isFirst: !isNew },
    { kind: 'tags', name: 'tags', label: 'Tags', hint: 'Enter or a comma ends a tag', suggestions: tagsInUse(rows) },
  ];
  return isNew ? [name, ...rest] : rest;
}

/** Assigns units one after the other; returns why some were not assigned. */
function useAssign() {
  const { leader } = useServices();
  return async (experiment: string, units: Iterable<string>): Promise<readonly string[]> => {
    const failed: string[] = [];
    for (const reactor_unit of units) {
      try {
        await leader.assignWorker({ params: { experiment }, body: { reactor_unit } });
      } catch (error) {
        failed.push(`${reactor_unit}: ${error instanceof Error ? refusalText(error) : String(error)}`);
      }
    }
    return failed;
  };
}

/** Creates the experiment and opens its page, or changes it. */
function useSave(subject: Subject, isChanged: (field: string) => boolean, onClose: () => void) {
  const { leader, clock, toasts } = useServices();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const assign = useAssign();
  return useMutation({
    mutationFn: async ({ values, units }: { readonly values: FormValues; readonly units: ReadonlySet<string> }) => {
      const description = String(values.description).trim();
      if (subject.kind === 'new') {
        const source = sourceOf(subject)?.experiment.experiment;
        const saved = await leader.createExperiment({
          body: {
            ...{ experiment: String(values.name).trim(), description, tags: allTagsOf(values) },
            ...(source !== undefined && { copy_from: source }),
          },
        });
        return { saved, failed: await assign(saved.experiment, units) };
      }
      const params = { experiment: subject.row.experiment.experiment };
      /** One list has organism, medium and tags: the changes are made to the list of now. */
      const changedTags = async (): Promise<string[]> => {
        const { tags } = await leader.getExperiment({ params });
        return tagsOfDesign(mergedDesign(subject.row.design, designOfForm(values), designOf(tags)));
      };
      const saved = await leader.updateExperiment({
        params,
        // An unchanged field is not sent, so that it does not undo the change of another person.
        body: {
          ...(isChanged('description') && { description }),
          ...(['organism', 'medium', 'tags'].some(isChanged) && { tags: await changedTags() }),
        },
      });
      return { saved, failed: [] };
    },
    onSuccess: ({ saved, failed }, { units }) => {
      if (units.size === 0) applyLiveEvent(cache, 'experiment', saved, clock.now());
      else void cache.invalidateQueries({ queryKey: queryKeys.experiments });
      onClose();
      if (failed.length > 0) {
        toasts.want();
        notifications.show({ title: 'Not assigned', message: failed.join('\n'), color: 'red', autoClose: false });
      }
      if (subject.kind === 'new')
        // A new experiment needs units first.
        void navigate({ to: '/experiments/$experiment/units', params: { experiment: saved.experiment } });
    },
  });
}

/** The fault of the values, by field. */
function useFaults({ kind }: Subject, rows: readonly ExperimentRow[], values: FormValues) {
  const taken = useMemo(() => new Set(rows.map((row) => row.experiment.experiment)), [rows]);
  return {
    name: kind === 'new' ? nameFault(String(values.name), taken) : null,
    tags: tagsFault(allTagsOf(values)),
  };
}

/** What the leader refused, and at which field; a field that was changed since is not at fault any more. */
function refusalAt({ error, variables }: ReturnType<typeof useSave>, values: FormValues) {
  const problem = error && problemText(error);
  const field = problem && fieldOfProblem(problem);
  if (!field) return { problem: error, fields: {} };
  const isSame = variables?.values[field] === values[field];
  return { problem: null, fields: isSame ? { [field]: faultText(problem) } : {} };
}

interface CopyPartProps {
  readonly source: string;
  /** Undefined: not known yet. */
  readonly units: readonly CopiedUnit[] | undefined;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (units: ReadonlySet<string>) => void;
}

/** What a copy takes over, and which units. */
function CopyPart({ source, units, chosen, onChoose }: CopyPartProps) {
  return (
    <>
      <Text size="sm" c="dimmed">
        Copied from {source}: labels, replicate groups and choice of charts. Readings, notes and running jobs are not
        copied.
      </Text>
      {units === undefined ? (
        <Skeleton height={60} role="status" aria-label="Loading the units" />
      ) : (
        <CopiedUnits units={units} chosen={chosen} onChoose={onChoose} />
      )}
    </>
  );
}

/** The units that a copy takes: those that were chosen, or the proposed ones. */
function useChosenUnits(source: string | undefined) {
  const [chosen, choose] = useState<ReadonlySet<string> | null>(null);
  const units = useUnitsOfCopy(source);
  return { units, choose, taken: chosen ?? unitsAtFirst(units ?? []) };
}

const titleOf = (subject: Subject): string => {
  if (subject.kind === 'edit') return `Edit ${subject.row.experiment.experiment}`;
  return subject.prefill === null ? 'New experiment' : `Copy ${subject.prefill.source.experiment.experiment}`;
};

/** Creates an experiment, or changes design, description and tags of one. */
export function ExperimentForm({ subject, rows, isOpen, onClose, onClosed }: ExperimentFormProps) {
  const { values, set, isChanged, isDirty } = useFormValues(() => initialValues(subject));
  const [isSubmitted, setSubmitted] = useState(false);
  const source = sourceOf(subject)?.experiment.experiment;
  const units = useChosenUnits(source);
  const save = useSave(subject, isChanged, onClose);
  useUnsavedWork(isDirty);
  const faults = useFaults(subject, rows, values);
  const refusal = refusalAt(save, values);
  const isNew = subject.kind === 'new';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setSubmitted(true);
    if (faults.name !== null || faults.tags !== null) return;
    if (isNew || isDirty) save.mutate({ values, units: units.taken });
    else onClose();
  };
  const shown = Object.entries(faults).filter(([field]) => isSubmitted || isChanged(field));
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      onClosed={onClosed}
      title={titleOf(subject)}
      closesOutside={!isDirty}
      size="lg"
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <FormFields
            fields={fieldsOf(subject, rows)}
            values={values}
            faults={{ ...Object.fromEntries(shown), ...refusal.fields }}
            onChange={set}
          />
          {source !== undefined && (
            <CopyPart source={source} units={units.units} chosen={units.taken} onChoose={units.choose} />
          )}
          {refusal.problem && <ProblemAlert error={refusal.problem} />}
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={source !== undefined && units.units === undefined} loading={save.isPending}>
              {isNew ? 'Create experiment' : 'Save'}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
