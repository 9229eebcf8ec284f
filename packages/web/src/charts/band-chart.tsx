import { chartsWords } from '../words/charts.ts';
import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { type BandLine, type BandRoom, bandRange, bandSummary, isBandCut } from './band-lines.ts';
import { type BandPlot, createBandPlot } from './band-plot.ts';
import styles from './chart-card.module.css';
import { inks } from './plot-inks.ts';
import { readingText } from './plot-text.ts';
import type { PlotReading } from './plot-types.ts';
import { ValueBox } from './value-box.tsx';

interface BandChartProps {
  readonly title: string;
  readonly unit: string;
  /** Keep it the same between renderings: the chart is drawn anew for another list. */
  readonly lines: readonly BandLine[];
  /** How much of the bands the axis contains. */
  readonly room?: BandRoom;
}

const pointerStep = 0.02;
const directions = new Map([
  ['ArrowLeft', -1],
  ['ArrowRight', 1],
]);

/** Predicted curves with their bands, over the hours from the start. */
export function BandChart({ title, unit, lines, room = 'whole' }: BandChartProps) {
  const scheme = useComputedColorScheme('light');
  const { ref: frame, width, height } = useElementSize<HTMLDivElement>();
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<BandPlot | null>(null);
  const [pointed, setPointed] = useState<PlotReading | null>(null);
  useEffect(() => {
    if (holder.current === null) return undefined;
    const created = createBandPlot({
      element: holder.current,
      lines,
      room,
      scheme,
      ink: inks[scheme],
      onPoint: setPointed,
    });
    plot.current = created;
    return () => {
      plot.current = null;
      created.destroy();
    };
  }, [lines, room, scheme]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new drawing has no size yet
  useEffect(() => {
    if (width > 0) plot.current?.resize(width, height);
  }, [width, height, lines, room, scheme]);
  const onKey = (event: KeyboardEvent): void => {
    const direction = directions.get(event.key);
    if (direction === undefined) return;
    event.preventDefault();
    plot.current?.movePointer(pointerStep * direction);
  };
  return (
    <section className={styles.card} aria-label={title} data-band={title}>
      <div className={styles.head}>
        <h3 className={styles.title}>{title}</h3>
        <span className={styles.unit}>{unit}</span>
      </div>
      <div ref={frame} className={styles.frame}>
        <div
          ref={holder}
          className={styles.plot}
          role="slider"
          tabIndex={0}
          aria-label={bandSummary(title, unit, lines)}
          aria-roledescription="chart"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={pointed ? Math.round((100 * pointed.left) / pointed.width) : 100}
          aria-valuetext={pointed ? readingText(pointed) : chartsWords.end}
          onKeyDown={onKey}
          onBlur={() => setPointed(null)}
        />
        <ValueBox reading={pointed} />
      </div>
      {isBandCut(lines, bandRange(lines, room)) && <p className={styles.unit}>{chartsWords.bandIsCut}</p>}
    </section>
  );
}
