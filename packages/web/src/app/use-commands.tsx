import { useHotkeys } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react';
import type { OfferedStop } from '../jobs/stop-menu.tsx';
import type { PageSubject } from './note-target.ts';

const CommandPalette = lazy(() => import('./command-palette.tsx'));
const NewExperiment = lazy(() => import('./new-experiment.tsx'));
const AssignUnits = lazy(() =>
  import('../assignments/assign-units.tsx').then(({ AssignUnits: component }) => ({ default: component })),
);
const NoteDialog = lazy(() => import('./note-dialog.tsx'));

/** What is open above the page. */
type Shown =
  | { readonly is: 'palette' | 'note' | 'new-experiment' }
  | { readonly is: 'stop-menu'; readonly marked: OfferedStop | null }
  | { readonly is: 'assign-units'; readonly experiment: string };

interface Commands {
  readonly openPalette: () => void;
  readonly openNote: () => void;
  readonly isStopping: boolean;
  readonly markedStop: OfferedStop | null;
  /** The menu of stops was opened or closed. */
  readonly onStopping: (isOpen: boolean) => void;
  /** The frame must render it. */
  readonly element: ReactNode;
}

/** The palette (Ctrl K) and what it opens on any page; the code of each is loaded when it first opens. */
export function useCommands(page: PageSubject): Commands {
  const [shown, setShown] = useState<Shown | null>(null);
  const openPalette = useCallback(() => setShown({ is: 'palette' }), []);
  const openNote = useCallback(() => setShown({ is: 'note' }), []);
  // Also while the focus is in a field.
  useHotkeys([['mod+K', openPalette]], []);
  const commands = useMemo(
    () => ({
      onNote: openNote,
      onNewExperiment: () => setShown({ is: 'new-experiment' }),
      onAssign: (experiment: string) => setShown({ is: 'assign-units', experiment }),
      onStop: (marked: OfferedStop | null) => setShown({ is: 'stop-menu', marked }),
    }),
    [openNote],
  );
  const close = (): void => setShown(null);
  return {
    openPalette,
    openNote,
    isStopping: shown?.is === 'stop-menu',
    markedStop: shown?.is === 'stop-menu' ? shown.marked : null,
    onStopping: (isOpen) => setShown(isOpen ? { is: 'stop-menu', marked: null } : null),
    element: (
      <Suspense fallback={null}>
        {shown?.is === 'palette' && (
          <CommandPalette commands={commands} onClose={() => setShown((now) => (now?.is === 'palette' ? null : now))} />
        )}
        {shown?.is === 'note' && <NoteDialog page={page} onClose={close} />}
        {shown?.is === 'new-experiment' && <NewExperiment onClosed={close} />}
        {shown?.is === 'assign-units' && <AssignUnits experiment={shown.experiment} onClose={close} />}
      </Suspense>
    ),
  };
}
