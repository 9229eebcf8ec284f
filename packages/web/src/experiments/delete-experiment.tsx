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
import { commonWords } from '../words/common.ts';
import { experimentsWords } from '../words/experiments.ts';
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
        running: experimentsWords.deletingNamed(experiment),
        succeeded: experimentsWords.isDeleted(experiment),
        failed: experimentsWords.wasNotDeletedCompletely(experiment),
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

const deleted = [experimentsWords.deletedRecords, experimentsWords.itsDescriptionTagsAndLabels];
const kept = [experimentsWords.unitsTheyBecomeFree, experimentsWords.deletedHistory];

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
    <Dialog isOpen={isOpen} onClose={onClose} onClosed={onClosed} title={commonWords.deleteNamedQuestion(experiment)}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Part title={experimentsWords.removedPermanently} items={deleted} />
          <Part title={experimentsWords.kept} items={kept} />
          {assigned > 0 && (
            <>
              <Alert color="red" variant="light" icon={<WarningIcon />}>
                {experimentsWords.assignedToIt(assigned)}
              </Alert>
              <TextInput
                label={experimentsWords.typeNameToConfirm}
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
              {commonWords.cancel}
            </Button>
            <Button type="submit" color="red" disabled={!isConfirmed} loading={deletion.isPending}>
              {experimentsWords.deleteExperiment}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
