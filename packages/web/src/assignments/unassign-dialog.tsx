import { Button, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { assignmentsWords } from '../words/assignments.ts';
import { commonWords } from '../words/common.ts';

interface UnassignDialogProps {
  readonly unit: string;
  readonly name: string;
  readonly experiment: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onClosed: () => void;
}

/** Asks before a worker leaves its experiment: its jobs there are stopped. */
export function UnassignDialog({ unit, name, experiment, isOpen, onClose, onClosed }: UnassignDialogProps) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const leave = useMutation({
    mutationFn: () => leader.unassignWorker({ params: { experiment, reactor_unit: unit } }),
    onSuccess: onClose,
    // Also after a failure: another person may have unassigned it.
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.assignments }),
  });
  return (
    <Dialog title={assignmentsWords.unassignNamed(name)} isOpen={isOpen} onClose={onClose} onClosed={onClosed}>
      <Stack gap="md">
        <Text size="sm">{assignmentsWords.unassignConsequence(experiment)}</Text>
        {leave.error && <ProblemAlert error={leave.error} />}
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            {commonWords.cancel}
          </Button>
          <Button onClick={() => leave.mutate()} loading={leave.isPending}>
            {assignmentsWords.unassign}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
