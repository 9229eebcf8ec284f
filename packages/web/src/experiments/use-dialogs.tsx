import { lazy, type ReactNode, Suspense, useCallback, useState } from 'react';
import type { ExperimentDialog, OpenDialog, Prefill } from './dialogs.ts';
import type { ExperimentRow } from './experiment-rows.ts';
import { nameForCopy } from './name-for-copy.ts';

const ExperimentDialogs = lazy(() => import('./experiment-dialogs.tsx'));

/** What the form of a copy begins with. */
function copyOf({ experiment }: ExperimentRow, rows: readonly ExperimentRow[]): Prefill {
  const taken = new Set(rows.map((row) => row.experiment.experiment));
  const { description, tags } = experiment;
  return { name: nameForCopy(experiment.experiment, taken), description: description ?? '', tags };
}

interface DialogsOfPage {
  readonly open: OpenDialog;
  readonly duplicate: (row: ExperimentRow) => void;
  /** To be put somewhere into the page. */
  readonly element: ReactNode;
}

/** The dialogs about experiments; their code is loaded when the first one opens. */
export function useDialogs(rows: readonly ExperimentRow[]): DialogsOfPage {
  // A dialog outlives its closing for a moment: it fades, and gives the focus back.
  const [shown, setShown] = useState<{ readonly dialog: ExperimentDialog; readonly isOpen: boolean } | null>(null);
  const open = useCallback<OpenDialog>((dialog) => setShown({ dialog, isOpen: true }), []);
  const close = useCallback(() => setShown((last) => last && { ...last, isOpen: false }), []);
  const forget = useCallback(() => setShown(null), []);
  return {
    open,
    duplicate: (row) => open({ kind: 'new', prefill: copyOf(row, rows) }),
    element: shown && (
      <Suspense fallback={null}>
        <ExperimentDialogs dialog={shown.dialog} rows={rows} isOpen={shown.isOpen} onClose={close} onClosed={forget} />
      </Suspense>
    ),
  };
}
