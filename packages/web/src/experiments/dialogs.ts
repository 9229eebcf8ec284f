import type { Experiment } from '@lcs/contract';
import type { ExperimentRow } from './experiment-rows.ts';

/** What the form of a new experiment begins with. */
export interface Prefill {
  readonly name: string;
  readonly description: string;
  readonly tags: readonly string[];
}

/** The dialog a page shows about an experiment. */
export type ExperimentDialog =
  | { readonly kind: 'new'; readonly prefill: Prefill | null }
  | { readonly kind: 'edit'; readonly experiment: Experiment }
  | { readonly kind: 'export'; readonly experiment: string }
  | { readonly kind: 'delete'; readonly row: ExperimentRow };

/** Opens a dialog; the focus returns to `opener` (a menu's own entry is gone by then), or else to where it was. */
export type OpenDialog = (dialog: ExperimentDialog, opener?: HTMLElement | null) => void;

export type Duplicate = (row: ExperimentRow, opener?: HTMLElement | null) => void;

/** What every dialog gets from the page that shows it. */
export interface DialogFrame {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** It is out of sight. */
  readonly onClosed: () => void;
}
