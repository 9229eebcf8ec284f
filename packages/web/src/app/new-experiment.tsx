import { useState } from 'react';
import ExperimentDialogs from '../experiments/experiment-dialogs.tsx';
import { useExperimentRows } from '../experiments/use-experiment-rows.ts';

/** The form of a new experiment over any page. */
export default function NewExperiment({ onClosed }: { readonly onClosed: () => void }) {
  const { rows } = useExperimentRows();
  const [isOpen, setOpen] = useState(true);
  return (
    <ExperimentDialogs
      dialog={{ kind: 'new', prefill: null }}
      rows={rows}
      isOpen={isOpen}
      onClose={() => setOpen(false)}
      onClosed={onClosed}
    />
  );
}
