import type { PlotReading } from './plot-types.ts';
import styles from './value-box.module.css';

const mostValues = 10;

/** The values at the pointer, beside it. */
export function ValueBox({ reading }: { readonly reading: PlotReading | null }) {
  if (reading === null || reading.values.length === 0) return null;
  const side = reading.left > reading.width / 2 ? 'left' : 'right';
  const rest = reading.values.length - mostValues;
  return (
    <div className={styles.box} data-side={side} style={{ '--at': `${reading.left}px` } as React.CSSProperties}>
      <div className={styles.moment}>{reading.moment}</div>
      {reading.values.slice(0, mostValues).map(({ name, value, colour, flags }) => (
        <div key={name} className={styles.row}>
          <span className={styles.swatch} style={{ background: colour }} />
          <span className={styles.name}>{name}</span>
          <span className={styles.value}>{value}</span>
          {flags.length > 0 && <span className={styles.flags}>{flags.join(', ')}</span>}
        </div>
      ))}
      {rest > 0 && <div className={styles.moment}>and {rest} more</div>}
    </div>
  );
}
