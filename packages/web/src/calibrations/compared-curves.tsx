import { CloseButton, Skeleton, Text, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { type PointerEvent, useId, useState } from 'react';
import { unitStyle } from '../charts/unit-colours.ts';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { deviceTitle } from './calibration-matrix.ts';
import styles from './compared-curves.module.css';
import { axisOf } from './curve-line.ts';
import { type CurveGroup, curveGroups, nearestPoint, type PointedPlace } from './overlaid-curves.ts';
import { useActiveCurves } from './use-calibrations.ts';

/** px, until the drawing is on the page. */
const usualWidth = 720;
const leastWidth = 280;
const height = 340;
const margin = { left: 60, right: 16, top: 14, bottom: 44 };
/** px of the drawing */
const dotRadius = 3.5;

type Range = readonly [low: number, high: number];

const rangeOf = (values: readonly number[]): Range => {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? [low - 1, high + 1] : [low, high];
};

const short = (value: number): string => String(Number(value.toPrecision(3)));

/** Curves of units over each other, with the recorded points; the pointer shows one of them. */
function CurvesChart({ group, title }: { readonly group: CurveGroup; readonly title: string }) {
  const titleId = useId();
  const scheme = useComputedColorScheme('light');
  const [pointed, setPointed] = useState<PointedPlace>();
  const { ref, width: measured } = useElementSize<HTMLElement>();
  // A pixel of the drawing is one of the page, so that its texts keep their size.
  const width = measured === 0 ? usualWidth : Math.max(leastWidth, measured);
  const { curves, x, y } = group;
  const all = curves.flatMap(({ line, points }) => [...line, ...points]);
  const [x0, x1] = rangeOf(all.map((place) => place.x));
  const [y0, y1] = rangeOf(all.map((place) => place.y));
  const [bottom, right] = [height - margin.bottom, width - margin.right];
  const toX = (value: number) => margin.left + ((value - x0) / (x1 - x0)) * (right - margin.left);
  const toY = (value: number) => bottom - ((value - y0) / (y1 - y0)) * (bottom - margin.top);
  const point = ({ currentTarget, clientX, clientY }: PointerEvent<SVGSVGElement>): void => {
    const box = currentTarget.getBoundingClientRect();
    const at = { x: ((clientX - box.left) / box.width) * width, y: ((clientY - box.top) / box.height) * height };
    setPointed(nearestPoint(group, at, toX, toY));
  };
  return (
    <figure className={styles.figure} ref={ref}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        className={styles.chart}
        role="img"
        aria-labelledby={titleId}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setPointed(undefined)}
      >
        <title
          id={titleId}
        >{`${title}: ${axisOf(y)} by ${axisOf(x)} of ${curves.length === 1 ? '1 unit' : `${curves.length} units`}`}</title>
        <path d={`M${margin.left} ${margin.top}V${bottom}H${right}`} className={styles.axis} />
        {[x0, (x0 + x1) / 2, x1].map((value) => (
          <text key={value} x={toX(value)} y={bottom + 18} textAnchor="middle" className={styles.tick}>
            {short(value)}
          </text>
        ))}
        {[y0, (y0 + y1) / 2, y1].map((value) => (
          <text key={value} x={margin.left - 8} y={toY(value) + 4} textAnchor="end" className={styles.tick}>
            {short(value)}
          </text>
        ))}
        <text x={(margin.left + right) / 2} y={height - 8} textAnchor="middle" className={styles.tick}>
          {axisOf(x)}
        </text>
        <text
          x={14}
          y={(margin.top + bottom) / 2}
          textAnchor="middle"
          className={styles.tick}
          transform={`rotate(-90 14 ${(margin.top + bottom) / 2})`}
        >
          {axisOf(y)}
        </text>
        {curves.map(({ unit, line, points }, index) => {
          const { colour, dash } = unitStyle(index, scheme);
          return (
            <g
              key={unit}
              data-dimmed={(pointed !== undefined && pointed.unit !== unit) || undefined}
              className={styles.unit}
            >
              <polyline
                points={line.map((place) => `${toX(place.x)},${toY(place.y)}`).join(' ')}
                stroke={colour}
                strokeDasharray={dash.join(' ')}
                className={styles.line}
              />
              {points.map((place) => (
                <circle key={`${place.x} ${place.y}`} cx={toX(place.x)} cy={toY(place.y)} r={dotRadius} fill={colour} />
              ))}
            </g>
          );
        })}
        {pointed !== undefined && (
          <circle cx={toX(pointed.x)} cy={toY(pointed.y)} r={dotRadius + 4} className={styles.pointed} />
        )}
      </svg>
      <p className={styles.reading} aria-live="polite">
        {pointed === undefined
          ? 'Point at a curve to see the unit and its point.'
          : `${pointed.unit}: ${short(pointed.y)} at ${short(pointed.x)} (${axisOf(y)} by ${axisOf(x)})`}
      </p>
      <figcaption className={styles.legend}>
        {curves.map(({ unit, name }, index) => (
          <span key={unit} title={name}>
            <span className={styles.swatch} style={{ background: unitStyle(index, scheme).colour }} />
            {unit}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** The active curves of a device of all units in one chart: a unit that differs from the others stands out. */
export function ComparedCurves({ device }: { readonly device: string }) {
  const navigate = useNavigate();
  const curves = useActiveCurves(device);
  const title = `${deviceTitle(device)}: active curves of all units`;
  const groups = curves.data === undefined ? [] : curveGroups(curves.data);
  return (
    <Panel
      title={title}
      aside={
        <CloseButton
          size="lg"
          aria-label="Close the curves"
          onClick={() => void navigate({ to: '/calibrations', search: {}, resetScroll: false })}
        />
      }
    >
      {curves.error && (
        <ProblemAlert error={curves.error} onRetry={() => curves.refetch()} retrying={curves.isFetching} />
      )}
      {curves.isPending && <Skeleton height={height} role="status" aria-label="Loading the curves" />}
      {curves.data && groups.length === 0 && (
        <Text size="sm" c="dimmed">
          No unit has an active calibration of this device with points.
        </Text>
      )}
      {groups.map((group) => (
        <CurvesChart key={`${group.x} ${group.y}`} group={group} title={title} />
      ))}
    </Panel>
  );
}
