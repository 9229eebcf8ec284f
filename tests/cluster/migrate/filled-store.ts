import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
  /** Values that the table allows; empty: any. */
  readonly allowed: readonly string[];
  readonly isKey: boolean;
  /** Values of the rows that it refers to. */
  readonly parents: readonly SQLInputValue[];
}

const rowsPerTable = 40;

/** Everything that a text may have. */
const text = (row: number) => `${row} ä😀"\\{},'\n\t${'x'.repeat(row)}`;

function valueIn({ type, allowed, isKey, parents }: Column, row: number): SQLInputValue {
  const [first] = allowed;
  const parent = parents[(row - 1) % Math.max(1, parents.length)];
  if (parent !== undefined) return typeof parent === 'number' ? BigInt(parent) : parent;
  if (first !== undefined) return /^\d+$/.test(first) ? BigInt(first) : first;
  switch (type) {
    case 'INTEGER':
      return BigInt(row);
    case 'REAL':
      return row / 7;
    case 'BLOB':
      return Uint8Array.from([0, 255, row]);
    default:
      return isKey ? `key ${row}` : text(row);
  }
}

function allowedIn(sql: string, column: string): readonly string[] {
  const list = new RegExp(`check \\(${column} (?:in \\(|= )([^)]*)\\)`).exec(sql)?.[1];
  return list?.split(',').map((one) => one.trim().replaceAll("'", '')) ?? [];
}

const textsOf = (rows: readonly Record<string, unknown>[], key: string) => rows.map((row) => String(row[key]));

/** Tables of people, without those of the text search. */
export const tablesOf = (database: DatabaseSync): readonly string[] =>
  textsOf(
    database
      .prepare(
        `select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite\\_%' escape '\\'
          and name <> 'schema_migrations' order by name`,
      )
      .all(),
    'name',
  );

interface Reference {
  readonly column: string;
  readonly parent: string;
  readonly key: string;
}

const referencesOf = (database: DatabaseSync, table: string): readonly Reference[] =>
  database
    .prepare('select "from" as own, "table" as parent, "to" as key from pragma_foreign_key_list(?)')
    .all(table)
    .map(({ own, parent, key }) => ({ column: String(own), parent: String(parent), key: String(key) }));

function columnsOf(database: DatabaseSync, table: string): readonly Column[] {
  const sql = String(database.prepare('select sql from sqlite_schema where name = ?').get(table)?.sql);
  const references = referencesOf(database, table);
  return database
    .prepare('select name, type, "notnull" as is_set, pk from pragma_table_info(?)')
    .all(table)
    .map(({ name, type, is_set, pk }) => {
      const reference = references.find(({ column }) => column === name);
      const rows = reference && database.prepare(`select "${reference.key}" as value from "${reference.parent}"`).all();
      return {
        name: String(name),
        type: String(type),
        isNullable: is_set === 0 && pk === 0,
        allowed: allowedIn(sql, String(name)),
        isKey: Number(pk) > 0,
        parents: rows?.map(({ value }) => value ?? null) ?? [],
      };
    });
}

/** Rows with and without the values that may be missing, as the rules of each table allow. */
function fillTable(database: DatabaseSync, table: string): void {
  const columns = columnsOf(database, table);
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const insert = database.prepare(
    `insert or ignore into "${table}" (${names}) values (${columns.map(() => '?').join(', ')})`,
  );
  for (let row = 1; row <= rowsPerTable; row += 1) {
    const isSparse = row % 2 === 0;
    insert.run(...columns.map((column) => (isSparse && column.isNullable ? null : valueIn(column, row))));
  }
}

/** Parents before children. */
function inOrder(database: DatabaseSync): readonly string[] {
  const ordered: string[] = [];
  const add = (table: string) => {
    if (ordered.includes(table)) return;
    for (const { parent } of referencesOf(database, table)) add(parent);
    ordered.push(table);
  };
  for (const table of tablesOf(database)) add(table);
  return ordered;
}

/** Puts rows into every table of a store. */
export function fillStore(path: string): void {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: true });
  try {
    database.exec('begin');
    for (const table of inOrder(database)) fillTable(database, table);
    database.exec('commit');
  } finally {
    database.close();
  }
}
