import { Button, Stack, Text } from '@mantine/core';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { offlineText } from './offline-text.ts';

interface StopAllProps {
  readonly where: string;
  /** Units that do not answer now. */
  readonly offline?: readonly string[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onStop: () => void;
}

/** Asks before everything stops. */
export function StopAll({ where, offline = [], isOpen, onClose, onStop }: StopAllProps) {
  return (
    <Dialog title={`Stop all jobs on ${where}?`} isOpen={isOpen} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">
          Stirring, heating and all measurements of this experiment stop there. Recorded data is kept. Jobs stay off
          until you start them.
        </Text>
        {offline.length > 0 && <Text size="sm">{offlineText(offline)}</Text>}
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
