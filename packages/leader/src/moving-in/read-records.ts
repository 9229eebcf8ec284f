import type { BulkStatement } from '@lcs/platform';
import { insertEventSql, insertLogSql } from '../ingest/feed-sql.ts';
import { RowsChecksum } from './checksums.ts';
import type { ImportTarget, TableOutcome } from './import-protocol.ts';
import { noTarget } from './read-readings.ts';
import { convertRecord, type EventRow, type LogRow, recordText } from './records.ts';
import { Skips } from './skips.ts';
import { type Cells, isSourceFault, numberOf, type SourceDatabase, textFaults, textOf } from './source-database.ts';
import type { RecordsTable } from './source-tables.ts';

/** Entries of the event log are indexed by their text: fewer rows than readings fit into the same time. */
const rowsAtOnce = 1_000;
/** Some rows are long; a batch is copied as a whole. */
const charactersAtOnce = 2_000_000;

export interface RecordsPorts {
  store(statements: readonly BulkStatement[], experimentUids: readonly string[]): Promise<void>;
  acceptsUnit(unit: string): boolean | Promise<boolean>;
  progress(rows: number): void;
  note(target: ImportTarget, at: number): void;
}

/** Identity of the imported rows of a table, in the place of the machine that recorded them. */
export const machineOf = (uid: string, table: string): string => `pioreactor:${uid}:${table}`;

type Row = (string | number | null)[];

function rowOf(
  target: ImportTarget,
  unit: string,
  at: number,
  row: EventRow | LogRow,
  of: readonly (string | number)[],
) {
  return row.is === 'event'
    ? [target.uid, unit, at, row.name, row.source, row.message, JSON.stringify(row.data), ...of, 0]
    : [target.id, target.name, unit, at, row.level, row.message, row.source, row.task, ...of];
}

/**
 * Reads a table of events or entries of the event log in the order of time. Rows are recognised by their content, so that a repetition stores
 * none twice; of equal rows each has its number, because all of them come.
 */
export class RecordsReader {
  readonly #source: SourceDatabase;
  readonly #targets: ReadonlyMap<string, ImportTarget>;
  readonly #ports: RecordsPorts;
  readonly #options: { readonly isDryRun: boolean; readonly leader: string };
  readonly #units = new Map<string, boolean>();

  constructor(
    source: SourceDatabase,
    targets: ReadonlyMap<string, ImportTarget>,
    ports: RecordsPorts,
    options: { readonly isDryRun: boolean; readonly leader: string },
  ) {
    this.#source = source;
    this.#targets = targets;
    this.#ports = ports;
    this.#options = options;
  }

