import { Button, Stack, Text } from '@mantine/core';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { commonWords } from '../words/common.ts';
import { jobsWords } from '../words/jobs.ts';
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
    <Dialog title={jobsWords.stopAllJobsOn(where)} isOpen={isOpen} onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">{jobsWords.stopAllConsequence}</Text>
        {offline.length > 0 && <Text size="sm">{offlineText(offline)}</Text>}
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            {commonWords.cancel}
          </Button>
          <Button color="red" onClick={onStop}>
            {commonWords.stopAllJobs}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
