import { type CultureKnowledge, quantile } from '@lcs/domain';
import { sql } from 'kysely';
import type { LeaderContext } from '../../core/leader-context.ts';

interface Row {
  readonly unit: string;
  readonly source: string;
  readonly bucket: number;
  readonly mean: number;
}

/** The growth rate of a culture that grows freely: most hours of a run are slower (lag, dilution, stationary phase). */
const freeGrowthShare = 0.9;

/** Replicates of one strain differ at least so much, even when there is only one. */
const leastSpread = 0.05;

type Fitted = Partial<
  Pick<CultureKnowledge, 'growthRate' | 'growthRateSpread' | 'temperatureC' | 'initialOd' | 'highestOd'>
>;

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
const meanOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;

function spreadOf(values: readonly number[]): number {
  const mean = meanOf(values);
  const variance = values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, values.length - 1);
  return Math.min(1, Math.max(leastSpread, Math.sqrt(variance) / mean));
}

/** The hourly means of a source, by unit, in the order of time. */
function byUnit(rows: readonly Row[], source: string): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const { unit, source: own, mean } of rows) {
    if (own !== source) continue;
    const means = found.get(unit);
    if (means === undefined) found.set(unit, [mean]);
    else means.push(mean);
  }
  return found;
}

/**
 * What a past experiment shows of its cultures: the 90th percentile of the hourly growth rates of each unit, their mean and their
 * deviation between units; the first and the highest hourly OD; the mean temperature. Undefined: it has no growth rates.
 */
export async function fittedCulture(
  { database }: Pick<LeaderContext, 'database'>,
  experiment: string,
): Promise<Fitted | undefined> {
  const { rows } = await sql<Row>`
    select s.unit, s.source, r.bucket, r.sum / r.n as mean
    from rollup_1h as r
    join series as s on s.id = r.series_id
    join experiments as e on e.uid = s.experiment_uid
    where e.name = ${experiment} and s.hidden = 0 and s.source in ('growth_rate', 'od', 'temperature') and r.n > 0
    order by r.bucket
    limit 500000`.execute(database.read);
  const rates = [...byUnit(rows, 'growth_rate').values()]
    .map((hourly) => quantile(sorted(hourly), freeGrowthShare))
    .filter((rate) => rate > 0);
  if (rates.length === 0) return undefined;
  const densities = [...byUnit(rows, 'od').values()];
  const firsts = densities.flatMap(([first = 0]) => (first > 0 ? first : []));
  const temperatures = [...byUnit(rows, 'temperature').values()].flat();
  return {
    growthRate: meanOf(rates),
    growthRateSpread: spreadOf(rates),
    ...(temperatures.length > 0 && { temperatureC: meanOf(temperatures) }),
    ...(firsts.length > 0 && {
      initialOd: meanOf(firsts),
      highestOd: densities.flat().reduce((highest, one) => Math.max(highest, one), 0),
    }),
  };
}
