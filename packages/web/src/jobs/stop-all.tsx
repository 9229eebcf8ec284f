import { Button, Stack, Text } from '@mantine/core';
import { Dialog, DialogActions } from '../ui/dialog.tsx';

interface StopAllProps {
  readonly where: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onStop: () => void;
}

/** Asks before everything stops. */
export function StopAll({ where, isOpen, onClose, onStop }: StopAllProps) {
  return (
    <Dialog title={`Stop all jobs on ${where}?`} isOpen={isOpen} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">
          Stirring, heating and all measurements of this experiment stop there. What was measured stays. Nothing starts
          again by itself.
        </Text>
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" onClick={onStop}>
            Stop all jobs
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
