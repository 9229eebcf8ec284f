import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Duplicate, ExperimentDialog, OpenDialog, Prefill } from './dialogs.ts';
import type { ExperimentRow } from './experiment-rows.ts';
import { nameForCopy } from './name-for-copy.ts';

const ExperimentDialogs = lazy(() => import('./experiment-dialogs.tsx'));

/** What the form of a copy begins with. */
function copyOf(source: ExperimentRow, rows: readonly ExperimentRow[]): Prefill {
  const taken = new Set(rows.map((row) => row.experiment.experiment));
  return { name: nameForCopy(source.experiment.experiment, taken), source };
}

interface DialogsOfPage {
  readonly open: OpenDialog;
  readonly duplicate: Duplicate;
  /** The page must render it. */
  readonly element: ReactNode;
}

interface Shown {
  readonly dialog: ExperimentDialog;
  readonly opener: HTMLElement | null;
  /** A closed dialog is rendered until it has faded out. */
  readonly isOpen: boolean;
}

/** The dialogs about experiments; their code is loaded when the first one opens. */
export function useDialogs(rows: readonly ExperimentRow[]): DialogsOfPage {
  const [shown, setShown] = useState<Shown | null>(null);
  const open: OpenDialog = (dialog, opener = null) => setShown({ dialog, opener, isOpen: true });
  return {
    open,
    duplicate: (row, opener) => open({ kind: 'new', prefill: copyOf(row, rows) }, opener),
    element: shown && (
      <Suspense fallback={null}>
        <ExperimentDialogs
          dialog={shown.dialog}
          rows={rows}
          isOpen={shown.isOpen}
          onClose={() => setShown({ ...shown, isOpen: false })}
          onClosed={() => {
            setShown(null);
            shown.opener?.focus();
          }}
        />
      </Suspense>
    ),
  };
}
