import type { ExperimentRow } from './experiment-rows.ts';

/** The set-up that a new experiment takes over. */
export interface Prefill {
  readonly name: string;
  readonly source: ExperimentRow;
}

/** The dialog a page shows about an experiment. */
export type ExperimentDialog =
  | { readonly kind: 'new'; readonly prefill: Prefill | null }
  | { readonly kind: 'edit'; readonly row: ExperimentRow }
  | { readonly kind: 'end'; readonly row: ExperimentRow }
  /** Of an experiment that has not ended: it ends and goes to the archive. */
  | { readonly kind: 'archive'; readonly row: ExperimentRow }
  | { readonly kind: 'access'; readonly experiment: string }
  | { readonly kind: 'delete'; readonly row: ExperimentRow };

/** Opens a dialog; the focus returns to `opener` (a menu's own entry no longer exists then), or to where it was. */
export type OpenDialog = (dialog: ExperimentDialog, opener?: HTMLElement | null) => void;

export type Duplicate = (row: ExperimentRow, opener?: HTMLElement | null) => void;

/** The props of every dialog. */
export interface DialogFrame {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** It has faded out. */
  readonly onClosed: () => void;
}
