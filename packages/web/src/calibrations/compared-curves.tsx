import { CloseButton, Skeleton, Text, useComputedColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { unitStyle } from '../charts/unit-colours.ts';
import { digitsText } from '../ui/number-text.ts';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { calibrationsWords } from '../words/calibrations.ts';
import { deviceTitle } from './calibration-matrix.ts';
import styles from './compared-curves.module.css';
import { axisOf, type Place } from './curve-line.ts';
import { type CurveGroup, curveGroups, nearestPoint, type PointedPlace } from './overlaid-curves.ts';
import { useActiveCurves } from './use-calibrations.ts';
import { XyChart, XyLegend } from './xy-chart.tsx';
import type { XyScale } from './xy-scale.ts';

const height = 340;
const maxWidth = 900;
/** px of the drawing */
const dotRadius = 3.5;

const short = (value: number): string => digitsText(value, 3);

/** Curves of units over each other, with the recorded points; the pointer shows one of them. */
function CurvesChart({ group, title }: { readonly group: CurveGroup; readonly title: string }) {
  const scheme = useComputedColorScheme('light');
  const [pointed, setPointed] = useState<PointedPlace>();
  const { curves, x, y } = group;
  const places = useMemo(() => curves.flatMap(({ line, points }) => [...line, ...points]), [curves]);
  const point = (at: Place | null, { toX, toY }: XyScale): void =>
    setPointed(at === null ? undefined : nearestPoint(group, at, toX, toY));
  const legend = (
    <>
      <p className={styles.reading} aria-live="polite">
        {pointed === undefined
          ? calibrationsWords.pointAtCurve
          : calibrationsWords.pointedAt(pointed.unit, short(pointed.y), short(pointed.x), axisOf(y), axisOf(x))}
      </p>
      <XyLegend
        items={curves.map(({ unit, name }, index) => ({
          name: unit,
          title: name,
          colour: unitStyle(index, scheme).colour,
        }))}
      />
    </>
  );
  return (
    <XyChart
      title={calibrationsWords.curvesOfUnits(title, axisOf(y), axisOf(x), curves.length)}
      xLabel={axisOf(x)}
      yLabel={axisOf(y)}
      {...{ places, height, maxWidth, legend }}
      onPoint={point}
    >
      {({ toX, toY }) => (
        <>
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
                  <circle
                    key={`${place.x} ${place.y}`}
                    cx={toX(place.x)}
                    cy={toY(place.y)}
                    r={dotRadius}
                    fill={colour}
                  />
                ))}
              </g>
            );
          })}
          {pointed !== undefined && (
            <circle cx={toX(pointed.x)} cy={toY(pointed.y)} r={dotRadius + 4} className={styles.pointed} />
          )}
        </>
      )}
    </XyChart>
  );
}

/** The active curves of a device of all units in one chart: a unit that differs from the others stands out. */
export function ComparedCurves({ device }: { readonly device: string }) {
  const navigate = useNavigate();
  const curves = useActiveCurves(device);
  const title = calibrationsWords.activeCurvesOfAllUnits(deviceTitle(device));
  const groups = curves.data === undefined ? [] : curveGroups(curves.data);
  return (
    <Panel
      title={title}
      aside={
        <CloseButton
          size="lg"
          aria-label={calibrationsWords.closeCurves}
          onClick={() => void navigate({ to: '/calibrations', search: {}, resetScroll: false })}
        />
      }
    >
      {curves.error && (
        <ProblemAlert error={curves.error} onRetry={() => curves.refetch()} retrying={curves.isFetching} />
      )}
      {curves.isPending && <Skeleton height={height} role="status" aria-label={calibrationsWords.loadingCurves} />}
      {curves.data && groups.length === 0 && (
        <Text size="sm" c="dimmed">
          {calibrationsWords.noActiveCurve}
        </Text>
      )}
      {groups.map((group) => (
        <CurvesChart key={`${group.x} ${group.y}`} group={group} title={title} />
      ))}
    </Panel>
  );
}
