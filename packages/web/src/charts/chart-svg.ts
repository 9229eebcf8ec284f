import { flagDescriptions } from '@lcs/domain';
import { chartsWords } from '../words/charts.ts';
import { commonWords } from '../words/common.ts';
import { areBandsCrowded } from './deviation-band.ts';
import { flagGlyphs } from './flag-glyphs.ts';
import { flagMarks, shownFlags } from './flag-spans.ts';
import { lineTrace, momentPx, type Projection } from './line-trace.ts';
import { shownBreaks } from './off-spans.ts';
import { placedMarks, shownTargets } from './plot-events.ts';
import type { PlotScene, PlotSettings } from './plot-types.ts';
import { type PreparedLine, preparedLines } from './prepared-lines.ts';
import type { TimeRange } from './time-range.ts';
import { timeLabels, timeTicks } from './time-ticks.ts';
import { logTicks, type Range, tickLabels, yTicks } from './y-scale.ts';

/** A chart as a picture for publications. */
export interface ChartPicture {
  readonly title: string;
  /** The experiment and the window of time. */
  readonly subtitle: string;
  readonly scene: Omit<PlotScene, 'scaleLines' | 'chosenMs'>;
  readonly range: TimeRange;
  readonly values: Range;
  readonly settings: PlotSettings;
  readonly offsetMinutesAt: (ms: number) => number;
}

const pictureSize = { width: 960, leastHeight: 500 } as const;
const frame = { left: 76, right: 24, top: 64, height: 340 } as const;
const plotWidth = pictureSize.width - frame.left - frame.right;
const bottom = frame.top + frame.height;
const legend = { top: bottom + 56, row: 20, swatch: 28, perCharacter: 7.5, gap: 22 } as const;
const font = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** A number of a picture: hundredths of a pixel are not visible. */
const px = (value: number): string => String(Math.round(value * 100) / 100);

const pathOf = (path: readonly number[]): string =>
  path.map((value, at) => `${at % 2 === 1 ? ' ' : at === 0 ? 'M' : 'L'}${px(value)}`).join('');

function projectionOf({ range, values, settings }: ChartPicture): Projection {
  const scale = settings.isLogarithmic ? Math.log10 : (value: number) => value;
  const [low, high] = [scale(values[0]), scale(values[1])];
  return {
    ...range,
    left: frame.left,
    width: plotWidth,
    top: frame.top,
    height: frame.height,
    yOf: (value) => bottom - ((scale(value) - low) / (high - low)) * frame.height,
  };
}

function axes({ range, values, settings, offsetMinutesAt }: ChartPicture, projection: Projection): string {
  const { display, originMs, isLogarithmic, ink } = settings;
  const ys = isLogarithmic ? logTicks(values, frame.height) : yTicks(values, frame.height);
  const yLabels = isLogarithmic ? ys.map(String) : tickLabels(ys);
  const xs = timeTicks({ ...range, most: 10, display, originMs, offsetMinutesAt });
  const line = (x1: number, y1: number, x2: number, y2: number): string =>
    `<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" stroke="${ink.grid}"/>`;
  const label = (x: number, y: number, anchor: string, text: string): string =>
    `<text x="${px(x)}" y="${px(y)}" text-anchor="${anchor}" fill="${ink.text}" font-size="13">${escaped(text)}</text>`;
  return [
    ...ys.flatMap((value, at) => [
      line(frame.left, projection.yOf(value), frame.left + plotWidth, projection.yOf(value)),
      label(frame.left - 8, projection.yOf(value) + 4, 'end', yLabels[at] ?? ''),
    ]),
    ...xs.flatMap((moment, at) => [
      line(momentPx(projection, moment), frame.top, momentPx(projection, moment), bottom),
      // The date stands below the time of day.
      ...(timeLabels(xs, settings)[at] ?? '')
        .split('\n')
        .map((text, row) => label(momentPx(projection, moment), bottom + 18 + 16 * row, 'middle', text)),
    ]),
  ].join('');
}

