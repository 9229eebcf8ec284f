import { useElementSize } from '@mantine/hooks';
import { type PointerEvent, type ReactNode, useId, useMemo } from 'react';
import type { Place } from './curve-line.ts';
import styles from './xy-chart.module.css';
import { type XyScale, xyScale } from './xy-scale.ts';

/** px, until the drawing is on the page. */
const usualWidth = 400;
const leastWidth = 280;

interface XyChartProps {
  /** The drawing in one sentence, for screen readers. */
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** What is drawn: the axes contain it. There is at least one place. */
  readonly places: readonly Place[];
  readonly height: number;
  /** px */
  readonly maxWidth: number;
  /** What lies between the axes. */
  readonly children: (scale: XyScale) => ReactNode;
  /** Below the drawing. */
  readonly legend?: ReactNode;
  /** Where the pointer is; `null`: it has left. */
  readonly onPoint?: (at: Place | null, scale: XyScale) => void;
}

/** Both axes with their ticks and names. */
function Axes({
  scale,
  xLabel,
  yLabel,
  height,
}: Pick<XyChartProps, 'xLabel' | 'yLabel' | 'height'> & { scale: XyScale }) {
  const { left, right, top, bottom, xTicks, yTicks } = scale;
  const middleY = (top + bottom) / 2;
  return (
    <>
      {xTicks.map(({ px, label }) => (
        <g key={label}>
          <path d={`M${px} ${top}V${bottom}`} className={styles.grid} />
          <text x={px} y={bottom + 18} textAnchor="middle" className={styles.tick}>
            {label}
          </text>
        </g>
      ))}
      {yTicks.map(({ px, label }) => (
        <g key={label}>
          <path d={`M${left} ${px}H${right}`} className={styles.grid} />
          <text x={left - 8} y={px + 4} textAnchor="end" className={styles.tick}>
            {label}
          </text>
        </g>
      ))}
      <path d={`M${left} ${top}V${bottom}H${right}`} className={styles.axis} />
      <text x={(left + right) / 2} y={height - 6} textAnchor="middle" className={styles.tick}>
        {xLabel}
      </text>
      <text x={14} y={middleY} textAnchor="middle" className={styles.tick} transform={`rotate(-90 14 ${middleY})`}>
        {yLabel}
      </text>
    </>
  );
}

/** A drawing of points and curves over two axes. */
export function XyChart({ title, xLabel, yLabel, places, height, maxWidth, children, legend, onPoint }: XyChartProps) {
  const titleId = useId();
  const { ref, width: measured } = useElementSize<HTMLElement>();
  // A pixel of the drawing is one of the page, so that its texts keep their size.
  const width = measured === 0 ? usualWidth : Math.max(leastWidth, measured);
  const scale = useMemo(() => xyScale(places, { width, height }), [places, width, height]);
  const point = ({ currentTarget, clientX, clientY }: PointerEvent<SVGSVGElement>): void => {
    const box = currentTarget.getBoundingClientRect();
    const at = { x: ((clientX - box.left) / box.width) * width, y: ((clientY - box.top) / box.height) * height };
    onPoint?.(at, scale);
  };
  return (
    <figure className={styles.figure} ref={ref} style={{ maxWidth }}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        className={styles.chart}
        role="img"
        aria-labelledby={titleId}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => onPoint?.(null, scale)}
      >
        <title id={titleId}>{title}</title>
        <Axes {...{ scale, xLabel, yLabel, height }} />
        {children(scale)}
      </svg>
      {legend}
    </figure>
  );
}

/** The names of what is drawn, with their colours. */
export const XyLegend = ({
  items,
}: {
  readonly items: readonly { readonly name: string; readonly colour: string | undefined; readonly title?: string }[];
}) => (
  <figcaption className={styles.legend}>
    {items.map(({ name, colour, title }) => (
      <span key={name} title={title}>
        <span className={styles.swatch} style={{ background: colour }} />
        {name}
      </span>
    ))}
  </figcaption>
);
