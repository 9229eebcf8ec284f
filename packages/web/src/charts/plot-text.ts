import { fixedText } from '../ui/number-text.ts';
import { chartsWords } from '../words/charts.ts';
import type { Line } from './line-cache.ts';
import type { PlotReading } from './plot-types.ts';

/** The name of a line on a chart: the unit, and its channel if it has several. */
export function lineName(
  line: Pick<Line, 'unit' | 'channel'>,
  lines: readonly Line[],
  nameOf: (unit: string) => string,
) {
  const hasSeveral =
    line.channel !== null && lines.some(({ unit, channel }) => unit === line.unit && channel !== line.channel);
  return hasSeveral ? `${nameOf(line.unit)} (${line.channel})` : nameOf(line.unit);
}

/** The newest value of each line, as one sentence for screen readers. */
export function newestText(
  lines: readonly { readonly name: string; readonly points: Line['points'] }[],
  decimals: number,
): string {
  if (lines.length === 0) return chartsWords.noReadings;
  const values = lines.map(({ name, points }) => {
    const newest = points.y.at(-1);
    return `${name} ${newest === undefined ? chartsWords.nothing : fixedText(newest, decimals)}`;
  });
  return chartsWords.newestValues(values.join(', '));
}

/** The newest point of each line, by its label: tests compare it with the leader's response. */
export const newestPoints = (lines: readonly Line[]): string =>
  JSON.stringify(
    Object.fromEntries(
      lines.map(({ label, points }) => [
        label,
        { x: new Date(points.x.at(-1) ?? 0).toISOString(), y: points.y.at(-1) },
      ]),
    ),
  );

/** The values at the pointer, as one sentence. */
export const readingText = ({ moment, values, marks }: PlotReading): string =>
  [
    `${moment}: ${values.map(({ name, value, flags }) => [name, value, ...flags].join(' ')).join(', ') || chartsWords.noReadingsInline}`,
    ...marks,
  ].join('. ');
