import { useHotkeys } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react';
import type { PageSubject } from './note-target.ts';

const CommandPalette = lazy(() => import('./command-palette.tsx'));
const NewExperiment = lazy(() => import('./new-experiment.tsx'));
const NoteDialog = lazy(() => import('./note-dialog.tsx'));

/** What is open above the page. */
type Shown = 'palette' | 'note' | 'new-experiment' | 'stop-menu';

interface Commands {
  readonly openPalette: () => void;
  readonly openNote: () => void;
  readonly isStopping: boolean;
  /** The menu of stops was opened or closed. */
  readonly onStopping: (isOpen: boolean) => void;
  /** The frame must render it. */
  readonly element: ReactNode;
}

/** The palette (Ctrl K) and what it opens on any page; the code of each is loaded when it first opens. */
export function useCommands(page: PageSubject): Commands {
  const [shown, setShown] = useState<Shown | null>(null);
  const openPalette = useCallback(() => setShown('palette'), []);
  const openNote = useCallback(() => setShown('note'), []);
  // Also while the focus is in a field.
  useHotkeys([['mod+K', openPalette]], []);
  const commands = useMemo(
    () => ({
      onNote: openNote,
      onNewExperiment: () => setShown('new-experiment'),
      onStop: () => setShown('stop-menu'),
    }),
    [openNote],
  );
  const close = (): void => setShown(null);
  return {
    openPalette,
    openNote,
    isStopping: shown === 'stop-menu',
    onStopping: (isOpen) => setShown(isOpen ? 'stop-menu' : null),
    element: (
      <Suspense fallback={null}>
        {shown === 'palette' && (
          <CommandPalette commands={commands} onClose={() => setShown((now) => (now === 'palette' ? null : now))} />
        )}
        {shown === 'note' && <NoteDialog page={page} onClose={close} />}
        {shown === 'new-experiment' && <NewExperiment onClosed={close} />}
      </Suspense>
    ),
  };
}
