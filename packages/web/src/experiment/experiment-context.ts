import { createContext, useContext } from 'react';
import type { Duplicate, OpenDialog } from '../experiments/dialogs.ts';
import type { ExperimentRow } from '../experiments/experiment-rows.ts';

/** What all tabs of the page of an experiment know. */
export interface ShownExperiment {
  readonly name: string;
  readonly row: ExperimentRow;
  /** When it ended; `null`: it goes on. */
  readonly endMs: number | null;
  /** All units that are or were in it, in the order of their colours. */
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  readonly onDialog: OpenDialog;
  readonly onDuplicate: Duplicate;
}

export const ExperimentContext = createContext<ShownExperiment | null>(null);

/** The experiment of the page. */
export function useShownExperiment(): ShownExperiment {
  const shown = useContext(ExperimentContext);
  if (shown === null) throw new Error('A tab of an experiment needs the page of the experiment around it');
  return shown;
}
