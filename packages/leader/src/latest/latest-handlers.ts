import {
  type Handlers,
  type LatestReading,
  type latestRoutes,
  type Sparkline,
  sparklineDefaults,
  type UnitLatest,
} from '@lcs/contract';
import { readingSource } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import type { LeaderReader } from '../queries/experiments.ts';
import { dosePieceIn, lastDoseOf } from '../series/doses.ts';
import { sampleFlags, signalFlags } from '../series/sample-flags.ts';
import {
  assignedUnits,
  intervalMeans,
  lastDoses,
  latestReadings,
  type MeanRow,
  type ReadingRow,
} from './latest-queries.ts';
import { type SparklineGrid, sparklineGrid } from './sparkline-grid.ts';

/** Enough for a curve of some 50 pixels. */
const significantDigits = 4;

const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));

function toReading({ source, channel, at, value, flags }: ReadingRow): LatestReading {
  const set = signalFlags.filter((flag) => ((flags ?? 0) & sampleFlags[flag]) !== 0);
  const y = rounded(value, readingSource(source).decimals);
  return { source, channel, x: toTimestamp(at), y, ...(set.length > 0 && { flags: set }) };
}

/** By unit: the newest reading of each source and channel. A series that was closed has further parts. */
function readingsByUnit(rows: readonly ReadingRow[]): ReadonlyMap<string, readonly LatestReading[]> {
  const units = new Map<string, Map<string, LatestReading>>();
  for (const row of rows) {
    const own = units.get(row.reactor_unit) ?? new Map<string, LatestReading>();
    // Rows of one line are in the order of time.
    units.set(row.reactor_unit, own.set(`${row.source}/${row.channel ?? ''}`, toReading(row)));
  }
  return new Map([...units].map(([unit, own]) => [unit, [...own.values()]]));
}

function linesOf(rows: readonly MeanRow[], { count }: SparklineGrid): readonly Sparkline[] {
  const lines = new Map<string, Sparkline & { readonly means: (number | null)[] }>();
  for (const { reactor_unit, experiment, channel, slot, mean } of rows) {
    const key = `${reactor_unit}/${channel ?? ''}`;
    const line = lines.get(key) ?? { reactor_unit, experiment, channel, means: new Array<null>(count).fill(null) };
    line.means[slot] = Number(mean.toPrecision(significantDigits));
    lines.set(key, line);
  }
  return [...lines.values()];
}

/** What an overview of all units shows. `reads` queries outside of the main thread. */
export function latestHandlers(
  { clock }: Pick<LeaderContext, 'clock'>,
  reads: LeaderReader,
): Handlers<typeof latestRoutes> {
  return {
    listLatest: async () => {
      const [units, readings, doses] = await Promise.all([
        assignedUnits.execute(reads),
        latestReadings.execute(reads),
        lastDoses.execute(reads),
      ]);
      const byUnit = readingsByUnit(readings.rows);
      const dosesOf = Map.groupBy(doses.rows, ({ reactor_unit }) => reactor_unit);
      const lastDose = (unit: string) =>
        lastDoseOf((dosesOf.get(unit) ?? []).flatMap(({ at, data }) => dosePieceIn(JSON.parse(data), at) ?? []));
      const body = units.rows.map(
        (row): UnitLatest => ({
          ...row,
          readings: [...(byUnit.get(row.reactor_unit) ?? [])],
          last_dose: lastDose(row.reactor_unit),
        }),
      );
      return { status: 200, body };
    },
    getSparklines: async ({ params: { source }, query }) => {
      const grid = sparklineGrid(
        clock.now(),
        query.lookback ?? sparklineDefaults.lookbackHours,
        query.points ?? sparklineDefaults.points,
      );
      const { rows } = await intervalMeans(source, grid).execute(reads);
      const body = {
        from: toTimestamp(grid.from),
        interval_s: grid.intervalMs / 1_000,
        lines: [...linesOf(rows, grid)],
      };
      return { status: 200, body };
    },
  };
}