/** The uncertainty of estimates. */
function band({ band: pieces, style }: PreparedLine, projection: Projection): string {
  const limited = (value: number): number => {
    const y = projection.yOf(value);
    return Number.isFinite(y) ? y : bottom + frame.height;
  };
  return pieces
    .map((piece) => {
      const inside = piece.filter(({ x }) => x >= projection.fromMs && x <= projection.toMs);
      const outline = [
        ...inside.flatMap(({ x, high }) => [momentPx(projection, x), limited(high)]),
        ...inside.toReversed().flatMap(({ x, low }) => [momentPx(projection, x), limited(low)]),
      ];
      return outline.length === 0 ? '' : `<path d="${pathOf(outline)}Z" fill="${style.colour}" fill-opacity="0.16"/>`;
    })
    .join('');
}

function line({ points, breaks, style }: PreparedLine, projection: Projection, isStepped: boolean): string {
  const { paths, envelopes, dots, above, below } = lineTrace(points, breaks, projection, { isStepped });
  const triangle = (x: number, edge: number, down: number): string =>
    pathOf([x, edge, x - 5, edge + down, x + 5, edge + down]);
  const outside = [...above.map((x) => triangle(x, frame.top, 5)), ...below.map((x) => triangle(x, bottom, -5))];
  return [
    ...envelopes.map((path) => `<path d="${pathOf(path)}Z" fill="${style.colour}" fill-opacity="0.25"/>`),
    `<path d="${paths.map(pathOf).join('')}" fill="none" stroke="${style.colour}" stroke-width="1.6" stroke-linejoin="round" stroke-dasharray="${style.dash.join(' ')}"/>`,
    ...dots.map(([x, y]) => `<circle cx="${px(x)}" cy="${px(y)}" r="2" fill="${style.colour}"/>`),
    ...outside.map((path) => `<path d="${path}Z" fill="${style.colour}"/>`),
  ].join('');
}

/** Doses at the bottom, notes and alarms at the top, steps of profiles over the whole height. */
function marks({ scene, range, settings }: ChartPicture): string {
  return placedMarks(scene.marks, range, plotWidth)
    .map(({ shape, kind, unit, left, width, density }) => {
      const fill = kind === 'alarm' ? settings.ink.warning : scene.colourOf(unit);
      const box = (x: number, y: number, wide: number, high: number): string =>
        `<rect x="${px(frame.left + x)}" y="${px(y)}" width="${px(wide)}" height="${px(high)}" fill="${fill}"/>`;
      if (shape === 'tick') return box(left - 1, bottom - 5 - 9 * density, 2, 5 + 9 * density);
      if (shape === 'line') return box(left - 0.5, frame.top, 1, frame.height);
      return shape === 'flag' ? box(left, frame.top, 7, 7) : box(left, frame.top, width, 3);
    })
    .join('');
}

/** The least distance of marks of one flag on one line. */
const leastGapPx = 16;

const glyph = (x: number, y: number, path: string, { warning, surface }: PlotSettings['ink']): string =>
  `<path transform="translate(${px(x)} ${px(y)})" d="${path}" fill="${surface}" stroke="${warning}" stroke-width="1.6"/>`;

/** The marks of flagged readings, above all lines. */
function flags({ scene, settings }: ChartPicture, projection: Projection): string {
  const leastGapMs = ((projection.toMs - projection.fromMs) * leastGapPx) / plotWidth;
  return scene.lines
    .flatMap(({ points, flags: spans }) => flagMarks(points, spans, leastGapMs))
    .filter(({ x, y }) => x >= projection.fromMs && x <= projection.toMs && Number.isFinite(projection.yOf(y)))
    .map(({ flag, x, y }) => glyph(momentPx(projection, x), projection.yOf(y), flagGlyphs[flag], settings.ink))
    .join('');
}

const shade = (x: number, y: number, width: number, height: number, colour: string): string =>
  `<rect x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" fill="${colour}" fill-opacity="0.12"/>`;

/** When units were off, behind all else; a stripe at the top for each unit distinguishes them. */
function breaks({ scene, range }: ChartPicture, projection: Projection): string {
  const units = new Map(scene.lines.map((each) => [each.unit, each]));
  return [...units.values()]
    .flatMap(({ off, style }, place) =>
      off.flatMap(({ fromMs, toMs }) => {
        if (toMs < range.fromMs || fromMs > range.toMs) return [];
        const from = Math.max(frame.left, momentPx(projection, fromMs));
        const width = Math.max(2, Math.min(frame.left + plotWidth, momentPx(projection, toMs)) - from);
        return [
          shade(from, frame.top, width, frame.height, style.colour),
          `<rect x="${px(from)}" y="${frame.top + 3 * place}" width="${px(width)}" height="3" fill="${style.colour}"/>`,
        ];
      }),
    )
    .join('');
}

