import { Button, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useUnsavedWork } from '../services/services.tsx';
import { uiWords } from '../words/ui.ts';
import { Dialog, DialogActions } from './dialog.tsx';

interface LeaveGuardProps {
  /** What is not saved. */
  readonly what: string;
  readonly isUnsaved: boolean;
}

/** While something is not saved, asks before the page, or what its address shows, is left. */
export function LeaveGuard({ what, isUnsaved }: LeaveGuardProps) {
  useUnsavedWork(isUnsaved);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      isUnsaved &&
      (current.pathname !== next.pathname || JSON.stringify(current.search) !== JSON.stringify(next.search)),
    withResolver: true,
    // The browser asks by `useUnsavedWork`.
    enableBeforeUnload: false,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog title={uiWords.leaveWithoutSavingQuestion} isOpen onClose={blocker.reset}>
      <Stack gap="md">
        <Text size="sm">{uiWords.changesLost(what)}</Text>
        <DialogActions>
          <Button variant="default" onClick={blocker.reset} data-autofocus>
            {uiWords.stay}
          </Button>
          <Button color="red.9" onClick={blocker.proceed}>
            {uiWords.leaveWithoutSaving}
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
