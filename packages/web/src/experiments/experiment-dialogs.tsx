import { DeleteExperiment } from './delete-experiment.tsx';
import type { DialogFrame, ExperimentDialog } from './dialogs.ts';
import { EditExperiment } from './edit-experiment.tsx';
import type { ExperimentRow } from './experiment-rows.ts';
import { ExportExperiment } from './export-experiment.tsx';
import { NewExperiment } from './new-experiment.tsx';

interface ExperimentDialogsProps extends DialogFrame {
  readonly dialog: ExperimentDialog;
  /** All experiments: their names are taken, their tags are suggested. */
  readonly rows: readonly ExperimentRow[];
}

/** The dialog that is open. */
export default function ExperimentDialogs({ dialog, rows, ...frame }: ExperimentDialogsProps) {
  switch (dialog.kind) {
    case 'new':
      return <NewExperiment prefill={dialog.prefill} rows={rows} {...frame} />;
    case 'edit':
      return <EditExperiment experiment={dialog.experiment} rows={rows} {...frame} />;
    case 'export':
      return <ExportExperiment experiment={dialog.experiment} {...frame} />;
    case 'delete':
      return <DeleteExperiment row={dialog.row} {...frame} />;
  }
}
