import type { SqlReader, SqlStatement } from '../sql-reader.ts';
import { foreignQuery } from './foreign-query.ts';
import { PostgresSqlReader } from './postgres-sql-reader.ts';
import { viewsSchema } from './public-views.ts';

/** Bytes of one row of a query that a person wrote; it may create values of any length. */
const longestRow = 16 * 1024 * 1024;

export interface ViewsPlace {
  readonly url: string;
  readonly schema: string;
  /** The server ends a statement that runs longer. */
  readonly statementLimitMs: number;
}

/** Reads the public views, and tables as `main.…`, in one snapshot that is taken when it is opened. */
export class ViewsReader {
  readonly database: SqlReader;
  readonly #reader: PostgresSqlReader;
  #schemas: ReadonlySet<string> | undefined;

  private constructor(reader: PostgresSqlReader) {
    this.database = reader;
    this.#reader = reader;
  }

  /** @throws StoreError connection_lost */
  static open({ url, schema, statementLimitMs }: ViewsPlace): ViewsReader {
    const reader = new PostgresSqlReader({ url, schema, views: viewsSchema(schema), statementLimitMs });
    reader.exec('begin');
    return new ViewsReader(reader);
  }

  /**
   * Prepares a statement about the rows of a query that a person wrote. `around` has that query as its argument.
   * @throws StoreError query_failed when it is not valid, or reads anything but the public views
   */
  prepareForeign(query: string, around: (relation: string) => string): SqlStatement {
    this.#schemas ??= this.#allSchemas();
    const confined = foreignQuery(query, this.#schemas);
    const limited = `(select * from (${confined}) foreign_rows where within_length(pg_column_size(foreign_rows.*), ${longestRow}))`;
    const statement = this.#reader.prepareFallible(around(limited));
    // Now, so that an invalid one is found before anything is read.
    statement.columns();
    return statement;
  }

  close(): void {
    this.#reader.close();
  }

  #allSchemas(): ReadonlySet<string> {
    const rows = this.#reader.prepare('select nspname as name from pg_namespace').all();
    return new Set(rows.map(({ name }) => String(name)));
  }
}
