import { useSyncExternalStore } from 'react';
import { chartsWords } from '../words/charts.ts';
import type { PlotReading } from './plot-types.ts';
import type { PointedReading } from './pointed-reading.ts';
import type { UnitStyle } from './unit-colours.ts';
import styles from './value-box.module.css';

const mostValues = 10;
const mostMarks = 4;

/** A piece of the line, with its dashes. */
function Swatch({ colour, dash }: UnitStyle) {
  return (
    <svg width="18" height="6" aria-hidden="true" className={styles.swatch}>
      <line x1="0" y1="3" x2="18" y2="3" stroke={colour} strokeWidth="2.5" strokeDasharray={dash.join(' ')} />
    </svg>
  );
}

/** The values at the pointer, beside it. */
export function ValueBox({ reading }: { readonly reading: PlotReading | null }) {
  if (reading === null || (reading.values.length === 0 && reading.marks.length === 0)) return null;
  const side = reading.left > reading.width / 2 ? 'left' : 'right';
  const rest = reading.values.length - mostValues;
  return (
    <div
      className={styles.box}
      data-side={side}
      style={{ '--at': `${reading.offset + reading.left}px` } as React.CSSProperties}
    >
      <div className={styles.moment}>{reading.moment}</div>
      {reading.values.slice(0, mostValues).map(({ name, value, style, flags }) => (
        <div key={name} className={styles.row}>
          <Swatch {...style} />
          <span className={styles.name}>{name}</span>
          <span className={styles.value}>{value}</span>
          {flags.length > 0 && <span className={styles.flags}>{flags.join(', ')}</span>}
        </div>
      ))}
      {rest > 0 && <div className={styles.moment}>{chartsWords.andMore(rest)}</div>}
      {reading.marks.slice(0, mostMarks).map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same may have happened twice
        <div key={index} className={styles.mark}>
          {text}
        </div>
      ))}
      {reading.marks.length > mostMarks && (
        <div className={styles.moment}>{chartsWords.andMoreEvents(reading.marks.length - mostMarks)}</div>
      )}
    </div>
  );
}

/** The values at the pointer of a chart; only they are drawn anew when it moves. */
export function PointedValues({ pointed }: { readonly pointed: PointedReading }) {
  return <ValueBox reading={useSyncExternalStore(pointed.subscribe, pointed.current)} />;
}
