import type { Experiment } from '@lcs/contract';
import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { problemText } from '../api/problem.ts';
import { FormField } from '../forms/form-field.tsx';
import { applyLiveEvent } from '../live/live-cache.ts';
import { useServices, useUnsavedWork } from '../services/services.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import type { DialogFrame } from './dialogs.ts';
import { descriptionField, faultOf, tagsField } from './experiment-fields.ts';
import { type ExperimentRow, tagsInUse } from './experiment-rows.ts';
import { faultText, fieldOfProblem, tagsFault } from './form-rules.ts';

interface EditExperimentProps extends DialogFrame {
  readonly experiment: Experiment;
  readonly rows: readonly ExperimentRow[];
}

/** Changes description and tags; an unchanged field is not sent, so that it does not undo the change of another person. */
export function EditExperiment({ experiment, rows, isOpen, onClose, onClosed }: EditExperimentProps) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const form = useForm<{ description: string; tags: string[] }>({
    initialValues: { description: experiment.description ?? '', tags: [...experiment.tags] },
    validate: { tags: tagsFault },
    validateInputOnChange: ['tags'],
  });

  const change = useMutation({
    mutationFn: ({ description, tags }: { description: string; tags: string[] }) =>
      leader.updateExperiment({
        params: { experiment: experiment.experiment },
        body: {
          ...(form.isDirty('description') ? { description: description.trim() } : {}),
          ...(form.isDirty('tags') ? { tags } : {}),
        },
      }),
    onSuccess: (changed) => {
      applyLiveEvent(cache, 'experiment', changed, clock.now());
      onClose();
    },
    onError: (error) => {
      const problem = problemText(error);
      if (fieldOfProblem(problem) === 'tags') form.setFieldError('tags', faultText(problem));
    },
  });

  const isTyped = form.isDirty();
  useUnsavedWork(isTyped);
  const isAboutTags = change.error !== null && fieldOfProblem(problemText(change.error)) === 'tags';

  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      onClosed={onClosed}
      title={`Edit ${experiment.experiment}`}
      closesOutside={!isTyped}
      size="lg"
    >
      <form onSubmit={form.onSubmit((values) => (isTyped ? change.mutate(values) : onClose()))} noValidate>
        <Stack gap="md">
          <FormField
            field={{ ...descriptionField, isFirst: true }}
            value={form.values.description}
            onChange={(value) => form.setFieldValue('description', String(value))}
          />
          <FormField
            field={{ ...tagsField, suggestions: tagsInUse(rows) }}
            value={form.values.tags}
            fault={faultOf(form.errors.tags)}
            onChange={(value) => form.setFieldValue('tags', Array.isArray(value) ? [...value] : [])}
          />
          {change.error && !isAboutTags && <ProblemAlert error={change.error} />}
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending}>
              Save
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
