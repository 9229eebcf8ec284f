import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { problemText } from '../api/problem.ts';
import { FormField } from '../forms/form-field.tsx';
import { applyLiveEvent } from '../live/live-cache.ts';
import { useServices, useUnsavedWork } from '../services/services.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import type { DialogFrame, Prefill } from './dialogs.ts';
import { descriptionField, faultOf, nameField, tagsField } from './experiment-fields.ts';
import { type ExperimentRow, tagsInUse } from './experiment-rows.ts';
import { faultText, fieldOfProblem, nameFault, tagsFault } from './form-rules.ts';

interface NewExperimentProps extends DialogFrame {
  readonly prefill: Prefill | null;
  readonly rows: readonly ExperimentRow[];
}

interface NewExperimentValues {
  name: string;
  description: string;
  tags: string[];
}

/** Asks for a new experiment, and goes to it. */
export function NewExperiment({ prefill, rows, isOpen, onClose, onClosed }: NewExperimentProps) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const taken = useMemo(() => new Set(rows.map((row) => row.experiment.experiment)), [rows]);
  const form = useForm<NewExperimentValues>({
    initialValues: {
      name: prefill?.name ?? '',
      description: prefill?.description ?? '',
      tags: [...(prefill?.tags ?? [])],
    },
    validate: { name: (name) => nameFault(name, taken), tags: tagsFault },
    validateInputOnChange: ['name', 'tags'],
  });

  const creation = useMutation({
    mutationFn: ({ name, description, tags }: NewExperimentValues) =>
      leader.createExperiment({ body: { experiment: name.trim(), description: description.trim(), tags } }),
    onSuccess: (experiment) => {
      applyLiveEvent(cache, 'experiment', experiment, clock.now());
      onClose();
      void navigate({ to: '/experiments/$experiment', params: { experiment: experiment.experiment } });
    },
    onError: (error) => {
      const problem = problemText(error);
      const field = fieldOfProblem(problem);
      if (field) form.setFieldError(field, faultText(problem));
    },
  });

  const isTyped = form.isDirty();
  useUnsavedWork(isTyped);
  const isAboutField = creation.error !== null && fieldOfProblem(problemText(creation.error)) !== null;

  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      onClosed={onClosed}
      title={prefill ? 'Duplicate experiment' : 'New experiment'}
      closesOutside={!isTyped}
      size="lg"
    >
      <form onSubmit={form.onSubmit((values) => creation.mutate(values))} noValidate>
        <Stack gap="md">
          <FormField
            field={nameField}
            value={form.values.name}
            fault={faultOf(form.errors.name)}
            onChange={(value) => form.setFieldValue('name', String(value))}
          />
          <FormField
            field={descriptionField}
            value={form.values.description}
            onChange={(value) => form.setFieldValue('description', String(value))}
          />
          <FormField
            field={{ ...tagsField, suggestions: tagsInUse(rows) }}
            value={form.values.tags}
            fault={faultOf(form.errors.tags)}
            onChange={(value) => form.setFieldValue('tags', Array.isArray(value) ? [...value] : [])}
          />
          {creation.error && !isAboutField && <ProblemAlert error={creation.error} />}
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={creation.isPending}>
              Create experiment
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
