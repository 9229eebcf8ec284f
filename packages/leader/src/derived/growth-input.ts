import { type GrowthInput, hourMs } from '@lcs/contract';
import { type OdObservation, type PastDose, unusableForGrowth } from '@lcs/domain';
import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { LeaderSchema } from '../core/leader-context.ts';
import { type DoseRow, type DosesKnown, dosesSql, pastDoses } from '../growth-curves/past-doses.ts';
import { sampleFlags } from '../series/sample-flags.ts';

/** Excluded readings. */
export interface LeftOut {
  readonly spans: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** Bits of `sampleFlags`. */
  readonly flags: number;
}

export interface GrowthInputOptions {
  /** Reads in separate threads. */
  readonly read: Kysely<LeaderSchema>;
  readonly experimentUid: string;
  readonly unit: string;
  readonly input: GrowthInput;
  readonly leftOut: LeftOut;
  /** Default volume of the vial, mL. */
  readonly usualVolumeMl: number;
}

interface Row {
  readonly at: number;
  readonly value: number;
  readonly channel: string;
  readonly flags: number;
  /** The effective calibration, estimator or blank. */
  readonly basis: string | null;
}

/** ODs of one time that the filter may use, with the flags of all: bits of `sampleFlags`. */
export interface StoredObservation extends OdObservation {
  readonly flags: number;
}

/** A part of the work, after which it yields to other work. */
export interface Stretch {
  readonly fromMs: number;
  /** Excluded. */
  readonly toMs: number;
  readonly readings: number;
}

/** Takes some milliseconds to read, and some to compute. */
const readingsAtOnce = 3_000;

const channelOfFused = 'fused';

/** ODs of one unit and the doses between them, one stretch at a time. */
export class GrowthInputReader {
  readonly #options: GrowthInputOptions;

  constructor(options: GrowthInputOptions) {
    this.#options = options;
  }

  /** The number and the sequence of stretches: whole hours with some thousand readings each, in the order of time. */
  async stretches(): Promise<readonly Stretch[]> {
    const { read, experimentUid, unit, input } = this.#options;
    const { rows } = await sql<{ bucket: number; n: number }>`select bucket, sum(n) as n from rollup_1h
      where series_id in (select id from series
        where experiment_uid = ${experimentUid} and unit = ${unit} and source = ${input} and hidden = 0)
      group by bucket order by bucket`.execute(read);
    const found: { fromMs: number; toMs: number; readings: number }[] = [];
    for (const { bucket, n } of rows) {
      const last = found.at(-1);
      if (last !== undefined && last.readings + n <= readingsAtOnce) {
        last.toMs = bucket + hourMs;
        last.readings += n;
      } else found.push({ fromMs: bucket, toMs: bucket + hourMs, readings: n });
    }
    return found;
  }

  /** Its observations, in the order of time. */
  async observations({ fromMs, toMs }: Stretch): Promise<readonly StoredObservation[]> {
    const { read, experimentUid, unit, input } = this.#options;
    const { rows } = await sql<Row>`
      select x.at, x.value, ifnull(s.channel, ${channelOfFused}) as channel, ifnull(f.flags, 0) as flags,
        (select c.calibration_hash from series_context c where c.series_id = s.id and c.since <= x.at
          order by c.since desc limit 1) as basis
      from series s
      join samples x on x.series_id = s.id and x.at >= ${fromMs} and x.at < ${toMs}
      left join sample_flags f on f.series_id = x.series_id and f.at = x.at
      where s.experiment_uid = ${experimentUid} and s.unit = ${unit} and s.source = ${input} and s.hidden = 0
      order by x.at`.execute(read);
    return observations(rows.filter((row) => !this.#isLeftOut(row)));
  }

  /** All dilutions, with the volume of the vial before each: from its event, else the last reading of the volume. */
  async doses(known: DosesKnown): Promise<readonly PastDose[]> {
    const { read, experimentUid, unit, usualVolumeMl } = this.#options;
    const query: CompiledQuery<DoseRow> = CompiledQuery.raw(dosesSql, [experimentUid, unit]);
    const { rows } = await read.executeQuery(query);
    return pastDoses(rows, usualVolumeMl, known);
  }

  #isLeftOut({ at, flags }: Row): boolean {
    const { leftOut } = this.#options;
    return (flags & leftOut.flags) !== 0 || leftOut.spans.some(({ fromMs, toMs }) => at >= fromMs && at <= toMs);
  }
}

const unusableBits = unusableForGrowth.reduce((bits, flag) => bits | sampleFlags[flag], 0);

interface Open extends StoredObservation {
  readonly ods: Record<string, number>;
  readonly bases: Record<string, string>;
  flags: number;
}

function observations(rows: readonly Row[]): StoredObservation[] {
  const found: Open[] = [];
  for (const { at, value, channel, flags, basis } of rows) {
    const last = found.at(-1);
    const open = last?.atMs === at ? last : { atMs: at, ods: {}, bases: {}, flags: 0 };
    if (open !== last) found.push(open);
    if ((flags & unusableBits) === 0) open.ods[channel] = value;
    open.flags |= flags;
    if (basis !== null) open.bases[channel] = basis;
  }
  return found;
}
