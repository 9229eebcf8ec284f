import { clusterExperiment } from '@lcs/contract';
import type { NewNote, NewRecord } from './new-record.ts';

const nameOf = (record: NewRecord): string => {
  if (record.kind === 'sample') return record.series.source;
  return record.kind === 'log' ? `log:${record.level}` : record.kind;
};

/** Counts what could not be written, so that its absence is a record too. */
export class RefusedRecords {
  readonly #counts = new Map<string, number>();
  #fromAt = 0;
  #toAt = 0;
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(record: NewRecord, at: number): void {
    const name = nameOf(record);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#fromAt = this.#total === 0 ? at : Math.min(this.#fromAt, at);
    this.#toAt = this.#total === 0 ? at : Math.max(this.#toAt, at);
    this.#total += 1;
  }

  /** The gap that takes one number per refused record after `head`. */
  gapAfter(head: number): NewNote {
    return {
      kind: 'gap',
      experiment_uid: clusterExperiment,
      from_seq: head + 1,
      to_seq: head + this.#total,
      from_at: this.#fromAt,
      to_at: this.#toAt,
      dropped: Object.fromEntries(this.#counts),
      reason: 'disk_full',
    };
  }

  clear(): void {
    this.#counts.clear();
    this.#total = 0;
  }
}
