import { DesiredReport, DesiredState, DesiredStop } from '@lcs/contract';
import type { Database } from '@lcs/platform';
import type { Transaction } from 'kysely';
import { type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { checksum } from './desired-content.ts';
import type {
  DesiredMemory,
  DesiredParts,
  DesiredStore,
  EffectiveDocuments,
  StopOutcome,
  StoredDesired,
  StoredStop,
} from './desired-store.ts';
import type { DesiredTables } from './desired-tables.ts';

/** The part of `Database` that is needed; satisfied by one of any schema that includes `DesiredTables`. */
export type DesiredDatabase = Pick<Database<DesiredTables>, 'read' | 'write'>;

/** The number of executed orders that are kept, so that none is executed twice. */
const rememberedStops = 1_000;

const parts = DesiredReport.properties.parts;
const { ended, still_running } = DesiredReport.properties.stopped.items.properties;
const Outcome = Type.Object({ ended, still_running });
const FileState = Type.Object({ version: Type.Integer(), sha256: Type.String() });
const InForceShape = Type.Object({
  experiment: DesiredState.properties.experiment,
  active: Type.Boolean(),
  model: DesiredState.properties.model,
  config: Type.Object({ shared: FileState, own: FileState }),
});

/** Parses JSON of this program; undefined when it is invalid. */
function read<Schema extends TSchema>(schema: Schema, text: string) {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(schema, value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The memory in the unit's own database. */
export class SqlDesiredStore implements DesiredStore {
  readonly #database: DesiredDatabase;

  constructor(database: DesiredDatabase) {
    this.#database = database;
  }

  async load(): Promise<DesiredMemory> {
    const { read: database } = this.#database;
    const inForce = await database.selectFrom('desired_in_force').select('value').executeTakeFirst();
    const stops = await database.selectFrom('desired_stops').selectAll().orderBy('position').execute();
    return {
      desired: await this.#document(),
      effective: inForce && read(InForceShape, inForce.value),
      stops: stops.flatMap(({ stop_order, version, outcome }): StoredStop[] => {
        const order = read(DesiredStop, stop_order);
        if (order === undefined) return [];
        return [{ order, version, outcome: (outcome === null ? undefined : read(Outcome, outcome)) ?? null }];
      }),
    };
  }

  async accept(document: DesiredState, newStops: readonly DesiredStop[], inForce: EffectiveDocuments): Promise<void> {
    const text = JSON.stringify(document);
    const row = { document: text, sha256: checksum(text), applied_at_ms: null, parts: null };
    await this.#database.write(async (transaction) => {
      await transaction
        .insertInto('desired_document')
        .values({ id: 1, ...row })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute();
      for (const order of newStops) {
        const { version } = document;
        const values = { stop_id: order.stop_id, version, stop_order: JSON.stringify(order), outcome: null };
        await transaction.insertInto('desired_stops').values(values).execute();
      }
      await saveInForce(transaction, inForce);
      await forgetOldStops(
        transaction,
        document.stop.map(({ stop_id }) => stop_id),
      );
    });
  }

  async stopDone(stopId: string, outcome: StopOutcome): Promise<void> {
    await this.#database.write((transaction) =>
      transaction
        .updateTable('desired_stops')
        .set({ outcome: JSON.stringify(outcome) })
        .where('stop_id', '=', stopId)
        .execute(),
    );
  }

  async applied(atMs: number, done: DesiredParts, inForce: EffectiveDocuments): Promise<void> {
    await this.#database.write(async (transaction) => {
      const change = { applied_at_ms: atMs, parts: JSON.stringify(done) };
      await transaction.updateTable('desired_document').set(change).execute();
      await saveInForce(transaction, inForce);
    });
  }

  async forget(inForce: EffectiveDocuments): Promise<void> {
    await this.#database.write(async (transaction) => {
      await transaction.deleteFrom('desired_document').execute();
      await transaction.deleteFrom('desired_stops').execute();
      await saveInForce(transaction, inForce);
    });
  }

  async #document(): Promise<StoredDesired | 'damaged' | undefined> {
    const row = await this.#database.read.selectFrom('desired_document').selectAll().executeTakeFirst();
    if (row === undefined) return undefined;
    const document = checksum(row.document) === row.sha256 ? read(DesiredState, row.document) : undefined;
    if (document === undefined) return 'damaged';
    const done = row.parts === null ? undefined : read(parts, row.parts);
    const applied =
      done === undefined || row.applied_at_ms === null ? undefined : { atMs: row.applied_at_ms, parts: done };
    return { document, applied };
  }
}

async function saveInForce(transaction: Transaction<DesiredTables>, inForce: EffectiveDocuments): Promise<void> {
  const value = JSON.stringify(inForce);
  await transaction
    .insertInto('desired_in_force')
    .values({ id: 1, value })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ value }))
    .execute();
}

/** Orders of the present document are kept regardless of their age, or they would be executed again. */
async function forgetOldStops(transaction: Transaction<DesiredTables>, named: readonly string[]): Promise<void> {
  const newest = await transaction
    .selectFrom('desired_stops')
    .select(({ fn }) => fn.max('position').as('position'))
    .executeTakeFirst();
  const done = transaction
    .deleteFrom('desired_stops')
    .where('outcome', 'is not', null)
    .where('position', '<=', Number(newest?.position ?? 0) - rememberedStops);
  await (named.length === 0 ? done : done.where('stop_id', 'not in', [...named])).execute();
}
