import { Button, Stack, Text } from '@mantine/core';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { useSignOut } from './use-sign-out.ts';

/** Asks before the device stops being a shared tablet. */
export default function LeaveTablet({ onClose }: { readonly onClose: () => void }) {
  const signOut = useSignOut();
  return (
    <Dialog isOpen onClose={onClose} title="Leave tablet mode?">
      <Stack gap="md">
        <Text size="sm">
          This device then shows the sign-in. Only an administrator can make it a shared tablet again.
        </Text>
        {signOut.error && <ProblemAlert error={signOut.error} />}
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={signOut.isPending} onClick={() => signOut.mutate()}>
            Leave tablet mode
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
