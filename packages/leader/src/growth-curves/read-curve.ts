import type { SQLInputValue } from 'node:sqlite';
import type { OdBin, PastDose } from '@lcs/domain/growth-curves';
import type { SqlReader } from '@lcs/platform/sql-reader';
import { rollupLevels } from '../series/rollup-levels.ts';
import { dosesSql, pastDoses } from './past-doses.ts';

/** The readings of a growth curve. */
export interface CurveQuestion {
  readonly experimentUid: string;
  readonly unit: string;
  readonly source: string;
  /** Milliseconds since 1970 UTC, inclusive; null: from the first reading, to the last. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Readings with one of these flags are left out: bits of `sampleFlags`. */
  readonly excludeFlags: number;
  /** Default volume of the vial, mL. */
  readonly usualVolumeMl: number;
}

/** The computation that gave derived readings. */
export interface CurveDerivation {
  readonly name: string;
  readonly version: string;
  /** JSON. */
  readonly parameters: string;
}

export interface StoredCurve {
  readonly channel: string | null;
  readonly angle: number | null;
  readonly bins: readonly OdBin[];
  /** Length of a bin. */
  readonly binMs: number;
  readonly readings: number;
  readonly excluded: number;
  /** Hashes of the calibrations with which the readings were made; null: without. */
  readonly calibrations: readonly { readonly name: string | null; readonly hash: string | null }[];
  readonly derivations: readonly CurveDerivation[];
  readonly doses: readonly PastDose[];
}

/** Minutes of a curve at most; a longer one has bins of ten. */
const mostMinutes = 4_000;
/** Bins of a curve at most. Ten minutes up to a year: a log-linear fit needs five bins in a window, which is an hour by default. */
const mostBins = 60_000;

interface Part {
  readonly id: number;
  readonly channel: string | null;
  readonly angle: number | null;
  readonly first: number;
  readonly last: number;
  readonly n: number;
}

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ');

/** Reads growth curves from roll-ups, on a connection of a thread. */
export class CurveReader {
  readonly #database: SqlReader;

  constructor(database: SqlReader) {
    this.#database = database;
  }

