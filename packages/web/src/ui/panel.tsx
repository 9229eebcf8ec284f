import type { ReactNode } from 'react';
import { useId } from 'react';
import styles from './panel.module.css';

interface PanelProps {
  readonly title: string;
  /** Next to the title: actions on the whole panel. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** One part of a page with its title; a landmark. */
export function Panel({ title, aside, children }: PanelProps) {
  const titleId = useId();
  return (
    <section className={styles.panel} aria-labelledby={titleId}>
      <div className={styles.head}>
        <h2 id={titleId} className={styles.title}>
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
