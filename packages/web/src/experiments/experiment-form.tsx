import { Button, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useMemo, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { type FieldDescriptor, FormFields, type FormValues, useFormValues } from '../forms/form-field.tsx';
import { applyLiveEvent } from '../live/live-cache.ts';
import { useServices, useUnsavedWork } from '../services/services.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import type { DialogFrame, ExperimentDialog } from './dialogs.ts';
import { type ExperimentRow, tagsInUse } from './experiment-rows.ts';
import { faultText, fieldOfProblem, nameFault, tagsFault } from './form-rules.ts';

type Subject = Extract<ExperimentDialog, { readonly kind: 'new' | 'edit' }>;

interface ExperimentFormProps extends DialogFrame {
  /** A new experiment, or the one to change. */
  readonly subject: Subject;
  readonly rows: readonly ExperimentRow[];
}

const initialValues = (subject: Subject): FormValues => {
  if (subject.kind === 'new') return { name: '', description: '', tags: [], ...subject.prefill };
  const { experiment, description, tags } = subject.experiment;
  return { name: experiment, description: description ?? '', tags };
};

const tagsOf = ({ tags }: FormValues): readonly string[] => (Array.isArray(tags) ? tags : []);

/** The name of an experiment cannot be changed. */
function fieldsOf({ kind }: Subject, rows: readonly ExperimentRow[]): readonly FieldDescriptor[] {
  const description = { kind: 'text', name: 'description', label: 'Description', isLong: true } as const;
  const suggestions = tagsInUse(rows);
  const tags = { kind: 'tags', name: 'tags', label: 'Tags', hint: 'Enter or a comma ends a tag', suggestions } as const;
  if (kind === 'edit') return [{ ...description, isFirst: true }, tags];
  const hint = 'Cannot be changed later';
  return [{ kind: 'text', name: 'name', label: 'Name', hint, isRequired: true, isFirst: true }, description, tags];
}

/** Creates the experiment and opens its page, or changes it. */
function useSave(subject: Subject, isChanged: (field: string) => boolean, onClose: () => void) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (values: FormValues) => {
      const description = String(values.description).trim();
      const tags = [...tagsOf(values)];
      if (subject.kind === 'new')
        return leader.createExperiment({ body: { experiment: String(values.name).trim(), description, tags } });
      return leader.updateExperiment({
        params: { experiment: subject.experiment.experiment },
        // An unchanged field is not sent, so that it does not undo the change of another person.
        body: { ...(isChanged('description') && { description }), ...(isChanged('tags') && { tags }) },
      });
    },
    onSuccess: (saved) => {
      applyLiveEvent(cache, 'experiment', saved, clock.now());
      onClose();
      if (subject.kind === 'new')
        // A new experiment needs units first.
        void navigate({ to: '/experiments/$experiment/units', params: { experiment: saved.experiment } });
    },
  });
}

/** The fault of the values, by field, and what the leader refused. */
function useFaults({ kind }: Subject, rows: readonly ExperimentRow[], values: FormValues) {
  const taken = useMemo(() => new Set(rows.map((row) => row.experiment.experiment)), [rows]);
  return { name: kind === 'new' ? nameFault(String(values.name), taken) : null, tags: tagsFault(tagsOf(values)) };
}

/** What the leader refused, and at which field; a field that was changed since is not at fault any more. */
function refusalAt({ error, variables }: ReturnType<typeof useSave>, values: FormValues) {
  const problem = error && problemText(error);
  const field = problem && fieldOfProblem(problem);
  if (!field) return { problem: error, fields: {} };
  return { problem: null, fields: variables?.[field] === values[field] ? { [field]: faultText(problem) } : {} };
}

/** Creates an experiment, or changes description and tags of one. */
export function ExperimentForm({ subject, rows, isOpen, onClose, onClosed }: ExperimentFormProps) {
  const { values, set, isChanged, isDirty } = useFormValues(() => initialValues(subject));
  const [isSubmitted, setSubmitted] = useState(false);
  const save = useSave(subject, isChanged, onClose);
  useUnsavedWork(isDirty);
  const faults = useFaults(subject, rows, values);
  const refusal = refusalAt(save, values);
  const isNew = subject.kind === 'new';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setSubmitted(true);
    if (faults.name !== null || faults.tags !== null) return;
    if (isNew || isDirty) save.mutate(values);
    else onClose();
  };
  const shown = Object.entries(faults).filter(([field]) => isSubmitted || isChanged(field));
  const title = isNew ? (subject.prefill ? 'Duplicate experiment' : 'New experiment') : `Edit ${values.name}`;
  return (
    <Dialog isOpen={isOpen} onClose={onClose} onClosed={onClosed} title={title} closesOutside={!isDirty} size="lg">
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <FormFields
            fields={fieldsOf(subject, rows)}
            values={values}
            faults={{ ...Object.fromEntries(shown), ...refusal.fields }}
            onChange={set}
          />
          {refusal.problem && <ProblemAlert error={refusal.problem} />}
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              {isNew ? 'Create experiment' : 'Save'}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
