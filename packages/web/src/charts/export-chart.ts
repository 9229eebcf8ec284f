import type { ChartDescriptor, TimeSeries } from '@lcs/contract';
import { hourMs } from '@lcs/contract';
import type { LeaderClient } from '../api/clients.ts';
import { chartCsv } from './chart-csv.ts';
import { fetchSeries } from './chart-source.ts';
import { type ChartPicture, chartSvg } from './chart-svg.ts';
import { createLineCache } from './line-cache.ts';
import { lineName } from './plot-text.ts';
import type { TimeRange } from './time-range.ts';

/** A table with more rows than this is of no use in a spreadsheet; the leader reduces longer series. */
const mostPoints = 200_000;
/** Pictures of points have so many pixels for each unit of length, enough for print. */
const pictureScale = 2;

/** Lets the browser save a file. */
function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** `growth-rate` of `Growth rate (h⁻¹)`: a name that every file system takes. */
function fileName(...parts: readonly string[]): string {
  const safe = (part: string): string =>
    part
      .normalize('NFKD')
      .replace(/\(.*\)/, '')
      .replace(/[^\w.-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .toLowerCase();
  return parts.map(safe).filter(Boolean).join('_') || 'chart';
}

const momentName = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace(/[-:]/g, '');

const nameOfView = (experiment: string, title: string, { fromMs, toMs }: TimeRange): string =>
  fileName(experiment, title, momentName(fromMs), momentName(toMs));

export interface PictureExport extends ChartPicture {
  readonly experiment: string;
}

/** Saves the picture of a chart as SVG. */
export function saveSvg(picture: PictureExport): void {
  const content = new Blob([chartSvg(picture)], { type: 'image/svg+xml' });
  save(`${nameOfView(picture.experiment, picture.title, picture.range)}.svg`, content);
}

/** Saves the picture of a chart as PNG. */
export async function savePng(picture: PictureExport): Promise<void> {
  const url = URL.createObjectURL(new Blob([chartSvg(picture)], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.width * pictureScale;
    canvas.height = image.height * pictureScale;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const { promise, resolve } = Promise.withResolvers<Blob | null>();
    canvas.toBlob(resolve, 'image/png');
    const content = await promise;
    if (content === null) throw new Error('The browser could not draw the picture.');
    save(`${nameOfView(picture.experiment, picture.title, picture.range)}.png`, content);
  } finally {
    URL.revokeObjectURL(url);
  }
}

interface CsvExport {
  readonly leader: LeaderClient;
  readonly descriptor: ChartDescriptor;
  readonly transform: (y: number) => number;
  readonly experiment: string;
  readonly range: TimeRange;
  readonly originMs: number;
  readonly hiddenUnits: ReadonlySet<string>;
  readonly nameOf: (unit: string) => string;
}

/** Saves the readings of the window as a table: all of them, not only those that are drawn. */
export async function saveCsv(view: CsvExport): Promise<void> {
  const { leader, descriptor, transform, experiment, range, hiddenUnits, nameOf } = view;
  const answer: TimeSeries = await fetchSeries(
    leader,
    descriptor,
    experiment,
    {
      lookback: (range.toMs - range.fromMs) / hourMs,
      until: new Date(range.toMs).toISOString(),
      target_points: mostPoints,
    },
    new AbortController().signal,
  );
  const cache = createLineCache({ source: descriptor, experiment, transform });
  cache.replace(answer, mostPoints);
  const lines = cache.lines();
  const shown = lines.filter(({ unit }) => !hiddenUnits.has(unit));
  const csv = chartCsv(
    shown.map((line) => ({ name: lineName(line, lines, nameOf), points: line.points })),
    view.originMs,
  );
  save(`${nameOfView(experiment, descriptor.title, range)}.csv`, new Blob([csv], { type: 'text/csv' }));
}
