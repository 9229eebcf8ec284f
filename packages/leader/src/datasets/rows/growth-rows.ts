import { defaultWindowH, type Estimate, type FittedCurve, growthCurveVersion } from '@lcs/domain/growth-curves';
import type { SqlReader } from '@lcs/platform/sql-reader';
import { bitsOfFlags, defaultExcludedFlags } from '../../growth-curves/default-excluded-flags.ts';
import { CurveReader } from '../../growth-curves/read-curve.ts';
import { type UnitGrowth, unitGrowth } from '../../growth-curves/unit-growth.ts';
import { utcText } from './minute-text.ts';
import type { Cell, DataRow, RowSelection, RowSource, SourceColumn } from './row-source.ts';
import { storedSeries } from './series-cursors.ts';

const source = 'od';

type Missing = FittedCurve['missing'];

/** Four columns of a number: value, standard error, and the ends of its 95 % interval. */
const estimateCells = (name: string, estimate: Estimate | null | undefined): [string, Cell][] => [
  [name, estimate?.value ?? null],
  [`${name}_se`, estimate?.se ?? null],
  [`${name}_lower`, estimate?.lower ?? null],
  [`${name}_upper`, estimate?.upper ?? null],
];

const joined = (values: readonly (string | null)[]): Cell => values.map((value) => value ?? 'none').join(' ');

/** Reasons of the numbers that are null, by the names of their columns. */
const missingText = ({ lag, carrying_capacity, doubling_time }: Missing): string =>
  JSON.stringify({ lag_h: lag, carrying_capacity, doubling_time_h: doubling_time });

/** The cells of a row, by column. */
function cellsOf(growth: UnitGrowth, fit: UnitGrowth['fits'][number]): ReadonlyMap<string, Cell> {
  const fitted = fit.failure === null ? fit : undefined;
  return new Map<string, Cell>([
    ['timestamp', utcText().of(growth.startMs)],
    ['fit', fit.fit],
    ['failure', fit.failure],
    ...estimateCells('mu_max', fitted?.muMax),
    ...estimateCells('lag_h', fitted?.lag),
    ...estimateCells('carrying_capacity', fitted?.carryingCapacity),
    ...estimateCells('doubling_time_h', fitted?.doublingTime),
    ['missing', fitted === undefined ? null : missingText(fitted.missing)],
    ['generations', growth.generations],
    ['from_h', fitted?.fromH ?? null],
    ['to_h', fitted?.toH ?? null],
    ['points', fitted?.points ?? null],
    ['rss', fitted?.rss ?? null],
    ['aicc', Number.isFinite(fitted?.aicc ?? Number.NaN) ? (fitted?.aicc ?? null) : null],
    ['parameters', fitted === undefined ? null : JSON.stringify(fitted.parameters)],
    ['source', source],
    ['channel', growth.channel === null ? null : Number(growth.channel)],
    ['angle', growth.angle],
    ['calibration_name', joined(growth.calibrations.map(({ name }) => name))],
    ['calibration_hash', joined(growth.calibrations.map(({ hash }) => hash))],
    ['readings', growth.readings],
    ['excluded', growth.excluded],
    ['excluded_flags', defaultExcludedFlags.join(' ')],
    ['not_positive', growth.notPositive],
    ['doses', growth.doses],
    ['added_ml', growth.addedMl],
    ['method_version', growthCurveVersion],
  ]);
}

/** The fits of the growth curves of units: a row for each unit and fit. */
export function growthRows(
  database: SqlReader,
  usualVolumeMl: number,
  columns: readonly SourceColumn[],
  { experiments, fromMs, toMs, order }: RowSelection,
): RowSource {
  const units = new Map(
    storedSeries(database, [source], experiments).map((one) => [JSON.stringify([one.experiment, one.unit]), one]),
  );
  const places = order === 'descending' ? [...units.values()].reverse() : [...units.values()];
  const shared = {
    source,
    fromMs: fromMs ?? null,
    toMs: toMs ?? null,
    usualVolumeMl,
    windowH: defaultWindowH,
    leastOd: 0,
  };
  const excludeFlags = bitsOfFlags(defaultExcludedFlags);
  return {
    columns,
    expected: places.length * 4,
    *rows(): Generator<DataRow, void, undefined> {
      const reader = new CurveReader(database);
      for (const { experiment, experimentUid, unit } of places) {
        const growth = unitGrowth(reader, { ...shared, experimentUid, unit, excludeFlags });
        for (const fit of growth?.fits ?? []) {
          if (growth === undefined) break;
          const cells = cellsOf(growth, fit);
          yield columns.map(({ name }) => {
            if (name === 'experiment') return experiment;
            return name === 'reactor_unit' ? unit : (cells.get(name) ?? null);
          });
        }
      }
    },
  };
}
