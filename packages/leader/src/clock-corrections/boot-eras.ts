import type { FeedRecord } from '@lcs/contract';

/** Part of a boot with one mapping from monotonic to wall time. */
export interface BootEra {
  readonly id: number;
  readonly boot: number;
  /** Where it begins, in microseconds of the boot. */
  readonly sinceMono: number;
  /** What records from before it are moved by, in milliseconds. */
  readonly offsetMs: number;
}

/** A unit has learned that all its times of a boot were wrong by the same amount. */
export interface ClockCorrection {
  readonly boot: number;
  /** Records of the boot with a smaller `mono` have the wrong time. */
  readonly mono: number;
  /** To be added to their times, in milliseconds. */
  readonly offsetMs: number;
}

/** Pure: the corrections that records report. A step of the clock that corrects nothing changes later records only. */
export function correctionsIn(records: readonly FeedRecord[]): readonly ClockCorrection[] {
  return records.flatMap((record) => {
    if (record.kind !== 'event' || record.name !== 'clock_step' || record.data?.is_correction !== true) return [];
    const { offset_ms: offsetMs } = record.data;
    if (typeof offsetMs !== 'number' || !Number.isSafeInteger(offsetMs) || offsetMs === 0) return [];
    return [{ boot: record.boot, mono: record.mono, offsetMs }];
  });
}

/** The eras of the boots that a batch has records of. */
export class BootEras {
  readonly #byBoot: ReadonlyMap<number, readonly BootEra[]>;

  constructor(eras: readonly BootEra[]) {
    this.#byBoot = Map.groupBy(eras, ({ boot }) => boot);
  }

  /** The era that samples of a boot are stored in: its newest, as all that comes from now on is corrected. */
  newestOf(boot: number): BootEra | undefined {
    return this.#byBoot.get(boot)?.reduce((newest, era) => (era.sinceMono > newest.sinceMono ? era : newest));
  }

  /** The record with the time that is known to be right now. */
  corrected<Kind extends FeedRecord>(record: Kind): Kind {
    const offsetMs = (this.#byBoot.get(record.boot) ?? [])
      .filter(({ sinceMono }) => sinceMono > record.mono)
      .reduce((sum, era) => sum + era.offsetMs, 0);
    return offsetMs === 0 ? record : { ...record, at: Math.max(0, record.at + offsetMs) };
  }
}
