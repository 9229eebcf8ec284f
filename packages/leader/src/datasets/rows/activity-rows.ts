import type { SqlReader, SqlStatement } from '@lcs/platform/sql-reader';
import { activityLeds, activityReadings, activityVolumes } from '../activity-columns.ts';
import { type Cursor, type MergedLine, merged } from './merge.ts';
import { utcText } from './minute-text.ts';
import { groupsOf, largestGroup } from './reading-rows.ts';
import type { Cell, DataRow, RowSelection, RowSource } from './row-source.ts';
import { batchFor, expectedSamples, SampleReader, storedSeries } from './series-cursors.ts';

const readingCount = activityReadings.length;
const ledCount = activityLeds.length;
const columnCount = readingCount + ledCount + activityVolumes.length;

const activityColumns = [
  ...(['experiment', 'reactor_unit', 'timestamp'] as const).map((name) => ({ name, kind: 'text' as const })),
  ...[...activityReadings, ...activityLeds, ...activityVolumes].map(({ column }) => ({
    name: column,
    kind: 'real' as const,
  })),
];

/** The owner of a line's values, and their column. */
interface ActivityLine {
  readonly experiment: string;
  readonly unit: string;
  /** Called after each step: events of one line belong to several columns. */
  readonly columnOf: () => number;
}

/** The measurements and actions of a unit at one time. */
export interface ActivityMoment {
  readonly experiment: string;
  readonly unit: string;
  readonly group: number;
  readonly at: number;
  /** Readings, LEDs, volumes, in the order of their columns. */
  readonly values: readonly (number | null)[];
}

const columnOfEvent = new Map<string, number>([
  ...activityLeds.map(({ channel }, index) => [`led ${channel}`, readingCount + index] as const),
  ...activityVolumes.map(({ event }, index) => [`dose ${event}`, readingCount + ledCount + index] as const),
]);

interface EventOwner {
  readonly uid: string;
  readonly experiment: string;
  readonly unit: string;
}

/** Units that have events of LEDs or pumps in these experiments. */
function eventOwners(database: SqlReader, experiments: readonly string[] | undefined): EventOwner[] {
  const named = experiments === undefined ? '' : `and e.name in (${experiments.map(() => '?').join(', ')})`;
  return database
    .prepare(
      `select distinct e.uid, e.name, v.reactor_unit as unit
      from main.experiments e
      join main.events v on v.experiment_uid = e.uid and v.name in ('led_change', 'dosing')
      where e.deleting_at is null ${named} order by e.name, v.reactor_unit`,
    )
    .all(...(experiments ?? []))
    .map(({ uid, name, unit }) => ({ uid: String(uid), experiment: String(name), unit: String(unit) }));
}

const eventsSql = (direction: 'asc' | 'desc'): string => `
  select v.at,
    case v.name when 'dosing' then 'dose ' || json_extract(v.data, '$.event')
      else 'led ' || json_extract(v.data, '$.channel') end as what,
    cast(case v.name when 'dosing' then json_extract(v.data, '$.volume_change_ml')
      else json_extract(v.data, '$.intensity') end as real) as value
  from main.events v
  where v.experiment_uid = ? and v.name = ? and v.reactor_unit = ? and v.at >= ? and v.at <= ?
  order by v.at ${direction}, v.id`;

/** Steps through the events that have a column; skips other rows. */
function eventCursor(rows: Iterator<Record<string, unknown>>): { cursor: Cursor; columnOf: () => number } {
  let column = 0;
  const cursor: Cursor = {
    at: 0,
    value: 0,
    next: () => {
      for (let step = rows.next(); !step.done; step = rows.next()) {
        const { at, what, value } = step.value;
        const known = columnOfEvent.get(String(what));
        if (known === undefined || value === null) continue;
        column = known;
        cursor.at = Number(at);
        cursor.value = Number(value);
        return true;
      }
      return false;
    },
  };
  return { cursor, columnOf: () => column };
}

/** Several values at one time: the highest of readings and LEDs, the sum of volumes. */
function add(values: (number | null)[], column: number, value: number): void {
  const before = values[column] ?? null;
  if (before === null) values[column] = value;
  else values[column] = column >= readingCount + ledCount ? before + value : Math.max(before, value);
}

/** The moments of units, complete, in the requested order. */
export function activityMoments(
  database: SqlReader,
  selection: RowSelection,
): { readonly expected: number | undefined; moments(): Generator<ActivityMoment, void, undefined> } {
  const sources = activityReadings.map(({ source }): string => source);
  const series = storedSeries(database, sources, selection.experiments);
  const owners = eventOwners(database, selection.experiments);
  const units = [...series, ...owners];
  const groupOf = groupsOf(units, selection);
  const rankOf = groupsOf(units, { byExperiment: true, byUnit: true });
  const isDescending = selection.order === 'descending';
  const eventStatement = (): SqlStatement => database.prepare(eventsSql(isDescending ? 'desc' : 'asc'));

  const openSamples = () =>
    new SampleReader(database, { ...selection, batch: batchFor(largestGroup(series, groupOf), selection.batch) });
  const lines = (reader: SampleReader): MergedLine<ActivityLine>[] => {
    const { fromMs = Number.MIN_SAFE_INTEGER, toMs = Number.MAX_SAFE_INTEGER } = selection;
    const ofSeries = series.map((one): MergedLine<ActivityLine> => {
      const column = sources.indexOf(one.source);
      const line = { experiment: one.experiment, unit: one.unit, columnOf: () => column };
      return { cursor: reader.open(one.id), line, group: groupOf(one), rank: rankOf(one) };
    });
    const ofEvents = owners.flatMap((owner) =>
      ['led_change', 'dosing'].map((name): MergedLine<ActivityLine> => {
        const { uid, experiment, unit } = owner;
        const rows = eventStatement().iterate(uid, name, unit, fromMs, toMs);
        const { cursor, columnOf } = eventCursor(rows);
        return { cursor, line: { experiment, unit, columnOf }, group: groupOf(owner), rank: rankOf(owner) };
      }),
    );
    return [...ofSeries, ...ofEvents];
  };

  return {
    expected: selection.order === 'any' ? undefined : expectedSamples(database, series, selection),
    *moments() {
      const reader = openSamples();
      try {
        let rank = -1;
        let moment: (ActivityMoment & { readonly values: (number | null)[] }) | undefined;
        for (const step of merged(lines(reader), isDescending)) {
          const { line, cursor, group } = step;
          if (moment === undefined || moment.at !== cursor.at || rank !== step.rank) {
            if (moment !== undefined) yield moment;
            const values = new Array<number | null>(columnCount).fill(null);
            rank = step.rank;
            moment = { experiment: line.experiment, unit: line.unit, group, at: cursor.at, values };
          }
          add(moment.values, line.columnOf(), cursor.value);
        }
        if (moment !== undefined) yield moment;
      } finally {
        reader.close();
      }
    },
  };
}

/** The wide table: one row per unit and time. */
export function activityRows(database: SqlReader, selection: RowSelection): RowSource {
  const { expected, moments } = activityMoments(database, selection);
  return {
    columns: activityColumns,
    expected,
    *rows(): Generator<DataRow, void, undefined> {
      const time = utcText();
      for (const { experiment, unit, at, values } of moments()) {
        const row: Cell[] = [experiment, unit, time.of(at), ...values];
        yield row;
      }
    },
  };
}