  async read(table: RecordsTable): Promise<Omit<TableOutcome, 'storedValues' | 'storedChecksum'>> {
    const checksum = new RowsChecksum();
    const skips = new Skips();
    let rows = 0;
    const outcome = (fault: string | null) => ({
      table: table.table,
      rows,
      imported: checksum.rows,
      skipped: skips.list(),
      fault,
      values: checksum.rows,
      checksum: checksum.hex(),
    });
    const columns = this.#columns(table);
    if ('missing' in columns) {
      rows = this.#source.count(table.table);
      skips.add('columns are missing', rows);
      return outcome(columns.missing);
    }
    let statements = new Map<string, Row[]>();
    let uids = new Set<string>();
    let waiting = 0;
    let characters = 0;
    const flush = async () => {
      const sent = [...statements].map(([sql, sqlRows]) => ({ sql, rows: sqlRows }));
      const experiments = [...uids];
      statements = new Map();
      uids = new Set();
      waiting = 0;
      characters = 0;
      if (!this.#options.isDryRun && sent.length > 0) await this.#ports.store(sent, experiments);
    };
    const repeated = new Repetitions();
    let fault: string | null = null;
    try {
      const order = `order by lcs_at("${table.time}"), rowid`;
      for (const cells of this.#source.rows(columns.sql, table.table, order)) {
        rows += 1;
        const target = typeof cells[0] === 'string' ? this.#targets.get(cells[0]) : undefined;
        const textFault = cells.slice(3, 3 + table.texts.length).find((cell) => textFaults.has(cell));
        const unit = table.hasUnit ? await this.#unitOf(cells[1]) : { name: this.#options.leader };
        const at = typeof cells[2] === 'string' ? this.#source.momentOf(cells[2]) : undefined;
        if (target === undefined) skips.add(noTarget(cells[0]));
        else if ('reason' in unit) skips.add(unit.reason);
        else if (at === undefined) skips.add('not a time of the past');
        else if (textFault !== undefined) skips.add(textFaults.get(textFault) ?? '');
        else {
          const row = convertRecord(table, cellsOf(table, cells, at), this.#source.momentOf);
          if (row.is === 'refused') {
            skips.add(row.reason);
            continue;
          }
          const text = recordText(unit.name, at, row);
          const identity = checksum.add(
            `${target.sourceName}\n${repeated.numberOf(at, `${target.id} ${text}`)}${text}`,
          );
          const of = [machineOf(target.uid, table.table), identity.high, identity.low];
          const sql = row.is === 'event' ? insertEventSql : insertLogSql;
          const known = statements.get(sql);
          const made = rowOf(target, unit.name, at, row, of);
          if (known === undefined) statements.set(sql, [made]);
          else known.push(made);
          uids.add(target.uid);
          this.#ports.note(target, at);
          waiting += 1;
          characters += text.length;
        }
        if (rows % rowsAtOnce === 0) this.#ports.progress(rows);
        if (waiting >= rowsAtOnce || characters >= charactersAtOnce) await flush();
      }
    } catch (error) {
      if (!isSourceFault(error)) throw error;
      fault = `Row ${rows + 1} cannot be read: ${error.message}.`;
    }
    await flush();
    return outcome(fault);
  }

  #columns({ table, time, hasUnit, texts, numbers }: RecordsTable) {
    const there = this.#source.columnsOf(table) ?? [];
    const unit = this.#source.unitColumnOf(table);
    const missing = ['experiment', time, ...texts, ...numbers].filter((column) => !there.includes(column));
    if (hasUnit && unit === undefined) missing.push('pioreactor_unit');
    if (missing.length > 0) return { missing: `It has no column ${missing.join(', ')}.` };
    const sql = [
      ...[textOf('experiment'), unit === undefined ? 'null' : textOf(unit), textOf(time)],
      ...[...texts.map(textOf), ...numbers.map(numberOf)],
    ];
    return { sql };
  }

  async #unitOf(cell: unknown): Promise<{ readonly name: string } | { readonly reason: string }> {
    if (typeof cell !== 'string') return { reason: 'no unit' };
    const known = this.#units.get(cell) ?? (await this.#ports.acceptsUnit(cell));
    this.#units.set(cell, known);
    return known ? { name: cell } : { reason: 'not a name of a unit' };
  }
}

function cellsOf({ texts, numbers }: RecordsTable, cells: Cells, at: number) {
  const textAt = (index: number) => cells[3 + index];
  return {
    at,
    texts: texts.map((_, index) => {
      const cell = textAt(index);
      return typeof cell === 'string' ? cell : null;
    }),
    numbers: numbers.map((_, index) => {
      const cell = textAt(texts.length + index);
      return typeof cell === 'number' && Number.isFinite(cell) ? cell : null;
    }),
  };
}

/** Numbers equal rows of one moment; the first has none. */
class Repetitions {
  #at = Number.NaN;
  readonly #counts = new Map<string, number>();

  numberOf(at: number, text: string): string {
    if (at !== this.#at) {
      this.#at = at;
      this.#counts.clear();
    }
    const before = this.#counts.get(text) ?? 0;
    this.#counts.set(text, before + 1);
    return before === 0 ? '' : `${before}\n`;
  }
}
