import { createHash } from 'node:crypto';
import { identifier, literal } from './identifier.ts';
import type { PostgresConnection } from './postgres-connection.ts';

/** The schema of the public views of a store. */
export const viewsSchema = (schema: string): string => `${schema}_views`;

/** Views for SQL that people write. `store` is the name of the schema of the tables, as SQL writes it. */
export type PublicViews = (store: string) => string;

/**
 * The public views are no part of the migrations: those change tables, which PostgreSQL refuses while views read them. They are removed
 * before, and made again afterwards, or when their text has changed.
 */
export class ViewsOfStore {
  readonly #name: string;
  readonly #script: string;
  readonly #fingerprint: string;

  constructor(schema: string, views: PublicViews) {
    this.#name = viewsSchema(schema);
    this.#script = views(identifier(schema));
    this.#fingerprint = createHash('sha256').update(this.#script, 'utf8').digest('hex');
  }

  /** Whether the database has them in this form. */
  async arePresent(connection: PostgresConnection): Promise<boolean> {
    const text = `select obj_description(oid, 'pg_namespace') as fingerprint from pg_namespace where nspname = $1`;
    const { rows } = await connection.run({ text, values: [this.#name] });
    return rows[0]?.fingerprint === this.#fingerprint;
  }

  async remove(connection: PostgresConnection): Promise<void> {
    await connection.script(`drop schema if exists ${identifier(this.#name)} cascade`);
  }

  /** Inside a transaction; the search path is that of the views afterwards, until its end. */
  async make(connection: PostgresConnection): Promise<void> {
    const name = identifier(this.#name);
    await connection.script(`create schema ${name}; set local search_path = ${name}, sqlite; ${this.#script};
      comment on schema ${name} is ${literal(this.#fingerprint)}`);
  }
}
