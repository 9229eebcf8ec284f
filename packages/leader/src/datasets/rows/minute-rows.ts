import { minuteMs } from '@lcs/contract/durations';
import type { SqlReader } from '@lcs/platform/sql-reader';
import { activityReadings, activityVolumes } from '../activity-columns.ts';
import { type ActivityMoment, activityMoments } from './activity-rows.ts';
import { utcText } from './minute-text.ts';
import type { Cell, DataRow, RowSelection, RowSource } from './row-source.ts';
import { expectedMinutes, storedSeries } from './series-cursors.ts';

const readingCount = activityReadings.length;
const volumeCount = activityVolumes.length;

const minuteColumns = [
  ...(['experiment', 'reactor_unit', 'timestamp'] as const).map((name) => ({ name, kind: 'text' as const })),
  ...activityReadings.map(({ column }) => ({ name: `avg_${column}`, kind: 'real' as const })),
  ...activityVolumes.map(({ column }) => ({ name: `sum_${column}`, kind: 'real' as const })),
];

/** The activity of one unit in one minute. */
class Minute {
  readonly experiment: string;
  readonly unit: string;
  readonly #sums = new Array<number>(readingCount + volumeCount).fill(0);
  readonly #counts = new Array<number>(readingCount + volumeCount).fill(0);

  constructor({ experiment, unit }: ActivityMoment) {
    this.experiment = experiment;
    this.unit = unit;
  }

  add(values: readonly (number | null)[]): void {
    for (let index = 0; index < this.#sums.length; index += 1) {
      // LEDs are between the readings and the volumes, and are omitted.
      const value = index < readingCount ? values[index] : values[values.length - volumeCount + index - readingCount];
      if (value === null || value === undefined) continue;
      this.#sums[index] = (this.#sums[index] ?? 0) + value;
      this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    }
  }

  cells(): (number | null)[] {
    return this.#sums.map((sum, index) => {
      const count = this.#counts[index] ?? 0;
      if (count === 0) return null;
      return index < readingCount ? sum / count : sum;
    });
  }
}

/** The time window of all minutes that begin in the requested window. */
const ofWholeMinutes = ({ fromMs, toMs, ...rest }: RowSelection): RowSelection => ({
  ...rest,
  ...(fromMs === undefined ? {} : { fromMs: Math.ceil(fromMs / minuteMs) * minuteMs }),
  ...(toMs === undefined ? {} : { toMs: Math.floor(toMs / minuteMs) * minuteMs + minuteMs - 1 }),
});

/** The approximate number of rows: of each unit the minutes of its most frequent readings. */
export function expectedMinuteRows(database: SqlReader, selection: RowSelection): number {
  const sources = activityReadings.map(({ source }): string => source);
  const series = storedSeries(database, sources, selection.experiments);
  const minutes = expectedMinutes(database, series, selection);
  const most = new Map<string, number>();
  for (const [index, { experiment, unit }] of series.entries()) {
    const key = JSON.stringify([experiment, unit]);
    most.set(key, Math.max(most.get(key) ?? 0, minutes[index] ?? 0));
  }
  return [...most.values()].reduce((sum, count) => sum + count, 0);
}

/** Means and sums of the wide table by the minute. */
export function minuteRows(database: SqlReader, selection: RowSelection): RowSource {
  const { expected, moments } = activityMoments(database, ofWholeMinutes(selection));
  return {
    columns: minuteColumns,
    expected,
    *rows(): Generator<DataRow, void, undefined> {
      const time = utcText();
      let begin = Number.NaN;
      let group = -1;
      /** Of the current minute. */
      const units = new Map<string, Minute>();
      const rowsOfMinute = (): Cell[][] =>
        [...units]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([, minute]) => [minute.experiment, minute.unit, time.of(begin), ...minute.cells()]);
      for (const moment of moments()) {
        const minuteBegin = Math.floor(moment.at / minuteMs) * minuteMs;
        if (minuteBegin !== begin || moment.group !== group) {
          if (units.size > 0) yield* rowsOfMinute();
          units.clear();
          [begin, group] = [minuteBegin, moment.group];
        }
        const key = JSON.stringify([moment.experiment, moment.unit]);
        let minute = units.get(key);
        if (minute === undefined) {
          minute = new Minute(moment);
          units.set(key, minute);
        }
        minute.add(moment.values);
      }
      if (units.size > 0) yield* rowsOfMinute();
    },
  };
}
