import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** A committed record of a unit, as its outbox had it. */
export interface LedgerRecord {
  readonly seq: number;
  readonly boot: number;
  readonly mono: number;
  readonly at: number;
  readonly series: number | null;
  readonly value: number | null;
  /** The further fields. */
  readonly more: Readonly<Record<string, unknown>>;
}

export interface LedgerBoot {
  /** Wall time at the start of the boot: from the leader, and by the host's own clock; milliseconds since 1970. */
  readonly wall0: number | null;
  readonly guess0: number;
}

const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);

function objectOf(text: unknown): Readonly<Record<string, unknown>> {
  const parsed: unknown = typeof text === 'string' ? JSON.parse(text) : {};
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
}

/** Who a node is to its leader, whatever it is called. */
export const machineIdOf = (dataFolder: string): string =>
  String(JSON.parse(readFileSync(`${dataFolder}/identity.json`, 'utf8')).id);

/** Reads along in a unit's outbox, from outside, so that what is trimmed there later is still known here. */
export class Ledger {
  readonly unit: string;
  readonly records: LedgerRecord[] = [];
  readonly #path: string;
  #database: DatabaseSync | undefined;
  #epoch: string | undefined;

  constructor(unit: string, dataFolder: string) {
    this.unit = unit;
    this.#path = `${dataFolder}/storage/outbox.sqlite`;
  }

  get epoch(): string {
    return this.#epoch ?? '';
  }

  get head(): number {
    return this.records.at(-1)?.seq ?? 0;
  }

  open(): void {
    this.#database ??= new DatabaseSync(this.#path, { readOnly: true, timeout: 2_000 });
    this.read();
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  /** Takes what was committed since the last look. */
  read(): void {
    const rows = this.#all('select * from outbox_records where seq > ? order by seq', this.head);
    for (const { seq, boot, mono, at, series_id, value, body } of rows) {
      const numbers = { seq: Number(seq), boot: Number(boot), mono: Number(mono), at: Number(at) };
      this.records.push({
        ...numbers,
        series: numberOrNull(series_id),
        value: numberOrNull(value),
        more: objectOf(body),
      });
    }
    const epoch = String(this.#all('select epoch from outbox_state')[0]?.epoch ?? '');
    this.#epoch ??= epoch;
    if (epoch !== this.#epoch) throw new Error(`${this.unit} has begun a new numbering.`);
  }

  /** Numbers that the outbox still holds. */
  kept(): { readonly first: number; readonly count: number } {
    const [row] = this.#all('select min(seq) as first, count(*) as count from outbox_records');
    return { first: Number(row?.first ?? 0), count: Number(row?.count ?? 0) };
  }

  boots(): ReadonlyMap<number, LedgerBoot> {
    const rows = this.#all('select * from outbox_boots');
    return new Map(
      rows.map(({ boot, wall0, guess0 }) => [Number(boot), { wall0: numberOrNull(wall0), guess0: Number(guess0) }]),
    );
  }

  /** What each series is, by the number that records name it with. */
  series(): ReadonlyMap<number, Readonly<Record<string, unknown>>> {
    return new Map(this.#all('select id, key from outbox_series').map(({ id, key }) => [Number(id), objectOf(key)]));
  }

  #all(sql: string, ...values: number[]): Record<string, unknown>[] {
    return this.#database?.prepare(sql).all(...values) ?? [];
  }
}
