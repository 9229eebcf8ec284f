import { Text, VisuallyHidden } from '@mantine/core';
import styles from './growth-curves.module.css';
import type { ShownNumber } from './growth-view.ts';

interface NumberCellProps extends ShownNumber {
  /** The reasons that are listed below the table. */
  readonly notes: readonly string[];
}

/** A number of a table; the reason of a missing one is a note below the table, and read by screen readers in its place. */
export function NumberCell({ text, reason, notes }: NumberCellProps) {
  if (reason === undefined) return <td>{text}</td>;
  return (
    <td title={reason}>
      {text}
      <sup className={styles.mark} aria-hidden="true">
        {notes.indexOf(reason) + 1}
      </sup>
      <VisuallyHidden> ({reason})</VisuallyHidden>
    </td>
  );
}

/** The notes below a table, with the marks of its cells. */
export function NumberNotes({ notes }: Pick<NumberCellProps, 'notes'>) {
  if (notes.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" mt={4}>
      {notes.map((note, index) => (
        <span key={note}>
          {index > 0 && '; '}
          <sup className={styles.mark}>{index + 1}</sup> {note}
        </span>
      ))}
    </Text>
  );
}
