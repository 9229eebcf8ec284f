import type { AppliedMigration } from '../migrations.ts';
import { arrayLiteral } from '../postgres/array-literal.ts';
import { identifier } from '../postgres/identifier.ts';
import { appliedMigrations } from '../postgres/migrate-postgres.ts';
import type { PostgresConnection } from '../postgres/postgres-connection.ts';
import type { MoveTarget, PageStart } from './move-end.ts';
import { MoveRefused } from './move-refused.ts';
import { type ColumnType, keyOf, type MovedRow, type MovedTable, movedRow } from './moved-table.ts';
import { columnsOf, keyColumns, pageSql } from './page-sql.ts';

const types: ReadonlyMap<string, ColumnType> = new Map([
  ['bigint', 'integer'],
  ['double precision', 'real'],
  ['text', 'text'],
  ['bytea', 'blob'],
]);
const typeNames: Readonly<Record<ColumnType, string>> = {
  integer: 'bigint',
  real: 'double precision',
  text: 'text',
  blob: 'bytea',
};

interface Numbered {
  readonly table: string;
  readonly column: string;
  readonly sequence: string;
}

/** A store in a schema of PostgreSQL, over a connection that nobody else uses. */
export class PostgresMoveEnd implements MoveTarget {
  readonly #connection: PostgresConnection;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
  }

  async tables(): Promise<readonly MovedTable[]> {
    const columns = await this.#rows(`
      select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type,
        coalesce(array_position(i.indkey::int[], a.attnum::int), -1) + 1 as place
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_index i on i.indrelid = c.oid and i.indisprimary
      where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace
        and c.relname <> 'schema_migrations'
      order by 1, a.attnum`);
    const references = await this.#rows(`
      select t.relname as "table", f.relname as parent
      from pg_constraint k join pg_class t on t.oid = k.conrelid join pg_class f on f.oid = k.confrelid
      where k.contype = 'f' and t.relnamespace = current_schema()::regnamespace`);
    const tables = Map.groupBy(columns, ({ table }) => String(table));
    return [...tables].map(([name, own]) => ({
      name,
      columns: own.map((column) => ({ name: String(column.name), type: typeOf(String(column.type)) })),
      key: keyColumns(own.map((column) => ({ name: String(column.name), place: Number(column.place) }))),
      parents: references.filter(({ table }) => table === name).map(({ parent }) => String(parent)),
    }));
  }

  async applied(): Promise<readonly AppliedMigration[] | undefined> {
    const [found] = await this.#rows(`select to_regclass('schema_migrations') is not null as is_store`);
    return found?.is_store === 1 ? appliedMigrations(this.#connection) : undefined;
  }

  async count({ name }: MovedTable): Promise<number> {
    const [row] = await this.#rows(`select count(*) as n from ${identifier(name)}`);
    return Number(row?.n);
  }

  async page(table: MovedTable, limit: number, from?: PageStart): Promise<readonly MovedRow[]> {
    const places = table.key.map((name, at) => {
      const type = table.columns.find((column) => column.name === name)?.type ?? 'text';
      return `$${at + 1}::${typeNames[type]}`;
    });
    const { rows } = await this.#connection.run({
      text: pageSql(table, limit, from, places),
      values: from?.key ?? [],
    });
    return rows.map((row) => movedRow(table, row));
  }

  async lastRow(table: MovedTable): Promise<MovedRow | undefined> {
    const order = table.key.map((name) => `${identifier(name)} desc`).join(', ');
    const [row] = await this.#rows(
      `select ${columnsOf(table)} from ${identifier(table.name)} order by ${order} limit 1`,
    );
    return row && movedRow(table, row);
  }

  async insert(table: MovedTable, rows: readonly MovedRow[]): Promise<void> {
    refuseNullCharacters(table, rows);
    const arrays = table.columns.map(({ type }, at) => `$${at + 1}::${typeNames[type]}[]`);
    await this.#connection.run({
      text: `insert into ${identifier(table.name)} (${columnsOf(table)}) select * from unnest(${arrays.join(', ')})`,
      values: table.columns.map((_, at) => arrayLiteral(rows.map((row) => row[at] ?? null))),
    });
  }

  async assignedNumbers(): Promise<ReadonlyMap<string, number>> {
    const numbers = new Map<string, number>();
    for (const { table, sequence } of await this.#numbered()) {
      const [row] = await this.#rows(`select last_value, is_called from ${sequence}`);
      if (row?.is_called === 1) numbers.set(table, Number(row.last_value));
    }
    return numbers;
  }

  async setAssignedNumbers(numbers: ReadonlyMap<string, number>): Promise<void> {
    for (const { table, column, sequence } of await this.#numbered()) {
      const [row] = await this.#rows(`select max(${identifier(column)}) as highest from ${identifier(table)}`);
      const number = Math.max(numbers.get(table) ?? 0, Number(row?.highest ?? 0));
      if (number > 0)
        await this.#connection.run({
          text: 'select setval($1::text::regclass, $2::bigint)',
          values: [sequence, BigInt(number)],
        });
    }
  }

  close(): void {
    this.#connection.close();
  }

  async #numbered(): Promise<readonly Numbered[]> {
    const rows = await this.#rows(`
      select c.relname as "table", a.attname as "column",
        pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attidentity <> ''
      where c.relnamespace = current_schema()::regnamespace order by 1`);
    return rows.map((row) => ({
      table: String(row.table),
      column: String(row.column),
      sequence: String(row.sequence),
    }));
  }

  async #rows(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await this.#connection.run({ text, values: [] })).rows;
  }
}

/** PostgreSQL has no U+0000 in texts. @throws MoveRefused */
function refuseNullCharacters(table: MovedTable, rows: readonly MovedRow[]): void {
  const row = rows.find((values) => values.some((value) => typeof value === 'string' && value.includes('\0')));
  if (row === undefined) return;
  throw new MoveRefused(
    `A text in the table ${table.name} has the character U+0000, which PostgreSQL cannot store (row ${JSON.stringify(keyOf(table, row))}).`,
    'Remove the character from that text in the source, then start the same command again: it continues.',
  );
}

function typeOf(type: string): ColumnType {
  const known = types.get(type);
  if (known === undefined) throw new TypeError(`A column has the type ${type}, which stores do not have.`);
  return known;
}
