import { flagDescriptions } from '@lcs/domain';
import { chartsWords } from '../words/charts.ts';
import { flagGlyphs } from './flag-glyphs.ts';
import styles from './flag-legend.module.css';
import type { ShownFlag } from './flag-spans.ts';

interface FlagLegendProps {
  /** Of the chart. */
  readonly title: string;
  readonly flags: readonly ShownFlag[];
}

/** The meaning of the marks on a chart, and the lines that have them. */
export function FlagLegend({ title, flags }: FlagLegendProps) {
  if (flags.length === 0) return null;
  return (
    <ul className={styles.legend} aria-label={chartsWords.marksOn(title)}>
      {flags.map(({ flag, lines }) => {
        const { title: name, meaning } = flagDescriptions[flag];
        return (
          <li key={flag} data-flag={flag}>
            <svg width="16" height="16" viewBox="-8 -8 16 16" aria-hidden="true" className={styles.mark}>
              <path d={flagGlyphs[flag]} />
            </svg>
            <span>
              <b>{name}</b> ({lines.join(', ')}): {meaning}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
