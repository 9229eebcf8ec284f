import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { dayMs } from '@lcs/contract/durations';
import type { BulkStatement } from '@lcs/platform';
import { lowerThreadPriority } from '../core/low-priority.ts';
import type {
  ExperimentOutcome,
  ImportOrder,
  ImportReply,
  ImportRequest,
  ImportTarget,
  TableOutcome,
} from './import-protocol.ts';
import { type ReadingsBatch, type ReadingsPorts, ReadingsReader } from './read-readings.ts';
import { RecordsReader } from './read-records.ts';
import { isSourceFault, SourceDatabase } from './source-database.ts';
import {
  clusterTableNames,
  type ReadingsTable,
  type RecordsTable,
  readingsTables,
  recordsTables,
} from './source-tables.ts';
import { StoredRows } from './verify-stored.ts';

/** The shortest time between two reports of progress. */
const progressMs = 500;

/** Batches on their way to the store: one is written while the next is read. */
const mostWaiting = 2;

/** The thread's side of the conversation. */
class Conversation {
  readonly #port: MessagePort;
  #waiting = 0;
  #wake: () => void = () => {};
  #unit = Promise.withResolvers<boolean>();
  readonly targets = Promise.withResolvers<readonly ImportTarget[]>();

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (request: ImportRequest) => {
      if (request.is === 'targets') this.targets.resolve(request.targets);
      else if (request.is === 'unit') this.#unit.resolve(request.isAccepted);
      else {
        this.#waiting -= 1;
        this.#wake();
      }
    });
  }

  post(reply: ImportReply): void {
    this.#port.postMessage(reply);
  }

  acceptsUnit(unit: string): Promise<boolean> {
    this.#unit = Promise.withResolvers();
    this.post({ is: 'unit', unit });
    return this.#unit.promise;
  }

  async store(reply: ImportReply): Promise<void> {
    this.#waiting += 1;
    this.post(reply);
    await this.#below(mostWaiting);
  }

  /** Resolves when everything is stored. */
  settled(): Promise<void> {
    return this.#below(1);
  }

  async #below(limit: number): Promise<void> {
    while (this.#waiting >= limit) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
    }
  }
}

/** Rows and last time of each experiment. */
class ExperimentNotes {
  readonly #notes = new Map<ImportTarget, { rows: number; lastAt: number | null }>();

  note(target: ImportTarget, at: number): void {
    const known = this.#notes.get(target);
    if (known === undefined) this.#notes.set(target, { rows: 1, lastAt: at });
    else {
      known.rows += 1;
      known.lastAt = Math.max(known.lastAt ?? at, at);
    }
  }

  of(targets: readonly ImportTarget[]): ExperimentOutcome[] {
    return targets.map((target) => ({
      id: target.id,
      sourceName: target.sourceName,
      ...(this.#notes.get(target) ?? { rows: 0, lastAt: null }),
    }));
  }
}

/** How far the tables were read, by their numbers of rows. */
class TotalProgress {
  readonly #total: number;
  readonly #post: (fraction: number, message: string) => void;
  #before = 0;
  #postedAt = 0;

  constructor(total: number, post: (fraction: number, message: string) => void) {
    this.#total = Math.max(1, total);
    this.#post = post;
  }

  row(table: string, rows: number): void {
    const now = performance.now();
    if (now - this.#postedAt < progressMs) return;
    this.#postedAt = now;
    // Reading takes most of the time; the rest is the comparison.
    this.#post((0.8 * (this.#before + rows)) / this.#total, `${table}: ${rows} rows`);
  }

  ended(rows: number): void {
    this.#before += rows;
  }
}

/** Reads all tables, and compares what came with the store. */
class TablesImport {
  readonly #source: SourceDatabase;
  readonly #order: ImportOrder;
  readonly #talk: Conversation;
  readonly #targets: ReadonlyMap<string, ImportTarget>;
  readonly #stored: StoredRows | undefined;
  readonly #progress: TotalProgress;
  readonly #notes = new ExperimentNotes();
  #places = 0;

  constructor(source: SourceDatabase, order: ImportOrder, talk: Conversation, targets: readonly ImportTarget[]) {
    this.#source = source;
    this.#order = order;
    this.#talk = talk;
    this.#targets = new Map(targets.map((target) => [target.sourceName, target]));
    this.#stored = order.isDryRun ? undefined : ofLeader(() => new StoredRows(order.place, targets));
    const counts = [...readingsTables, ...recordsTables]
      .filter(({ table }) => this.#isThere(table))
      .map(({ table }) => guarded(() => source.highestRow(table)) ?? 0);
    this.#progress = new TotalProgress(
      counts.reduce((sum, count) => sum + count, 0),
      (fraction, message) => talk.post({ is: 'progress', fraction, message }),
    );
  }

