import { hourMs } from '@lcs/contract';
import type { DosingEntry, VialBalance } from '@lcs/domain';
import type { BulkStatement, Database } from '@lcs/platform';
import type { BioreactorTables } from './bioreactor-tables.ts';

/** The stored ledger of one vial in one experiment. */
export interface LedgerState {
  readonly balance: VialBalance;
  /** A person has set the end of the waste tube; otherwise the configuration has it. */
  readonly isEffluxSet: boolean;
  /** Volume of each note of people that is in the balance, by its id. */
  readonly notes: Readonly<Record<string, number>>;
}

/** The run of a pump for an entry. */
interface PumpedEntry {
  readonly output: string;
  readonly percent: number;
  readonly ranMs: number;
}

export interface LedgerRow {
  readonly experiment: string;
  readonly number: number;
  readonly atMs: number;
  readonly entry: DosingEntry;
  readonly source: string;
  readonly pumped?: PumpedEntry;
}

/** What happens to the list of open doses together with an entry. */
export type OpenChange =
  | { readonly opens: { readonly event: string; readonly source: string } }
  | { readonly closes: number };

/** A stretch of a pump, for a guard that did not see it. */
export interface PumpInterval {
  readonly output: string;
  readonly percent: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Entries that are kept of each experiment: the leader has them all. */
const mostEntries = 20_000;
const pruneEvery = 1_000;

const insertEntry = `insert into dosing_entries (experiment, number, at, entry, source, output, percent, ran_ms)
  values (?, ?, ?, ?, ?, ?, ?, ?)`;
// What could not be written at once comes late, and must not take the place of something newer.
const putBalance = `insert into dosing_balances (experiment, number, state) values (?, ?, ?)
  on conflict (experiment) do update set number = excluded.number, state = excluded.state
  where excluded.number > dosing_balances.number`;
const openDose = 'insert into open_doses (experiment, number, event, source) values (?, ?, ?, ?)';
const closeDose = 'delete from open_doses where experiment = ? and number = ?';
const prune = 'delete from dosing_entries where experiment = ? and number <= ? and at < ?';

const withRow = (row: LedgerRow, state: LedgerState, change: OpenChange | undefined): BulkStatement[] => {
  const { experiment, number, atMs, entry, source, pumped } = row;
  const { output = null, percent = null, ranMs = null } = pumped ?? {};
  return [
    {
      sql: insertEntry,
      rows: [[experiment, number, Math.floor(atMs), JSON.stringify(entry), source, output, percent, ranMs]],
    },
    { sql: putBalance, rows: [[experiment, number, JSON.stringify(state)]] },
    ...(change === undefined ? [] : openStatement(row, change)),
    ...(number % pruneEvery === 0 ? [{ sql: prune, rows: [[experiment, number - mostEntries, atMs - hourMs]] }] : []),
  ];
};

const openStatement = ({ experiment, number }: LedgerRow, change: OpenChange): BulkStatement[] =>
  'opens' in change
    ? [{ sql: openDose, rows: [[experiment, number, change.opens.event, change.opens.source]] }]
    : [{ sql: closeDose, rows: [[experiment, change.closes]] }];

/** What the ledgers of a unit have on its disk. */
export type DosingRecords = Pick<DosingStore, keyof DosingStore>;

/** The ledgers of a unit on its disk. Entries that could not be written are written with the next ones. */
export class DosingStore {
  readonly #database: Pick<Database<BioreactorTables>, 'read' | 'bulk'>;
  #unwritten: BulkStatement[] = [];

  constructor(database: Pick<Database<BioreactorTables>, 'read' | 'bulk'>) {
    this.#database = database;
  }

  /** On disk when it resolves. @throws StoreError; it is tried again with the next one */
  async add(row: LedgerRow, state: LedgerState, change?: OpenChange): Promise<void> {
    await this.#write(withRow(row, state, change));
  }

  /** A dose is over. @throws StoreError; it is tried again with the next change */
  async close(experiment: string, number: number): Promise<void> {
    await this.#write([{ sql: closeDose, rows: [[experiment, number]] }]);
  }

  async #write(statements: readonly BulkStatement[]): Promise<void> {
    const all = [...this.#unwritten, ...statements];
    this.#unwritten = [];
    try {
      await this.#database.bulk(all, { durable: true });
    } catch (error) {
      this.#unwritten.push(...all);
      throw error;
    }
  }

  async states(): Promise<ReadonlyMap<string, { readonly number: number; readonly state: LedgerState }>> {
    const rows = await this.#database.read.selectFrom('dosing_balances').selectAll().execute();
    return new Map(rows.map(({ experiment, number, state }) => [experiment, { number, state: JSON.parse(state) }]));
  }

  /** What people had set before there were ledgers, by experiment. */
  async valuesBeforeLedger(): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
    const rows = await this.#database.read.selectFrom('bioreactor_values').selectAll().execute();
    const values = new Map<string, Map<string, number>>();
    for (const { experiment, key, value } of rows) {
      const own = values.get(experiment) ?? new Map<string, number>();
      values.set(experiment, own.set(key, value));
    }
    return values;
  }

  /** The doses that the last run of the unit left open. */
  openDoses() {
    return this.#database.read.selectFrom('open_doses').selectAll().execute();
  }

  /** The stored entries of an experiment, in order. */
  async entries(experiment: string): Promise<readonly DosingEntry[]> {
    const rows = await this.#database.read
      .selectFrom('dosing_entries')
      .where('experiment', '=', experiment)
      .orderBy('number')
      .select('entry')
      .execute();
    return rows.map(({ entry }) => JSON.parse(entry));
  }

  /** What pumps did in the hour before `nowMs`. */
  async lastHour(nowMs: number): Promise<readonly PumpInterval[]> {
    const rows = await this.#database.read
      .selectFrom('dosing_entries')
      .where('at', '>', nowMs - hourMs)
      .where('output', 'is not', null)
      .orderBy('at')
      .orderBy('number')
      .select(['at', 'output', 'percent', 'ran_ms'])
      .execute();
    return intervalsOf(rows);
  }
}

type IntervalRow = Pick<BioreactorTables['dosing_entries'], 'at' | 'output' | 'percent' | 'ran_ms'>;

/** One interval per entry; a reversal shortens the last interval of its pump. */
function intervalsOf(rows: readonly IntervalRow[]): readonly PumpInterval[] {
  const intervals: PumpInterval[] = [];
  for (const { at, output, percent, ran_ms: ranMs } of rows) {
    if (output === null || percent === null || ranMs === null) continue;
    if (ranMs >= 0) {
      intervals.push({ output, percent, fromMs: at, toMs: at + ranMs });
      continue;
    }
    const index = intervals.findLastIndex((interval) => interval.output === output);
    const last = intervals[index];
    if (last !== undefined) intervals[index] = { ...last, toMs: Math.max(last.fromMs, last.toMs + ranMs) };
  }
  return intervals.filter(({ fromMs, toMs }) => toMs > fromMs);
}
