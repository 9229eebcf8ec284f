import { DefaultQueryExecutor, type Dialect, type Driver, SingleConnectionProvider, Transaction } from 'kysely';
import { toSqlValues } from './bindings.ts';
import { connectionOver, dialectOver } from './dialect.ts';
import type { StatementResult } from './statement-cache.ts';
import { StoreError } from './store-error.ts';
import type { WriterLink } from './writer-link.ts';

const noRows: StatementResult = { rows: [], changes: 0, lastInsertRowid: 0 };

/** One command's transaction in the writer: begin, queries, then one commit or rollback. */
export class WriteTransaction<Schema> {
  readonly #link: WriterLink;
  readonly #number: number;
  #state: 'new' | 'open' | 'ended' = 'new';
  #refusal = new StoreError('transaction_ended', 'The transaction has ended.');

  constructor(link: WriterLink, number: number) {
    this.#link = link;
    this.#number = number;
  }

  async begin(): Promise<void> {
    await this.#link.request({ type: 'begin', transaction: this.#number });
    this.#state = 'open';
  }

  /** The argument of the work; unusable after the end of this transaction. */
  kysely(): Transaction<Schema> {
    const dialect: Dialect = dialectOver((query) => this.#query(query.sql, query.parameters));
    const driver: Driver = dialect.createDriver();
    const connection = connectionOver((query) => this.#query(query.sql, query.parameters));
    const executor = new DefaultQueryExecutor(
      dialect.createQueryCompiler(),
      dialect.createAdapter(),
      new SingleConnectionProvider(connection),
    );
    return new Transaction<Schema>({ config: { dialect }, dialect, driver, executor });
  }

  /** Rejects all further queries with `refusal`; the transaction must then be rolled back. */
  refuse(refusal: StoreError): void {
    this.#refusal = refusal;
    this.#state = 'ended';
  }

  async commit(): Promise<void> {
    this.#state = 'ended';
    await this.#link.request({ type: 'commit', transaction: this.#number });
  }

  async rollback(): Promise<void> {
    this.#state = 'ended';
    await this.#link.request({ type: 'rollback', transaction: this.#number });
  }

  async #query(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    const values = toSqlValues(parameters);
    if (this.#state !== 'open') throw this.#refusal;
    const result = await this.#link.request({ type: 'query', transaction: this.#number, sql, values });
    return result ?? noRows;
  }
}
