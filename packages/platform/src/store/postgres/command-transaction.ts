import { DefaultQueryExecutor, SingleConnectionProvider, Transaction } from 'kysely';
import { toSqlValues } from '../bindings.ts';
import { connectionOver, dialectOver, type QueryRunner } from '../dialect.ts';
import type { StatementResult } from '../statement-cache.ts';
import { StoreError } from '../store-error.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { StatementTranslator } from './translated-statement.ts';

const undone = (cause?: unknown): StoreError =>
  new StoreError('transaction_rolled_back', 'The transaction was rolled back because of an earlier failure.', {
    cause,
  });

/** The queries of one command. A change that is refused is undone alone; a failed read ends the transaction. */
export class CommandTransaction<Schema> {
  readonly #connection: PostgresConnection;
  readonly #translator: StatementTranslator;
  #refusal: StoreError | undefined;
  #hasSavepoint = false;

  constructor(connection: PostgresConnection, translator: StatementTranslator) {
    this.#connection = connection;
    this.#translator = translator;
  }

  kysely(): Transaction<Schema> {
    const run: QueryRunner = ({ sql, parameters }) => this.#query(sql, parameters);
    const dialect = dialectOver(run);
    const executor = new DefaultQueryExecutor(
      dialect.createQueryCompiler(),
      dialect.createAdapter(),
      new SingleConnectionProvider(connectionOver(run)),
    );
    return new Transaction<Schema>({ config: { dialect }, dialect, driver: dialect.createDriver(), executor });
  }

  /** Rejects all further queries with `refusal`. */
  refuse(refusal: StoreError): void {
    this.#refusal ??= refusal;
  }

  /** @throws StoreError when an earlier failure has ended the transaction */
  end(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
    this.#refusal = new StoreError('transaction_ended', 'The transaction has ended.');
  }

  async #query(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    const values = toSqlValues(parameters);
    if (this.#refusal !== undefined) throw this.#refusal;
    const translated = this.#translator.translate(sql);
    const bound = translated.bind(values);
    if (!translated.writes) {
      try {
        return await this.#connection.run(bound);
      } catch (error) {
        // A value that cannot be a number is found here, not by the server: the transaction continues.
        if (!(error instanceof StoreError && error.code === 'number_too_large')) this.refuse(undone(error));
        throw error;
      }
    }
    return this.#change(() => this.#connection.run(bound));
  }

  async #change(run: () => Promise<StatementResult>): Promise<StatementResult> {
    // Both are on their way before the first is answered.
    const saved = this.#connection.script(this.#hasSavepoint ? 'release change; savepoint change' : 'savepoint change');
    this.#hasSavepoint = true;
    const changed = run();
    const [savepoint, change] = await Promise.allSettled([saved, changed]);
    if (savepoint.status === 'rejected') {
      this.refuse(undone(savepoint.reason));
      throw savepoint.reason;
    }
    if (change.status === 'fulfilled') return change.value;
    await this.#connection.script('rollback to change').catch((error: unknown) => this.refuse(undone(error)));
    throw change.reason;
  }
}
