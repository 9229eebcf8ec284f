import { Button, Stack, Text } from '@mantine/core';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
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
    <Dialog title={`Delete ${filename}?`} isOpen onClose={onClose}>
      <Stack gap="md">
        <Text size="sm">
          The profile can no longer be run. Runs that are under way continue. Its text stays in the history of the
          folder on the leader.
        </Text>
        {deletion.error && <ProblemAlert error={deletion.error} />}
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button
            color="red.9"
            loading={deletion.isPending}
            onClick={() => deletion.mutate({ filename, etag }, { onSuccess: onDeleted })}
          >
            Delete
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
