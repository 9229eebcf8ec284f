import { DeleteExperiment } from './delete-experiment.tsx';
import type { DialogFrame, ExperimentDialog } from './dialogs.ts';
import { EndExperiment } from './end-experiment.tsx';
import { ExperimentAccessDialog } from './experiment-access.tsx';
import { ExperimentForm } from './experiment-form.tsx';
import type { ExperimentRow } from './experiment-rows.ts';

interface ExperimentDialogsProps extends DialogFrame {
  readonly dialog: ExperimentDialog;
  /** All experiments: their names are taken, their tags are suggestions. */
  readonly rows: readonly ExperimentRow[];
}

/** The dialog that is open. */
export default function ExperimentDialogs({ dialog, rows, ...frame }: ExperimentDialogsProps) {
  switch (dialog.kind) {
    case 'new':
    case 'edit':
      return <ExperimentForm subject={dialog} rows={rows} {...frame} />;
    case 'access':
      return <ExperimentAccessDialog experiment={dialog.experiment} {...frame} />;
    case 'end':
    case 'archive':
      return <EndExperiment row={dialog.row} goal={dialog.kind} {...frame} />;
    case 'delete':
      return <DeleteExperiment row={dialog.row} {...frame} />;
  }
}
