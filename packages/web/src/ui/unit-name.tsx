import { useCallback } from 'react';
import { commonWords } from '../words/common.ts';
import { unitNameText } from '../words/unit-name.ts';

type NameOf = (unit: string) => string;

/** Names for dialogs, notices and menus, from the labels that charts and tables show. */
export const useFullNames = (labelOf: NameOf): NameOf =>
  useCallback((unit) => unitNameText(unit, labelOf(unit)), [labelOf]);

interface UnitNameProps {
  readonly unit: string;
  readonly nameOf: NameOf;
  /** What is to be known of it, such as that it is offline. */
  readonly note?: string | null;
}

/** A unit in a list of a dialog. */
export const UnitName = ({ unit, nameOf, note = null }: UnitNameProps) => (
  <span data-unit-name={unit}>{note === null ? nameOf(unit) : commonWords.unitWithNote(nameOf(unit), note)}</span>
);
