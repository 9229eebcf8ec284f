import { Button, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useUnsavedWork } from '../services/services.tsx';
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
    <Dialog title="Leave without saving?" isOpen onClose={blocker.reset}>
      <Stack gap="md">
        <Text size="sm">The changes of {what} are not saved, and are lost when you leave the page.</Text>
        <DialogActions>
          <Button variant="default" onClick={blocker.reset} data-autofocus>
            Stay
          </Button>
          <Button color="red.9" onClick={blocker.proceed}>
            Leave without saving
          </Button>
        </DialogActions>
      </Stack>
    </Dialog>
  );
}
