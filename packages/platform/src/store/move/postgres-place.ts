import { identifier } from '../postgres/identifier.ts';
import { migratePostgres } from '../postgres/migrate-postgres.ts';
import { PostgresConnection } from '../postgres/postgres-connection.ts';
import { reserveStore } from '../postgres/store-use.ts';
import { MoveRefused } from './move-refused.ts';
import { PostgresMoveEnd } from './postgres-move-end.ts';
import type { NamedStore, PlaceTools, SourcePlace, TargetPlace } from './stores-of-place.ts';

/** Of a store that is not complete. */
const movingSchema = (schema: string): string => `${schema}_moving`;

interface Connections {
  readonly all: readonly PostgresConnection[];
  close(): void;
}

/** A connection for each schema. @throws StoreError */
async function connect(url: string, schemas: readonly string[], readOnly: boolean): Promise<Connections> {
  const all: PostgresConnection[] = [];
  const close = () => {
    for (const connection of all) connection.close();
  };
  try {
    for (const schema of schemas) all.push(await PostgresConnection.open({ url, schema, readOnly }));
  } catch (error) {
    close();
    throw error;
  }
  return { all, close };
}

/** @throws MoveRefused when a leader uses a store */
async function reserve(connections: readonly PostgresConnection[], stores: readonly NamedStore[]): Promise<void> {
  for (const [at, { schema }] of stores.entries()) {
    const connection = connections[at];
    if (connection === undefined || (await reserveStore(connection, schema))) continue;
    throw new MoveRefused(
      'A leader, or another move, uses the store in this database.',
      'Stop the leader, then start the move again.',
    );
  }
}

/** @throws MoveRefused; StoreError */
export async function openPostgresSource(url: string, stores: readonly NamedStore[]): Promise<SourcePlace> {
  const schemas = stores.map(({ schema }) => schema);
  const connections = await connect(url, schemas, true);
  try {
    await reserve(connections.all, stores);
    return { stores: connections.all.map((one) => new PostgresMoveEnd(one)), close: connections.close };
  } catch (error) {
    connections.close();
    throw error;
  }
}

async function hasTables(connection: PostgresConnection, schema: string): Promise<boolean> {
  const text = 'select 1 as one from pg_class where relnamespace = to_regnamespace($1) limit 1';
  return (await connection.run({ text, values: [identifier(schema)] })).rows.length > 0;
}

/** @throws MoveRefused when a store is there, or a leader uses it; StoreError */
export async function openPostgresTarget(
  url: string,
  stores: readonly NamedStore[],
  { nowMs, log }: PlaceTools,
): Promise<TargetPlace> {
  const schemas = stores.map(({ schema }) => movingSchema(schema));
  const connections = await connect(url, schemas, false);
  const [first] = connections.all;
  try {
    await reserve(connections.all, stores);
    for (const { schema, migrations } of stores) {
      if (first && (await hasTables(first, schema)))
        throw new MoveRefused(
          `The target has data: the schema ${schema} of this database.`,
          'Choose another database, or remove its schemas lcs and lcs_audit if nobody needs them.',
        );
      await migratePostgres({ url, schema: movingSchema(schema), migrations, nowMs, log });
    }
    // What is lost with the power is copied again.
    for (const connection of connections.all) await connection.script('set synchronous_commit = off');
  } catch (error) {
    connections.close();
    throw error;
  }
  return {
    stores: connections.all.map((connection) => new PostgresMoveEnd(connection)),
    finish: async () => {
      for (const connection of connections.all) await connection.script('analyze');
      const renames = stores.map(
        ({ schema }) =>
          `drop schema if exists ${identifier(schema)}; alter schema ${identifier(movingSchema(schema))} rename to ${identifier(schema)};`,
      );
      await first?.script(`begin; set local synchronous_commit = on; ${renames.join(' ')} commit`);
    },
    close: connections.close,
  };
}
