import { Button, Text } from '@mantine/core';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { commonWords } from '../words/common.ts';
import { openSessionsWords } from '../words/open-sessions.ts';

/** In the words of the button that opens it. */
const words = {
  discard: {
    title: openSessionsWords.discardHalfDone,
    stay: commonWords.keepIt,
    action: openSessionsWords.discardIt,
  },
  cancel: {
    title: openSessionsWords.cancelThisProcedure,
    stay: openSessionsWords.goOnWithIt,
    action: openSessionsWords.cancelProcedure,
  },
} as const;

interface CancelDialogProps {
  readonly how: keyof typeof words;
  readonly isOpen: boolean;
  readonly isPending: boolean;
  readonly onClose: () => void;
  readonly onCancelSession: () => void;
}

/** Asks before a session is cancelled. */
export function CancelSessionDialog({ how, isOpen, isPending, onClose, onCancelSession }: CancelDialogProps) {
  const { title, stay, action } = words[how];
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <Text size="sm">{openSessionsWords.cancelConsequence}</Text>
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          {stay}
        </Button>
        <Button color="red.9" loading={isPending} onClick={onCancelSession}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