  close(): void {
    this.#stored?.close();
  }

  async run(): Promise<ImportReply> {
    const tables: TableOutcome[] = [];
    for (const table of readingsTables) if (this.#isThere(table.table)) tables.push(await this.#readings(table));
    for (const table of recordsTables) if (this.#isThere(table.table)) tables.push(await this.#records(table));
    const read = new Set([...tables.map(({ table }) => table), ...clusterTableNames]);
    const otherTables = this.#source.tables
      .filter((table) => !read.has(table))
      .map((table) => ({ table, rows: guarded(() => this.#source.count(table)) }));
    return { is: 'done', tables, otherTables, experiments: this.#notes.of([...this.#targets.values()]) };
  }

  #isThere = (table: string): boolean => this.#source.columnsOf(table) !== undefined;

  async #readings(table: ReadingsTable): Promise<TableOutcome> {
    const ports = {
      ...this.#ports(table.table),
      nextPlace: () => {
        this.#places += 1;
        return this.#places - 1;
      },
      store: (batch: ReadingsBatch) => this.#talk.store({ is: 'readings', ...batch }),
    };
    const read = async (targets: ReadonlyMap<string, ImportTarget>, note: ReadingsPorts['note']) => {
      const reader = new ReadingsReader(this.#source, targets, { ...ports, note }, this.#order.isDryRun);
      const { outcome, series } = await reader.read(table);
      await this.#talk.settled();
      return { ...outcome, ...(ofLeader(() => this.#stored?.readings(series)) ?? nothingStored) };
    };
    let outcome = await read(this.#targets, ports.note);
    const isDifferent = outcome.storedChecksum !== null && outcome.storedChecksum !== outcome.checksum;
    const marked = [...this.#targets.values()].some(({ marks }) => marks.some((mark) => mark.table === table.table));
    // The rows may have other numbers than in an earlier run: those that were left out are sent again.
    if (isDifferent && marked) outcome = await read(withoutMarks(this.#targets), () => {});
    this.#progress.ended(outcome.rows);
    return outcome;
  }

  async #records(table: RecordsTable): Promise<TableOutcome> {
    const ports = {
      ...this.#ports(table.table),
      store: (statements: readonly BulkStatement[], experimentUids: readonly string[]) =>
        this.#talk.store({ is: 'records', statements, experimentUids }),
    };
    const outcome = await new RecordsReader(this.#source, this.#targets, ports, this.#order).read(table);
    await this.#talk.settled();
    this.#progress.ended(outcome.rows);
    return { ...outcome, ...(ofLeader(() => this.#stored?.records(table.table)) ?? nothingStored) };
  }

  #ports = (table: string) => ({
    acceptsUnit: (unit: string) => this.#talk.acceptsUnit(unit),
    note: (target: ImportTarget, at: number) => this.#notes.note(target, at),
    progress: (rows: number) => this.#progress.row(table, rows),
  });
}

/** Distinguishes the database of this leader from that of the source. */
function ofLeader<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new Error(`The database of this leader cannot be read: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
}

const nothingStored = { storedValues: null, storedChecksum: null };

async function perform(port: MessagePort, order: ImportOrder): Promise<void> {
  const talk = new Conversation(port);
  lowerThreadPriority();
  const { isImmutable, nowMs } = order;
  // Clocks differ.
  const source = SourceDatabase.open(order.sourcePath, { isImmutable, latestMs: nowMs + dayMs });
  try {
    talk.post({ is: 'contents', contents: source.contents() });
    const tables = new TablesImport(source, order, talk, await talk.targets.promise);
    try {
      talk.post(await tables.run());
    } finally {
      tables.close();
    }
  } finally {
    source.close();
  }
}

const withoutMarks = (targets: ReadonlyMap<string, ImportTarget>): ReadonlyMap<string, ImportTarget> =>
  new Map([...targets].map(([name, target]) => [name, { ...target, marks: [] }]));

/** Null: the table is damaged. */
function guarded(read: () => number): number | null {
  try {
    return read();
  } catch (error) {
    if (isSourceFault(error)) return null;
    throw error;
  }
}

if (!isMainThread && parentPort) {
  const port = parentPort;
  try {
    await perform(port, workerData);
  } catch (error) {
    const reply: ImportReply = {
      is: 'failure',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
    port.postMessage(reply);
  }
  port.close();
}
