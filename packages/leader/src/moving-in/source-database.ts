import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { ClusterRow, SourceContents } from './import-protocol.ts';
import { MomentReader } from './moments.ts';
import { type ClusterTable, clusterTables, faultColumn, unitColumn, unitColumns } from './source-tables.ts';

/** Longer texts do not come. */
const longestText = 65_536;
/** Rows of a small table; more are no inventory. */
export const mostClusterRows = 100_000;
/** Tables and columns of one database; the other system has 40 tables. */
const mostTables = 1_000;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** In place of a text that cannot come. */
export const textFaults: ReadonlyMap<unknown, string> = new Map([
  [0, 'a text that is too long'],
  [1, 'not a text'],
]);

/** SQL of a text, or a key of `textFaults`; null stays null. Blobs are texts: one column of settings is declared so. */
export const textOf = (column: string): string => {
  const name = quoted(column);
  return `case typeof(${name}) when 'text' then iif(length(${name}) <= ${longestText}, ${name}, 0)
    when 'blob' then iif(length(${name}) <= ${longestText}, cast(${name} as text), 0)
    when 'null' then null else 1 end`;
};

/** SQL of a number as a double (whole numbers may be longer than JavaScript's), or of the type of anything else. */
export const numberOf = (column: string): string =>
  `iif(typeof(${quoted(column)}) in ('real', 'integer'), cast(${quoted(column)} as real), typeof(${quoted(column)}))`;

/** SQL of the channel of a photodiode: a number, or its digit as text (one table declares it so). */
export const channelOf = (column: string): string =>
  `iif(${quoted(column)} in ('1', '2', '3', '4'), cast(${quoted(column)} as real), ${numberOf(column)})`;

/** A damaged file or a number that no row should have, not a mistake of this program. */
export const isSourceFault = (error: unknown): error is Error =>
  error instanceof Error && ['ERR_SQLITE_ERROR', 'ERR_OUT_OF_RANGE'].includes(String(Reflect.get(error, 'code')));

export type Cells = readonly SQLOutputValue[];

export interface SourceOptions {
  /** Nothing writes the file, and it has no write-ahead log beside it. */
  readonly isImmutable: boolean;
  readonly latestMs: number;
}

/** The database of the other system. It is only read: opened read-only, and as an unchanging file where nothing writes it. */
export class SourceDatabase {
  readonly #database: DatabaseSync;
  readonly #moments: MomentReader;
  readonly #tables: ReadonlyMap<string, readonly string[]>;

  private constructor(database: DatabaseSync, moments: MomentReader, tables: ReadonlyMap<string, readonly string[]>) {
    this.#database = database;
    this.#moments = moments;
    this.#tables = tables;
  }

  /** @param latestMs later times of rows are wrong */
  static open(path: string, { isImmutable, latestMs }: SourceOptions): SourceDatabase {
    const url = pathToFileURL(path);
    if (isImmutable) url.searchParams.set('immutable', '1');
    const database = new DatabaseSync(url, { readOnly: true, timeout: 5_000 });
    try {
      // Somebody else's file: its views and triggers must not call functions with effects.
      database.exec('pragma trusted_schema = off; pragma cache_size = -16000; pragma mmap_size = 0');
      const moments = new MomentReader(latestMs);
      database.function('lcs_at', { deterministic: true }, (text: unknown) =>
        typeof text === 'string' ? (moments.read(text) ?? null) : null,
      );
      return new SourceDatabase(database, moments, tablesOf(database));
    } catch (error) {
      database.close();
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }

  /** Milliseconds; undefined: it is not a time, or not one of the past. */
  momentOf = (text: string): number | undefined => this.#moments.read(text);

  get tables(): readonly string[] {
    return [...this.#tables.keys()];
  }

  columnsOf(table: string): readonly string[] | undefined {
    return this.#tables.get(table);
  }

  /** The column with the name of the unit. */
  unitColumnOf(table: string): string | undefined {
    return unitColumns.find((name) => this.columnsOf(table)?.includes(name));
  }

  contents(): SourceContents {
    const tables = [...this.#tables].map(([name, columns]) => ({ name, columns }));
    const cluster: Partial<Record<ClusterTable, readonly ClusterRow[]>> = {};
    const beyond: Partial<Record<ClusterTable, number>> = {};
    for (const name of Object.keys(clusterTables)) {
      const table = isClusterTable(name) ? this.#clusterTable(name) : undefined;
      if (!isClusterTable(name) || table === undefined) continue;
      const rows = this.#clusterRows(name, table);
      cluster[name] = rows;
      if (rows.length === mostClusterRows) beyond[name] = this.count(table) - mostClusterRows;
    }
    return { tables, cluster, beyond };
  }

  count(table: string): number {
    return Number(this.#database.prepare(`select count(*) as n from ${quoted(table)}`).get()?.n ?? 0);
  }

  /** About the number of rows, without reading them. */
  highestRow(table: string): number {
    return Number(this.#database.prepare(`select max(rowid) as n from ${quoted(table)}`).get()?.n ?? 0);
  }

  /** The rows of a query as cells; SQL of this program only. */
  *rows(columns: readonly string[], table: string, rest: string): Generator<Cells> {
    const statement = this.#database.prepare(`select ${columns.join(', ')} from ${quoted(table)} ${rest}`);
    statement.setReturnArrays(true);
    for (const row of statement.iterate()) yield Array.isArray(row) ? row : Object.values(row);
  }

  #clusterTable(name: ClusterTable): string | undefined {
    return clusterTables[name].names.find((candidate) => this.#tables.has(candidate));
  }

  #clusterRows(name: ClusterTable, table: string): ClusterRow[] {
    const { columns } = clusterTables[name];
    const there = this.columnsOf(table) ?? [];
    const selected = columns.map((column) => {
      const actual = column === unitColumn ? this.unitColumnOf(table) : there.find((other) => other === column);
      return `${actual === undefined ? 'null' : textOf(actual)} as ${column}`;
    });
    return this.#database
      .prepare(`select ${selected.join(', ')} from ${quoted(table)} order by rowid limit ${mostClusterRows}`)
      .all()
      .map((row) => {
        const cells = Object.entries(row);
        const fault = cells.find(([key, value]) => textFaults.has(value) && !key.startsWith('model_'));
        const reason = fault === undefined ? null : `${fault[0]}: ${textFaults.get(fault[1])}`;
        return { ...Object.fromEntries(cells.map(([key, value]) => [key, textIn(value)])), [faultColumn]: reason };
      });
  }
}

const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const isClusterTable = (name: string): name is ClusterTable => Object.hasOwn(clusterTables, name);

/** Ordinary tables with their columns: a view may compute for ever, and a virtual table runs code. */
function tablesOf(database: DatabaseSync): ReadonlyMap<string, readonly string[]> {
  const found = database
    .prepare(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'
        and rootpage > 0 limit ${mostTables}`,
    )
    .all();
  const columns = database.prepare(`select name from pragma_table_info(?) limit ${mostTables}`);
  return new Map(
    found.map(({ name }) => [String(name), columns.all(String(name)).map((column) => String(column.name))] as const),
  );
}
