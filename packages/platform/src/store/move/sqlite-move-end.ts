import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { appliedMigrations, hasTable } from '../migrate.ts';
import type { AppliedMigration } from '../migrations.ts';
import { identifier } from '../postgres/identifier.ts';
import type { MoveTarget, PageStart } from './move-end.ts';
import { type ColumnType, type MovedRow, type MovedTable, movedRow } from './moved-table.ts';
import { columnsOf, keyColumns, pageSql } from './page-sql.ts';

const types: ReadonlyMap<string, ColumnType> = new Map([
  ['INTEGER', 'integer'],
  ['REAL', 'real'],
  ['TEXT', 'text'],
  ['BLOB', 'blob'],
]);

/** A store in a file of SQLite, over a connection that nobody else uses. */
export class SqliteMoveEnd implements MoveTarget {
  readonly #connection: DatabaseSync;

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  async tables(): Promise<readonly MovedTable[]> {
    // Those of the text search belong to it; triggers fill them.
    const names = this.#connection
      .prepare(
        `select name from pragma_table_list where schema = 'main' and type = 'table'
          and name not like 'sqlite\\_%' escape '\\' and name <> 'schema_migrations'`,
      )
      .all();
    return names.map(({ name }) => this.#table(String(name)));
  }

  async applied(): Promise<readonly AppliedMigration[] | undefined> {
    const applied = appliedMigrations(this.#connection);
    return applied.length === 0 ? undefined : applied;
  }

  async count({ name }: MovedTable): Promise<number> {
    return Number(this.#connection.prepare(`select count(*) as n from ${identifier(name)}`).get()?.n);
  }

  async page(table: MovedTable, limit: number, from?: PageStart): Promise<readonly MovedRow[]> {
    // What is sent to the other side is on its way before this thread reads.
    await turnOfEventLoop();
    const statement = this.#connection.prepare(
      pageSql(
        table,
        limit,
        from,
        table.key.map(() => '?'),
      ),
    );
    return statement.all(...(from?.key ?? [])).map((row) => movedRow(table, row));
  }

  async lastRow(table: MovedTable): Promise<MovedRow | undefined> {
    const order = table.key.map((name) => `${identifier(name)} desc`).join(', ');
    const row = this.#connection
      .prepare(`select ${columnsOf(table)} from ${identifier(table.name)} order by ${order} limit 1`)
      .get();
    return row && movedRow(table, row);
  }

  async insert(table: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    const places = table.columns.map(() => '?').join(', ');
    const insert = this.#connection.prepare(
      `insert into ${identifier(table.name)} (${columnsOf(table)}) values (${places})`,
    );
    const isWhole = table.columns.map(({ type }) => type === 'integer');
    this.#connection.exec('begin immediate');
    try {
      for (const row of rows)
        insert.run(
          ...row.map((value, at): SQLInputValue => (isWhole[at] && typeof value === 'number' ? BigInt(value) : value)),
        );
      this.#connection.exec('commit');
    } catch (error) {
      this.#connection.exec('rollback');
      throw error;
    }
  }

  async assignedNumbers(): Promise<ReadonlyMap<string, number>> {
    if (!hasTable(this.#connection, 'sqlite_sequence')) return new Map();
    const rows = this.#connection.prepare('select name, seq from sqlite_sequence').all();
    return new Map(rows.map(({ name, seq }) => [String(name), Number(seq)]));
  }

  /** SQLite keeps those of the tables with `autoincrement`; others continue behind their highest row. */
  async setAssignedNumbers(numbers: ReadonlyMap<string, number>): Promise<void> {
    const tables = this.#connection
      .prepare(`select name from sqlite_schema where type = 'table' and sql like '%autoincrement%'`)
      .all();
    if (tables.length === 0) return;
    const remove = this.#connection.prepare('delete from sqlite_sequence where name = ?');
    const insert = this.#connection.prepare('insert into sqlite_sequence (name, seq) values (?, ?)');
    for (const { name } of tables) {
      const number = numbers.get(String(name));
      if (number === undefined) continue;
      remove.run(String(name));
      insert.run(String(name), BigInt(number));
    }
  }

  close(): void {
    this.#connection.close();
  }

  #table(name: string): MovedTable {
    const columns = this.#connection.prepare('select name, type, pk from pragma_table_info(?) order by cid').all(name);
    const parents = this.#connection.prepare('select "table" as parent from pragma_foreign_key_list(?)').all(name);
    return {
      name,
      columns: columns.map((column) => ({ name: String(column.name), type: typeOf(String(column.type)) })),
      key: keyColumns(columns.map((column) => ({ name: String(column.name), place: Number(column.pk) }))),
      parents: parents.map(({ parent }) => String(parent)),
    };
  }
}

function typeOf(type: string): ColumnType {
  const known = types.get(type.toUpperCase());
  if (known === undefined) throw new TypeError(`A column has the type ${type}, which stores do not have.`);
  return known;
}
