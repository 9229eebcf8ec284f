import { Button, Stack, Text } from '@mantine/core';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { commonWords } from '../words/common.ts';
import { configWords } from '../words/config.ts';
import { DiffView } from './diff-view.tsx';

interface ConflictDialogProps {
  /** The text that another person has saved. */
  readonly saved: string;
  readonly mine: string;
  readonly onClose: () => void;
  readonly onLoadSaved: () => void;
  readonly onOverwrite: () => void;
}

/** Two people have changed a file: shows what an overwriting save would change. */
export function ConflictDialog({ saved, mine, onClose, onLoadSaved, onOverwrite }: ConflictDialogProps) {
  return (
    <Dialog title={configWords.savedByAnother} isOpen size="lg" onClose={onClose}>
      <Stack gap="md">
        <DiffView label={configWords.fromTheirVersionToYours} before={saved} after={mine} />
        <Text size="sm">{configWords.overwrittenVersionStays}</Text>
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            {configWords.continueEditing}
          </Button>
          <Button variant="default" onClick={onLoadSaved}>
            {commonWords.loadSavedVersion}
          </Button>
          <Button color="red.9" onClick={onOverwrite}>
            {commonWords.overwriteWithMine}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
