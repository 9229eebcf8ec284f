import { Button, Stack } from '@mantine/core';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { Consequences } from './consequences.tsx';

interface ResumeQuestionProps {
  readonly title: string;
  readonly unitName: string;
  /** What the resumed readings set off; empty: the dialog is closed. */
  readonly consequences: readonly string[];
  readonly onClose: () => void;
  readonly onResume: () => void;
}

/** Asks before readings go on that a dosing automation waits for. */
export const ResumeQuestion = ({ title, unitName, consequences, onClose, onResume }: ResumeQuestionProps) => (
  <Dialog title={`Resume ${title} on ${unitName}?`} isOpen={consequences.length > 0} onClose={onClose}>
    <Stack gap="md">
      <DialogActions>
        <Consequences texts={consequences} />
        <Button variant="default" onClick={onClose} data-autofocus>
          Cancel
        </Button>
        <Button onClick={onResume}>Resume</Button>
      </DialogActions>
    </Stack>
  </Dialog>
);