const targets = ({ scene, range }: ChartPicture, projection: Projection): string =>
  shownTargets(scene.targets, range)
    .map(({ unit, fromMs, toMs, value }) => {
      const y = projection.yOf(value);
      return `<path d="${pathOf([momentPx(projection, fromMs), y, momentPx(projection, toMs), y])}" stroke="${scene.colourOf(unit)}" stroke-dasharray="6 4"/>`;
    })
    .join('');

interface LegendItem {
  readonly text: string;
  /** Draws what the text explains, from this place on. */
  readonly swatch: (x: number, y: number) => string;
}

/** What the picture shows: its lines, the flags of readings, and the breaks. */
function legendItems({ scene, settings, range }: ChartPicture): readonly LegendItem[] {
  const { lines } = scene;
  const units = [...new Map(lines.map((each) => [each.unit, each])).values()];
  const off = units.map((each) => ({ name: each.name, off: each.off }));
  return [
    ...lines.map(({ name, style }) => ({
      text: name,
      swatch: (x: number, y: number) =>
        `<path d="${pathOf([x, y - 4, x + legend.swatch, y - 4])}" stroke="${style.colour}" stroke-width="2.5" stroke-dasharray="${style.dash.join(' ')}"/>`,
    })),
    ...shownFlags(lines, range).map(({ flag, lines: names }) => ({
      text: `${flagDescriptions[flag].title} (${names.join(', ')})`,
      swatch: (x: number, y: number) => glyph(x + legend.swatch / 2, y - 5, flagGlyphs[flag], settings.ink),
    })),
    ...shownBreaks(off, range).map(({ isCut, units: names }) => ({
      text: `${isCut ? commonWords.off : chartsWords.stopped} (${names.join(', ')})`,
      swatch: (x: number, y: number) => shade(x + legend.swatch / 2 - 5, y - 12, 10, 14, settings.ink.text),
    })),
  ];
}

/** The legend in rows; and the height of the picture with it. */
function legendOf(picture: ChartPicture): { readonly text: string; readonly height: number } {
  let [x, y]: [number, number] = [frame.left, legend.top];
  const items = legendItems(picture).map(({ text, swatch }) => {
    const width = legend.swatch + 8 + text.length * legend.perCharacter + legend.gap;
    if (x > frame.left && x + width > pictureSize.width - frame.right) [x, y] = [frame.left, y + legend.row];
    const words = `<text x="${px(x + legend.swatch + 8)}" y="${px(y)}" fill="${picture.settings.ink.text}" font-size="13">${escaped(text)}</text>`;
    const item = `${swatch(x, y)}${words}`;
    x += width;
    return item;
  });
  return { text: items.join(''), height: Math.max(pictureSize.leastHeight, y + 24) };
}

/** Draws a chart as SVG, with its title, axes and legend. */
export function chartSvg(picture: ChartPicture): string {
  const { title, subtitle, scene, settings } = picture;
  const projection = projectionOf(picture);
  const lines = preparedLines(scene.lines);
  const { text, height } = legendOf(picture);
  const { width } = pictureSize;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escaped(font)}">`,
    `<rect width="${width}" height="${height}" fill="${settings.ink.surface}"/>`,
    `<text x="${frame.left}" y="28" font-size="18" font-weight="600" fill="#1a1f22">${escaped(title)}</text>`,
    `<text x="${frame.left}" y="48" font-size="13" fill="${settings.ink.text}">${escaped(subtitle)}</text>`,
    `<clipPath id="plot"><rect x="${frame.left}" y="${frame.top}" width="${plotWidth}" height="${frame.height}"/></clipPath>`,
    axes(picture, projection),
    '<g clip-path="url(#plot)">',
    breaks(picture, projection),
    ...(areBandsCrowded(lines) ? [] : lines.map((each) => band(each, projection))),
    ...lines.map((each) => line(each, projection, settings.isStepped)),
    targets(picture, projection),
    flags(picture, projection),
    marks(picture),
    `</g>${text}</svg>`,
  ].join('');
}
