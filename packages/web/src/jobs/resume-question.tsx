import { Button, Stack } from '@mantine/core';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { commonWords } from '../words/common.ts';
import { jobsWords } from '../words/jobs.ts';
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
  <Dialog title={jobsWords.resumeOn(title, unitName)} isOpen={consequences.length > 0} onClose={onClose}>
    <Stack gap="md">
      <DialogActions>
        <Consequences texts={consequences} />
        <Button variant="default" onClick={onClose} data-autofocus>
          {commonWords.cancel}
        </Button>
        <Button onClick={onResume}>{commonWords.resume}</Button>
      </DialogActions>
    </Stack>
  </Dialog>
);
