import type { BatchSeries, Reading, SeriesIngest } from '../../packages/leader/src/series/series-ingest.ts';

/** The data of the benches of time series: 10 days of 8 units × 2 channels × 5 s. */
export const tenDays = { units: 8, channels: 2, intervalMs: 5_000, days: 10 } as const;

const { units, channels, intervalMs, days } = tenDays;
/** As many as one answer of a unit's feed may hold. */
const readingsPerBatch = 5_000;
const epoch = '7c1e4f0a-58d2-4b0e-9b6c-2f6b1f0f8a11';

const unitNames = Array.from({ length: units }, (_, index) => `unit${index + 1}`);

const seriesOf = (experimentUid: string, unit: string): BatchSeries[] =>
  Array.from({ length: channels }, (_, index) => ({
    experimentUid,
    unit,
    source: 'od',
    channel: String(index + 1),
    angle: 90,
    derivation: null,
  }));

/** A slow wave with a ripple that never repeats; no two neighbours are equal. */
const valueAt = (at: number, line: number) =>
  0.5 + 0.4 * Math.sin(at / 7.2e6 + line) + 0.003 * Math.sin((at / 5_000) * 12.9898 + line);

/** The readings of one unit from `from` to `to`, ms. */
export function readingsBetween(from: number, to: number): Reading[] {
  const readings: Reading[] = [];
  for (let at = from; at < to; at += intervalMs) {
    for (let series = 0; series < channels; series += 1) {
      readings.push({ series, at: at + series, value: valueAt(at, series) });
    }
  }
  return readings;
}

/** Stores ten days up to `endMs` as the follower brings them. Seconds taken. */
export const storeTenDays = (ingest: SeriesIngest, experimentUid: string, endMs: number): Promise<number> =>
  storeDays(ingest, experimentUid, endMs, days);

/** The same for a number of days: each unit a batch at a time, with its mark. */
export async function storeDays(
  ingest: SeriesIngest,
  experimentUid: string,
  endMs: number,
  count: number,
): Promise<number> {
  const batchMs = (readingsPerBatch / channels) * intervalMs;
  const beginMs = endMs - count * 86_400_000;
  const startedMs = performance.now();
  for (let from = beginMs; from < endMs; from += batchMs) {
    const readings = readingsBetween(from, Math.min(endMs, from + batchMs));
    const written = unitNames.map((unit) =>
      ingest.write({
        series: seriesOf(experimentUid, unit),
        readings,
        mark: { unit, epoch, seq: (from - beginMs) / intervalMs + 1 },
        nowMs: from,
      }),
    );
    await Promise.all(written);
  }
  return (performance.now() - startedMs) / 1_000;
}
