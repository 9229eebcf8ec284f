import { Button, Stack, Text } from '@mantine/core';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
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
    <Dialog title="Not saved: another person has saved this file" isOpen size="lg" onClose={onClose}>
      <Stack gap="md">
        <DiffView label="From their version to yours" before={saved} after={mine} />
        <Text size="sm">A version that is overwritten stays in the list of earlier versions.</Text>
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            Continue editing
          </Button>
          <Button variant="default" onClick={onLoadSaved}>
            Load the saved version
          </Button>
          <Button color="red.9" onClick={onOverwrite}>
            Overwrite with mine
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
