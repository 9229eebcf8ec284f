import { Button, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

interface UnassignDialogProps {
  readonly unit: string;
  readonly experiment: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onClosed: () => void;
}

/** Asks before a worker leaves its experiment: its jobs there are stopped. */
export function UnassignDialog({ unit, experiment, isOpen, onClose, onClosed }: UnassignDialogProps) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const leave = useMutation({
    mutationFn: () => leader.unassignWorker({ params: { experiment, reactor_unit: unit } }),
    onSuccess: onClose,
    // Also after a failure: another person may have unassigned it.
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.assignments }),
  });
  return (
    <Dialog title={`Unassign ${unit}?`} isOpen={isOpen} onClose={onClose} onClosed={onClosed}>
      <Stack gap="md">
        <Text size="sm">
          Its jobs for {experiment} are stopped and it becomes free. Its readings stay with the experiment.
        </Text>
        {leave.error && <ProblemAlert error={leave.error} />}
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button onClick={() => leave.mutate()} loading={leave.isPending}>
            Unassign
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
