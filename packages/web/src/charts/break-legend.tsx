import { chartsWords } from '../words/charts.ts';
import { commonWords } from '../words/common.ts';
import styles from './flag-legend.module.css';
import type { ShownBreak } from './off-spans.ts';

interface BreakLegendProps {
  /** Of the chart. */
  readonly title: string;
  readonly breaks: readonly ShownBreak[];
}

/** Why lines of a chart are broken where it is shaded. */
export function BreakLegend({ title, breaks }: BreakLegendProps) {
  if (breaks.length === 0) return null;
  return (
    <ul className={styles.legend} aria-label={chartsWords.breaksOn(title)}>
      {breaks.map(({ isCut, units }) => (
        <li key={String(isCut)} data-break={isCut ? 'cut' : 'stopped'}>
          <svg width="16" height="16" viewBox="-8 -8 16 16" aria-hidden="true" className={styles.shade}>
            <path d="M-5 -7 H5 V7 H-5 Z" />
          </svg>
          <span>
            <b>{isCut ? commonWords.off : chartsWords.stopped}</b> ({units.join(', ')}):{' '}
            {isCut ? chartsWords.offMeaning : chartsWords.stoppedMeaning}
          </span>
        </li>
      ))}
    </ul>
  );
}
