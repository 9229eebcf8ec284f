import { Button, Stack, Text } from '@mantine/core';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { entranceWords } from '../words/entrance.ts';
import { useSignOut } from './use-sign-out.ts';

/** Asks before the device stops being a shared tablet. */
export default function LeaveTablet({ onClose }: { readonly onClose: () => void }) {
  const signOut = useSignOut();
  return (
    <Dialog isOpen onClose={onClose} title={entranceWords.leaveTabletModeQuestion}>
      <Stack gap="md">
        <Text size="sm">{entranceWords.leaveTabletConsequence}</Text>
        {signOut.error && <ProblemAlert error={signOut.error} />}
        <DialogActions>
          <Button variant="default" onClick={onClose} data-autofocus>
            {commonWords.cancel}
          </Button>
          <Button color="red" loading={signOut.isPending} onClick={() => signOut.mutate()}>
            {entranceWords.leaveTabletMode}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
