import { Tooltip, VisuallyHidden } from '@mantine/core';
import styles from './growth-curves.module.css';
import type { ShownNumber } from './growth-view.ts';

/** A number of a table; the reason of a missing one shows on hover, by the keyboard and to screen readers. */
export function NumberCell({ text, reason }: ShownNumber) {
  if (reason === undefined) return <td>{text}</td>;
  return (
    <td>
      <Tooltip label={reason} events={{ hover: true, focus: true, touch: true }}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it shows the reason by the keyboard, too */}
        <span className={styles.reason} tabIndex={0}>
          {text}
          <VisuallyHidden> ({reason})</VisuallyHidden>
        </span>
      </Tooltip>
    </td>
  );
}
