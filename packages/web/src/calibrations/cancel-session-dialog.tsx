import { Button, Text } from '@mantine/core';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { openSessionsWords } from '../words/open-sessions.ts';

interface CancelDialogProps {
  readonly isOpen: boolean;
  readonly isPending: boolean;
  readonly onClose: () => void;
  readonly onCancelSession: () => void;
}

/** Asks before a session is cancelled. */
export function CancelSessionDialog({ isOpen, isPending, onClose, onCancelSession }: CancelDialogProps) {
  return (
    <Dialog title={openSessionsWords.cancelThisProcedure} isOpen={isOpen} onClose={onClose}>
      <Text size="sm">{openSessionsWords.cancelConsequence}</Text>
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {openSessionsWords.goOnWithIt}
        </Button>
        <Button color="red.9" loading={isPending} onClick={onCancelSession}>
          {openSessionsWords.cancelProcedure}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
