import type { ReactNode } from 'react';
import { useId, useState } from 'react';
import styles from './panel.module.css';
import { usePhone } from './use-phone.ts';

interface PanelProps {
  readonly title: string;
  /** Next to the title: actions on the whole panel. */
  readonly aside?: ReactNode;
  /** On a phone it shows its title only, until somebody opens it. */
  readonly foldsOnPhone?: boolean;
  readonly children: ReactNode;
}

/** One part of a page with its title; a landmark. */
export function Panel({ title, aside, foldsOnPhone = false, children }: PanelProps) {
  const titleId = useId();
  const isFolding = usePhone() && foldsOnPhone;
  const [isOpen, setOpen] = useState(false);
  return (
    <section className={styles.panel} aria-labelledby={titleId}>
      <div className={styles.head}>
        <h2 id={titleId} className={styles.title}>
          {isFolding ? (
            <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {title}
            </button>
          ) : (
            title
          )}
        </h2>
        {(!isFolding || isOpen) && aside}
      </div>
      {(!isFolding || isOpen) && children}
    </section>
  );
}
