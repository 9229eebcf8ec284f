import type { SQLInputValue } from 'node:sqlite';
import { toSqlValues } from '../bindings.ts';
import type { BulkStatement } from '../database.ts';
import { arrayLiteral } from './array-literal.ts';
import { identifier } from './identifier.ts';
import { type InsertShape, insertShape } from './insert-shape.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { StatementTranslator } from './translated-statement.ts';

/** Rows that are sent as one statement, or as statements without waiting for their answers. */
export const rowsPerStep = 1_000;

type Row = readonly SQLInputValue[];

interface Insert {
  readonly text: string;
  readonly places: readonly number[];
  /** Places of the values that decide about conflicts. */
  readonly keys: readonly number[] | undefined;
}

/** Writes rows of bulk statements: those of a plain insert together, others one by one. */
export class BulkRows {
  readonly #translator: StatementTranslator;
  readonly #inserts = new Map<string, Insert | undefined>();

  constructor(translator: StatementTranslator) {
    this.#translator = translator;
  }

  /** Writes some rows of a statement, inside a transaction. After an error the transaction must return to an earlier savepoint. */
  async run(connection: PostgresConnection, statement: BulkStatement, rows: readonly Row[]): Promise<void> {
    const insert = rows.length > 1 ? await this.#insertOf(connection, statement.sql) : undefined;
    if (insert === undefined) return this.#oneByOne(connection, statement, rows);
    if (statement.otherwise === undefined) {
      await this.#together(connection, insert, rows);
      return;
    }
    await connection.script('savepoint together');
    if ((await this.#together(connection, insert, rows)) === rows.length) return;
    // Some rows changed nothing; which ones, only single statements tell.
    await connection.script('rollback to together');
    await this.#oneByOne(connection, statement, rows);
  }

  async #together(connection: PostgresConnection, insert: Insert, rows: readonly Row[]): Promise<number> {
    let changes = 0;
    for (const round of roundsOf(rows, insert.keys)) {
      const columns = insert.places.map((place) => arrayLiteral(round.map((row) => row[place] ?? null)));
      changes += (await connection.run({ text: insert.text, values: columns })).changes;
    }
    return changes;
  }

  async #oneByOne(connection: PostgresConnection, statement: BulkStatement, rows: readonly Row[]): Promise<void> {
    const { sql, otherwise = [] } = statement;
    const translated = this.#translator.translate(sql);
    if (otherwise.length === 0) {
      await allDone(rows.map((row) => connection.run(translated.bind(row))));
      return;
    }
    const others = otherwise.map((other) => this.#translator.translate(other));
    for (const row of rows) {
      const { changes } = await connection.run(translated.bind(row));
      if (changes > 0) continue;
      await allDone(others.map((other) => connection.run(other.bind(row))));
    }
  }

  /** The statement that inserts many rows; undefined for one that is no plain insert. */
  async #insertOf(connection: PostgresConnection, sql: string): Promise<Insert | undefined> {
    if (this.#inserts.has(sql)) return this.#inserts.get(sql);
    const shape = insertShape(sql);
    const insert = shape === undefined ? undefined : await this.#manyRows(connection, shape);
    this.#inserts.set(sql, insert);
    return insert;
  }

  async #manyRows(connection: PostgresConnection, shape: InsertShape): Promise<Insert | undefined> {
    const { rows } = await connection.run({
      text: `select attname as name, format_type(atttypid, null) as type from pg_attribute
        where attrelid = to_regclass($1) and attnum > 0 and not attisdropped`,
      values: [identifier(shape.table)],
    });
    const types = new Map(rows.map(({ name, type }) => [String(name), String(type)]));
    if (!shape.columns.every((column) => types.has(column))) return undefined;
    const arrays = shape.columns.map((column, at) => `$${at + 1}::${types.get(column)}[]`);
    const rest = this.#translator.translate(shape.rest).bind([]).text;
    const keys = shape.conflict?.map((column) => shape.places[shape.columns.indexOf(column)] ?? -1);
    return {
      text: `insert into ${identifier(shape.table)} (${shape.columns.map(identifier).join(', ')})
        select * from unnest(${arrays.join(', ')}) ${rest}`,
      places: shape.places,
      keys: keys?.includes(-1) ? undefined : keys,
    };
  }
}

/** The rows of a step with their values as the database takes them. @throws StoreError value_refused */
export const valuesOf = (rows: BulkStatement['rows']): readonly Row[] => rows.map(toSqlValues);

/** PostgreSQL refuses to change one row twice in one statement: each round has each key once. */
function roundsOf(rows: readonly Row[], keys: readonly number[] | undefined): readonly (readonly Row[])[] {
  if (keys === undefined) return [rows];
  const seen = new Map<string, number>();
  const rounds: Row[][] = [];
  for (const row of rows) {
    const key = keys.map((place) => String(row[place])).join('\0');
    const round = seen.get(key) ?? 0;
    seen.set(key, round + 1);
    const others = rounds[round];
    if (others === undefined) rounds.push([row]);
    else others.push(row);
  }
  return rounds;
}

/** Waits for all, also after a failure: the statements behind it fail, too. */
async function allDone(all: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(all);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
