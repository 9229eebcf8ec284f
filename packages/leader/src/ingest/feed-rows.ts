import type { FeedRecord, FeedSeries } from '@lcs/contract';
import type { BulkStatement } from '@lcs/platform';
import type { BootEras } from '../clock-corrections/boot-eras.ts';
import { systemExperiment } from '../core/leader-context.ts';
import { sampleFlags } from '../series/sample-flags.ts';
import type { BatchSeries, Reading } from '../series/series-ingest.ts';
import type { ExperimentStatus } from './experiment-status.ts';
import { insertEventSql, insertGapSql, insertLogSql, rememberSql } from './feed-sql.ts';

type Value = string | number | null;

/** The unit of the records. */
export interface RecordsOrigin {
  readonly unit: string;
  readonly epoch: string;
  readonly machineId: string;
  /** The eras of the records' boots. */
  readonly eras: BootEras;
}

/** Samples that were not stored: the first to the last time. */
export interface RefusedSamples {
  readonly count: number;
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly fromAt: number;
  readonly toAt: number;
}

/** The records of a batch, divided by table. */
export interface FeedRows {
  readonly series: readonly BatchSeries[];
  readonly readings: readonly Reading[];
  /** Rows of the other tables. */
  readonly statements: readonly BulkStatement[];
  /** Experiments with new events, by uid and name of the event. */
  readonly events: readonly (readonly [experimentUid: string, name: string])[];
  /** Samples that were dropped because their series would exceed the limit; undefined: none. */
  readonly beyondLimit: RefusedSamples | undefined;
  /** The number of dropped records, by uid of the deleted experiment. */
  readonly dropped: ReadonlyMap<string, number>;
}

/** The uid each record belongs to. */
export const experimentOf = (record: FeedRecord, series: readonly FeedSeries[]): string =>
  record.kind === 'sample' ? (series[record.series]?.experiment_uid ?? systemExperiment) : record.experiment_uid;

/** The entries of a dictionary that samples use, of existing experiments, with their positions. */
export function usedSeries(
  records: readonly FeedRecord[],
  dictionary: readonly FeedSeries[],
  statuses: ReadonlyMap<string, ExperimentStatus>,
  unit: string,
): readonly { readonly place: number; readonly key: BatchSeries }[] {
  const places = new Set(records.flatMap((record) => (record.kind === 'sample' ? [record.series] : [])));
  return [...places].flatMap((place) => {
    const entry = dictionary[place];
    const isUsed = entry !== undefined && statuses.get(entry.experiment_uid)?.is !== 'deleted';
    return isUsed ? [{ place, key: batchSeries(entry, unit) }] : [];
  });
}

/**
 * Pure: the rows of a batch. Records of deleted experiments are counted and dropped, and so are samples of the entries of the dictionary
 * that are beyond the limit.
 */
export function feedRows(
  records: readonly FeedRecord[],
  dictionary: readonly FeedSeries[],
  statuses: ReadonlyMap<string, ExperimentStatus>,
  origin: RecordsOrigin,
  beyondLimit: ReadonlySet<number> = new Set(),
): FeedRows {
  const rows = new RowCollector(dictionary, statuses, origin, beyondLimit);
  for (const record of records) rows.add(record);
  return rows.collected();
}

class RowCollector {
  readonly #dictionary: readonly FeedSeries[];
  readonly #statuses: ReadonlyMap<string, ExperimentStatus>;
  readonly #origin: RecordsOrigin;
  readonly #beyondLimit: ReadonlySet<number>;
  readonly #series: BatchSeries[] = [];
  /** The position of a dictionary entry in `#series`: only used entries are stored. */
  readonly #places = new Map<number, number>();
  readonly #readings: Reading[] = [];
  readonly #events: Value[][] = [];
  readonly #logs: Value[][] = [];
  readonly #gaps: Value[][] = [];
  readonly #known: Value[][] = [];
  readonly #eventNames = new Map<string, readonly [string, string]>();
  readonly #dropped = new Map<string, number>();
  #refused: RefusedSamples | undefined;

  constructor(
    dictionary: readonly FeedSeries[],
    statuses: ReadonlyMap<string, ExperimentStatus>,
    origin: RecordsOrigin,
    beyondLimit: ReadonlySet<number>,
  ) {
    this.#dictionary = dictionary;
    this.#statuses = statuses;
    this.#origin = origin;
    this.#beyondLimit = beyondLimit;
  }

