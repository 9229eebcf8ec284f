import { useComputedColorScheme } from '@mantine/core';
import { chartsWords } from '../words/charts.ts';
import { unitStyle } from './unit-colours.ts';
import styles from './unit-legend.module.css';

interface UnitLegendProps {
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  readonly hidden: ReadonlySet<string>;
  readonly onToggle: (unit: string) => void;
  /** Shows only this unit, or all again. */
  readonly onOnly: (unit: string) => void;
  readonly onHighlight: (unit: string | null) => void;
}

/** The colours of the units; a click hides or shows a unit, a double click shows only this unit. */
export function UnitLegend({ units, nameOf, hidden, onToggle, onOnly, onHighlight }: UnitLegendProps) {
  const scheme = useComputedColorScheme('light');
  return (
    <ul className={styles.legend} aria-label={chartsWords.unitsOnCharts}>
      {units.map((unit, index) => {
        const { colour, dash } = unitStyle(index, scheme);
        const name = nameOf(unit);
        return (
          <li key={unit}>
            <button
              type="button"
              className={styles.unit}
              aria-pressed={!hidden.has(unit)}
              title={chartsWords.legendHelp(
                name === unit ? unit : `${name} (${unit})`,
                hidden.has(unit) ? chartsWords.show : chartsWords.hide,
              )}
              onClick={(event) => (event.detail > 1 ? onOnly(unit) : onToggle(unit))}
              onPointerEnter={() => onHighlight(unit)}
              onPointerLeave={() => onHighlight(null)}
              onFocus={() => onHighlight(unit)}
              onBlur={() => onHighlight(null)}
            >
              <svg width="22" height="8" aria-hidden="true">
                <line x1="1" y1="4" x2="21" y2="4" stroke={colour} strokeWidth="3" strokeDasharray={dash.join(' ')} />
              </svg>
              {name}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