  /** Undefined: the unit has no readings of this source in this time. */
  read(question: CurveQuestion): StoredCurve | undefined {
    const { fromMs, toMs, excludeFlags } = question;
    const parts = this.#parts(question);
    const ids = parts.map(({ id }) => id);
    const [first] = parts;
    if (first === undefined) return undefined;
    const startMs = Math.max(fromMs ?? Number.NEGATIVE_INFINITY, Math.min(...parts.map(({ first }) => first)));
    const endMs = Math.min(toMs ?? Number.POSITIVE_INFINITY, Math.max(...parts.map(({ last }) => last)));
    const { table, binMs } = binsFor(endMs - startMs);
    const excluded = this.#excluded(ids, { startMs, endMs, binMs, excludeFlags });
    let count = 0;
    const bins = this.#bins(table, binMs, ids, startMs, endMs).flatMap(({ bin, n, sum, firstMs, lastMs }): OdBin[] => {
      const out = excluded.get(bin);
      const readings = n - (out?.n ?? 0);
      count += readings;
      return readings <= 0 ? [] : [{ firstMs, lastMs, od: (sum - (out?.sum ?? 0)) / readings, readings }];
    });
    return {
      channel: first.channel,
      angle: first.angle,
      bins,
      binMs,
      readings: count,
      excluded: [...excluded.values()].reduce((sum, { n }) => sum + n, 0),
      calibrations: this.#calibrations(ids, startMs, endMs),
      derivations: this.#derivations(ids),
      doses: this.#doses(question),
    };
  }

  /** The parts of one channel: that with the most readings in this time, of equal ones the first. */
  #parts({ experimentUid, unit, source, fromMs, toMs }: CurveQuestion): readonly Part[] {
    const rows = this.#all(
      `select s.id, s.channel, s.angle, min(r.first_at) as first, max(r.last_at) as last, sum(r.n) as n
      from main.series s join main.rollup_1h r on r.series_id = s.id and r.last_at >= ? and r.first_at <= ?
      where s.experiment_uid = ? and s.unit = ? and s.source = ? and s.hidden = 0
      group by s.id order by s.channel nulls first, s.id`,
      [fromMs ?? Number.MIN_SAFE_INTEGER, toMs ?? Number.MAX_SAFE_INTEGER, experimentUid, unit, source],
    ).map((row) => ({
      id: Number(row.id),
      channel: row.channel === null ? null : String(row.channel),
      angle: row.angle === null ? null : Number(row.angle),
      first: Number(row.first),
      last: Number(row.last),
      n: Number(row.n),
    }));
    const channels = [...Map.groupBy(rows, ({ channel }) => channel).values()];
    const sizeOf = (parts: readonly Part[]): number => parts.reduce((sum, { n }) => sum + n, 0);
    return channels.reduce((best, parts) => (sizeOf(parts) > sizeOf(best) ? parts : best), channels[0] ?? []);
  }

  /** Only roll-ups that are completely in the time: at its ends readings of less than a bin are left out. */
  #bins(table: string, binMs: number, ids: readonly number[], startMs: number, endMs: number) {
    return this.#all(
      `select bucket / ? as bin, sum(n) as n, sum(sum) as sum, min(first_at) as first_at, max(last_at) as last_at
      from main.${table} where series_id in (${marks(ids)}) and bucket >= ? and bucket <= ? and first_at >= ? and last_at <= ?
      group by bin order by bin`,
      [binMs, ...ids, startMs - binMs, endMs, startMs, endMs],
    ).map((row) => ({
      bin: Number(row.bin),
      n: Number(row.n),
      sum: Number(row.sum),
      firstMs: Number(row.first_at),
      lastMs: Number(row.last_at),
    }));
  }

  /** Number and sum of the excluded readings of each bin. */
  #excluded(
    ids: readonly number[],
    { startMs, endMs, binMs, excludeFlags }: { startMs: number; endMs: number; binMs: number; excludeFlags: number },
  ): ReadonlyMap<number, { readonly n: number; readonly sum: number }> {
    const rows = this.#all(
      `select f.at / ? as bin, count(*) as n, sum(x.value) as sum
      from main.sample_flags f join main.samples x on x.series_id = f.series_id and x.at = f.at
      where f.series_id in (${marks(ids)}) and f.at >= ? and f.at <= ? and f.flags & ? <> 0
      group by bin`,
      [binMs, ...ids, startMs, endMs, excludeFlags],
    );
    return new Map(rows.map((row) => [Number(row.bin), { n: Number(row.n), sum: Number(row.sum) }]));
  }

  /** The calibration that was effective at the start, and the later ones. */
  #calibrations(ids: readonly number[], startMs: number, endMs: number) {
    const rows = this.#all(
      `select c.calibration_name as name, c.calibration_hash as hash from main.series_context c
      where c.series_id in (${marks(ids)}) and c.since <= ? and (c.since >= ? or c.since = (
        select max(e.since) from main.series_context e where e.series_id = c.series_id and e.since <= ?))
      group by c.calibration_name, c.calibration_hash order by min(c.since)`,
      [...ids, endMs, startMs, startMs],
    );
    const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
    return rows.map(({ name, hash }) => ({ name: text(name), hash: text(hash) }));
  }

  #derivations(ids: readonly number[]): readonly CurveDerivation[] {
    return this.#all(
      `select distinct d.id, d.name, d.version, d.parameters from main.series s
      join main.derivations d on d.id = s.derivation_id where s.id in (${marks(ids)}) order by d.id`,
      ids,
    ).map((row) => ({ name: String(row.name), version: String(row.version), parameters: String(row.parameters) }));
  }

  #doses({ experimentUid, unit, usualVolumeMl }: CurveQuestion): readonly PastDose[] {
    const rows = this.#all(dosesSql, [experimentUid, unit]).map(({ at, data, volume }) => ({
      at: Number(at),
      data: String(data),
      volume: volume === null ? null : Number(volume),
    }));
    return pastDoses(rows, usualVolumeMl, 'corrected');
  }

  #all(sql: string, values: readonly SQLInputValue[]) {
    return this.#database.prepare(sql).all(...values);
  }
}

/** The finest roll-ups that give few enough bins; the coarsest ones are joined. */
function binsFor(spanMs: number): { readonly table: string; readonly binMs: number } {
  const isFewEnough = (count: number, index: number): boolean => count <= (index === 0 ? mostMinutes : mostBins);
  const level = rollupLevels.find(({ widthMs }, index) => isFewEnough(spanMs / widthMs, index)) ?? rollupLevels.at(-1);
  if (level === undefined) throw new Error('There are no roll-ups.');
  const { table, widthMs } = level;
  return { table, binMs: widthMs * Math.max(1, Math.ceil(spanMs / widthMs / mostBins)) };
}
