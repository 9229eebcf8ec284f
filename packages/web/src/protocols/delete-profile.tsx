import { Button, Stack, Text } from '@mantine/core';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';
import { useDeleteProfile } from './use-profile-file.ts';

interface DeleteProfileProps {
  readonly filename: string;
  readonly etag: string | undefined;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Asks before a profile is deleted. */
export function DeleteProfile({ filename, etag, onClose, onDeleted }: DeleteProfileProps) {
  const deletion = useDeleteProfile();
  return (
    <Dialog title={commonWords.deleteNamedQuestion(filename)} isOpen onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">{protocolsWords.deleteConsequence}</Text>
        {deletion.error && <ProblemAlert error={deletion.error} />}
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            {commonWords.cancel}
          </Button>
          <Button
            color="red.9"
            loading={deletion.isPending}
            onClick={() => deletion.mutate({ filename, etag }, { onSuccess: onDeleted })}
          >
            {commonWords.delete}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
