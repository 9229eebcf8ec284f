import { Alert, Button, List, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMatchRoute, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ReasonField, useReason } from '../forms/reason-field.tsx';
import { applyLiveEvent } from '../live/live-cache.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { useShowTask } from '../tasks/task-toast.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { WarningIcon } from '../ui/icons.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import type { DialogFrame } from './dialogs.ts';
import type { ExperimentRow } from './experiment-rows.ts';

interface DeleteExperimentProps extends DialogFrame {
  readonly row: ExperimentRow;
}

/** Deletes the experiment as a task, and leaves its page. */
function useDeletion(experiment: string, onClose: () => void) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const matchRoute = useMatchRoute();
  const showTask = useShowTask();
  return useMutation({
    mutationFn: (reason: string) =>
      leader.deleteExperiment({ params: { experiment }, ...(reason !== '' && { reason }) }),
    onSuccess: async ({ task_id }) => {
      showTask(task_id, {
        running: `Deleting ${experiment}`,
        succeeded: `${experiment} is deleted`,
        failed: `${experiment} was not deleted completely`,
        // Half an experiment is useless.
        canBeCancelled: false,
      });
      onClose();
      if (matchRoute({ to: '/experiments/$experiment', params: { experiment }, fuzzy: true })) {
        await navigate({ to: '/experiments' });
      }
      applyLiveEvent(cache, 'experiment_deleted', { experiment }, clock.now());
    },
  });
}

const deleted = ['its readings, events, settings and log entries', 'its description, tags and labels'];
const kept = ['the units: they become free', 'the history of assignments, and files exported before'];

function Part({ title, items }: { readonly title: string; readonly items: readonly string[] }) {
  return (
    <div>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <List size="sm">
        {items.map((item) => (
          <List.Item key={item}>{item}</List.Item>
        ))}
      </List>
    </div>
  );
}

/** Shows what is deleted and what stays; asks for the name when units are assigned. */
export function DeleteExperiment({ row, isOpen, onClose, onClosed }: DeleteExperimentProps) {
  const [typedName, setTypedName] = useState('');
  const { experiment } = row.experiment;
  const assigned = row.workers?.assigned ?? row.experiment.worker_count;
  const reason = useReason();
  const isConfirmed = (assigned === 0 || typedName.trim() === experiment) && !reason.isMissing;
  const deletion = useDeletion(experiment, onClose);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isConfirmed) deletion.mutate(reason.stated);
  };

  return (
    <Dialog isOpen={isOpen} onClose={onClose} onClosed={onClosed} title={`Delete ${experiment}?`}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Part title="Removed permanently" items={deleted} />
          <Part title="Kept" items={kept} />
          {assigned > 0 && (
            <>
              <Alert color="red" variant="light" icon={<WarningIcon />}>
                {assigned === 1 ? '1 unit is' : `${assigned} units are`} assigned to it. All its jobs are stopped there.
              </Alert>
              <TextInput
                label="Type the name of the experiment to confirm"
                data-autofocus
                autoComplete="off"
                placeholder={experiment}
                value={typedName}
                onChange={(event) => setTypedName(event.currentTarget.value)}
              />
            </>
          )}
          <ReasonField {...reason} />
          {deletion.error && <ProblemAlert error={deletion.error} />}
          <DialogActions>
            <Button variant="default" onClick={onClose} {...(assigned === 0 ? { 'data-autofocus': true } : {})}>
              Cancel
            </Button>
            <Button type="submit" color="red" disabled={!isConfirmed} loading={deletion.isPending}>
              Delete experiment
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