  add(record: FeedRecord): void {
    const uid = experimentOf(record, this.#dictionary);
    if (this.#statuses.get(uid)?.is === 'deleted') {
      this.#dropped.set(uid, (this.#dropped.get(uid) ?? 0) + 1);
      return;
    }
    const { unit, epoch, machineId } = this.#origin;
    const identity = [machineId, record.boot, record.mono];
    switch (record.kind) {
      case 'sample':
        this.#addSample(record);
        return;
      case 'event': {
        const { at, name, source, message, data } = record;
        const flags = record.unsynced === true ? sampleFlags.unsynced : 0;
        const words = [text(name), source == null ? null : text(source), message == null ? null : text(message)];
        this.#events.push([uid, unit, at, ...words, json(data), ...identity, flags]);
        this.#eventNames.set(`${uid} ${name}`, [uid, name]);
        return;
      }
      case 'log': {
        const { at, level, message, source, task } = record;
        const words = [level, message, source, task].map(text);
        this.#logs.push([...this.#experimentColumns(uid), unit, at, ...words, ...identity]);
        return;
      }
      case 'state':
      case 'setting': {
        const [setting, value] =
          record.kind === 'state' ? (['$state', record.state] as const) : ([record.setting, record.value] as const);
        const job = [text(record.job_name), text(setting), whole(record.job_id) ?? 0];
        this.#known.push([unit, uid, ...job, json(value), record.at, ...identity]);
        return;
      }
      case 'gap': {
        const { from_seq, to_seq, from_at, to_at, dropped, reason } = record;
        const moments = [whole(from_at), whole(to_at)];
        const span = [whole(from_seq) ?? record.seq, whole(to_seq) ?? record.seq, ...moments];
        this.#gaps.push([unit, epoch, ...span, json(dropped), text(reason), ...identity]);
      }
    }
  }

  collected(): FeedRows {
    return {
      series: this.#series,
      readings: this.#readings,
      statements: [
        { sql: insertEventSql, rows: this.#events },
        { sql: insertLogSql, rows: this.#logs },
        { sql: insertGapSql, rows: this.#gaps },
        { sql: rememberSql, rows: this.#known },
      ],
      events: [...this.#eventNames.values()],
      beyondLimit: this.#refused,
      dropped: this.#dropped,
    };
  }

  #addSample(record: FeedRecord & { readonly kind: 'sample' }): void {
    if (this.#beyondLimit.has(record.series)) {
      this.#refuse(record);
      return;
    }
    let place = this.#places.get(record.series);
    if (place === undefined) {
      const entry = this.#dictionary[record.series];
      if (entry === undefined)
        throw new RangeError(`Record ${record.seq} names a series that its batch does not have.`);
      place = this.#series.push(batchSeries(entry, this.#origin.unit)) - 1;
      this.#places.set(record.series, place);
    }
    const flags = flagBits(record);
    const { at, value } = record;
    const era = this.#origin.eras.newestOf(record.boot)?.id;
    this.#readings.push({ series: place, at, value, ...(flags !== 0 && { flags }), ...(era !== undefined && { era }) });
  }

  #refuse({ seq, at }: FeedRecord): void {
    const { count, fromSeq, fromAt, toAt } = this.#refused ?? { count: 0, fromSeq: seq, fromAt: at, toAt: at };
    this.#refused = { count: count + 1, fromSeq, toSeq: seq, fromAt: Math.min(fromAt, at), toAt: Math.max(toAt, at) };
  }

  /** Records of an unknown experiment are stored under its uid, so that they can be returned. */
  #experimentColumns(uid: string): [number | null, string] {
    const status = this.#statuses.get(uid);
    if (status?.is === 'known') return [status.id, status.name];
    return [null, status?.is === 'cluster' ? systemExperiment : uid];
  }
}

const json = (value: unknown): string => JSON.stringify(value) ?? 'null';

// Only the frame of these records was validated. A record of another shape must not stop the feed.
const text = (value: unknown): string => (typeof value === 'string' ? value : json(value));
const whole = (value: unknown): number | null => (Number.isSafeInteger(value) ? Number(value) : null);

function flagBits({ flags = [], unsynced }: FeedRecord & { readonly kind: 'sample' }): number {
  let bits = unsynced === true ? sampleFlags.unsynced : 0;
  for (const flag of flags) bits |= sampleFlags[flag];
  return bits;
}

function batchSeries({ experiment_uid, source, channel, angle, derivation, context }: FeedSeries, unit: string) {
  const series: BatchSeries = {
    experimentUid: experiment_uid,
    unit,
    source,
    channel: channel ?? null,
    angle: angle ?? null,
    derivation: derivation ?? null,
  };
  if (!context) return series;
  return {
    ...series,
    context: {
      calibrationName: context.calibration_name ?? null,
      calibrationHash: context.calibration_hash ?? null,
      irLedIntensity: context.ir_led_intensity ?? null,
    },
  };
}
