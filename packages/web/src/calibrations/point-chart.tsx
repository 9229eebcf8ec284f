import type { StepChart } from '@lcs/contract';
import { useMemo } from 'react';
import { calibrationsWords } from '../words/calibrations.ts';
import styles from './calibrations.module.css';
import { XyChart, XyLegend } from './xy-chart.tsx';

interface PointChartProps extends Omit<StepChart, 'series'> {
  readonly series: readonly Omit<StepChart['series'][number], 'id'>[];
  /** A line through the points. */
  readonly curve?: readonly { readonly x: number; readonly y: number }[];
  /** The drawing in one sentence, for screen readers. */
  readonly description: string;
}

const height = 230;
const maxWidth = 460;
const colours = ['var(--page-link)', 'var(--mantine-color-orange-7)', 'var(--mantine-color-teal-7)'];
const colourOf = (index: number): string | undefined => colours[index % colours.length];

/** px */
const dotRadius = 3.2;
const dotAt = (x: number, y: number): string =>
  `M${x - dotRadius} ${y}a${dotRadius} ${dotRadius} 0 1 0 ${2 * dotRadius} 0a${dotRadius} ${dotRadius} 0 1 0 ${-2 * dotRadius} 0`;

const noCurve: NonNullable<PointChartProps['curve']> = [];

/** A small drawing of points, and of the curve through them. */
export function PointChart({ title, x_label, y_label, series, curve = noCurve, description }: PointChartProps) {
  const lines = useMemo(
    () => [
      ...(curve.length > 0 ? [{ label: calibrationsWords.curve, line: curve }] : []),
      ...series.flatMap(({ label, line }) => (line ? [{ label, line }] : [])),
    ],
    [curve, series],
  );
  const places = useMemo(
    () => [...series.flatMap(({ points }) => points), ...lines.flatMap(({ line }) => line)],
    [series, lines],
  );
  if (places.length === 0) return null;
  return (
    <XyChart
      title={`${title}. ${description}`}
      xLabel={x_label}
      yLabel={y_label}
      {...{ places, height, maxWidth }}
      legend={
        series.length > 1 && <XyLegend items={series.map(({ label }, at) => ({ name: label, colour: colourOf(at) }))} />
      }
    >
      {({ toX, toY }) => (
        <>
          {lines.map(({ label, line }) => (
            <polyline
              key={label}
              points={line.map(({ x, y }) => `${toX(x)},${toY(y)}`).join(' ')}
              className={styles.curve}
            />
          ))}
          {series.map(({ label, points }, at) => (
            <path key={label} d={points.map(({ x, y }) => dotAt(toX(x), toY(y))).join('')} fill={colourOf(at)} />
          ))}
        </>
      )}
    </XyChart>
  );
}
