import type { StepChart } from '@lcs/contract';
import { useId } from 'react';
import styles from './calibrations.module.css';

interface PointChartProps extends Omit<StepChart, 'series'> {
  readonly series: readonly Omit<StepChart['series'][number], 'id'>[];
  /** A line through the points. */
  readonly curve?: readonly { readonly x: number; readonly y: number }[];
  /** The drawing in one sentence, for screen readers. */
  readonly description: string;
}

const width = 320;
const height = 200;
const margin = { left: 46, right: 10, top: 10, bottom: 36 };
const colours = ['var(--page-link)', 'var(--mantine-color-orange-7)', 'var(--mantine-color-teal-7)'];

type Range = readonly [low: number, high: number];

function rangeOf(values: readonly number[]): Range {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const padding = low === high ? Math.abs(low) * 0.1 || 1 : 0.06 * (high - low);
  return [low - padding, high + padding];
}

/** px */
const dotRadius = 3.2;
const dotAt = (x: number, y: number): string =>
  `M${x - dotRadius} ${y}a${dotRadius} ${dotRadius} 0 1 0 ${2 * dotRadius} 0a${dotRadius} ${dotRadius} 0 1 0 ${-2 * dotRadius} 0`;

interface TickProps {
  readonly x: number;
  readonly y: number;
  readonly anchor: 'start' | 'end';
  readonly value: number;
}

const Tick = ({ x, y, anchor, value }: TickProps) => (
  <text x={x} y={y} textAnchor={anchor} className={styles.tick}>
    {String(Number(value.toPrecision(3)))}
  </text>
);

/** A small drawing of points, and of the curve through them. */
export function PointChart({ title, x_label, y_label, series, curve = [], description }: PointChartProps) {
  const titleId = useId();
  const lines = [
    ...(curve.length > 0 ? [{ label: 'curve', line: curve }] : []),
    ...series.flatMap(({ label, line }) => (line ? [{ label, line }] : [])),
  ];
  const all = [...series.flatMap(({ points }) => points), ...lines.flatMap(({ line }) => line)];
  if (all.length === 0) return null;
  const [x0, x1] = rangeOf(all.map(({ x }) => x));
  const [y0, y1] = rangeOf(all.map(({ y }) => y));
  const toX = (x: number) => margin.left + ((x - x0) / (x1 - x0)) * (width - margin.left - margin.right);
  const toY = (y: number) => height - margin.bottom - ((y - y0) / (y1 - y0)) * (height - margin.top - margin.bottom);
  const [bottom, right] = [height - margin.bottom, width - margin.right];
  const xs = all.map(({ x }) => x);
  const ys = all.map(({ y }) => y);
  return (
    <figure className={styles.figure}>
      <svg viewBox={`0 0 ${width} ${height}`} className={styles.chart} role="img" aria-labelledby={titleId}>
        <title id={titleId}>{`${title}. ${description}`}</title>
        <path d={`M${margin.left} ${margin.top}V${bottom}H${right}`} className={styles.axis} />
        <Tick x={toX(Math.min(...xs))} y={bottom + 14} anchor="start" value={Math.min(...xs)} />
        <Tick x={toX(Math.max(...xs))} y={bottom + 14} anchor="end" value={Math.max(...xs)} />
        <Tick x={margin.left - 5} y={toY(Math.min(...ys)) + 4} anchor="end" value={Math.min(...ys)} />
        <Tick x={margin.left - 5} y={toY(Math.max(...ys)) + 4} anchor="end" value={Math.max(...ys)} />
        <text x={(margin.left + right) / 2} y={height - 6} textAnchor="middle" className={styles.tick}>
          {x_label}
        </text>
        <text
          x={12}
          y={(margin.top + bottom) / 2}
          textAnchor="middle"
          className={styles.tick}
          transform={`rotate(-90 12 ${(margin.top + bottom) / 2})`}
        >
          {y_label}
        </text>
        {lines.map(({ label, line }) => (
          <polyline
            key={label}
            points={line.map(({ x, y }) => `${toX(x)},${toY(y)}`).join(' ')}
            className={styles.curve}
          />
        ))}
        {series.map(({ label, points }, at) => (
          <path
            key={label}
            d={points.map(({ x, y }) => dotAt(toX(x), toY(y))).join('')}
            fill={colours[at % colours.length]}
          />
        ))}
      </svg>
      {series.length > 1 && (
        <figcaption className={styles.legend}>
          {series.map(({ label }, at) => (
            <span key={label}>
              <span className={styles.swatch} style={{ background: colours[at % colours.length] }} />
              {label}
            </span>
          ))}
        </figcaption>
      )}
    </figure>
  );
}
