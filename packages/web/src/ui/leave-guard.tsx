import { useBlocker } from '@tanstack/react-router';
import { useUnsavedWork } from '../services/services.tsx';
import { uiWords } from '../words/ui.ts';
import { LossQuestion } from './dialog.tsx';

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
    <LossQuestion
      title={uiWords.leaveWithoutSavingQuestion}
      text={uiWords.changesLost(what)}
      stay={uiWords.stay}
      leave={uiWords.leaveWithoutSaving}
      onStay={blocker.reset}
      onLeave={blocker.proceed}
    />
  );
}
