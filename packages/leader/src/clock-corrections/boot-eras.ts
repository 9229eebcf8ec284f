import type { FeedRecord } from '@lcs/contract';

/** Part of a boot with one mapping from monotonic to wall time. */
export interface BootEra {
  readonly id: number;
  readonly boot: number;
  /** Its start, in microseconds of the boot. */
  readonly sinceMono: number;
  /** The offset of earlier records, in milliseconds. */
  readonly offsetMs: number;
}

/** A unit has learned that all earlier times of a boot had the same error. */
export interface ClockCorrection {
  readonly boot: number;
  /** Records of the boot with a smaller `mono` have the wrong time. */
  readonly mono: number;
  /** To add to their times, in milliseconds. */
  readonly offsetMs: number;
}

/** Pure: the corrections that records report. A clock step without a correction changes only later records. */
export function correctionsIn(records: readonly FeedRecord[]): readonly ClockCorrection[] {
  return records.flatMap((record) => {
    if (record.kind !== 'event' || record.name !== 'clock_step' || record.data?.is_correction !== true) return [];
    const { offset_ms: offsetMs } = record.data;
    if (typeof offsetMs !== 'number' || !Number.isSafeInteger(offsetMs) || offsetMs === 0) return [];
    return [{ boot: record.boot, mono: record.mono, offsetMs }];
  });
}

/** The eras of the boots of a batch. */
export class BootEras {
  readonly #byBoot: ReadonlyMap<number, readonly BootEra[]>;

  constructor(eras: readonly BootEra[]) {
    this.#byBoot = Map.groupBy(eras, ({ boot }) => boot);
  }

  /** The era of new samples of a boot: its newest, because all records from now on have the right time. */
  newestOf(boot: number): BootEra | undefined {
    return this.#byBoot.get(boot)?.reduce((newest, era) => (era.sinceMono > newest.sinceMono ? era : newest));
  }

  /** The record from which on the time is right. */
  corrected<Kind extends FeedRecord>(record: Kind): Kind {
    const offsetMs = (this.#byBoot.get(record.boot) ?? [])
      .filter(({ sinceMono }) => sinceMono > record.mono)
      .reduce((sum, era) => sum + era.offsetMs, 0);
    return offsetMs === 0 ? record : { ...record, at: Math.max(0, record.at + offsetMs) };
  }
}
