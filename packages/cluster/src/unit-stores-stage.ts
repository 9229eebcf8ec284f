import { join } from 'node:path';
import { SqliteDatabase, type Stage, WriterHost } from '@lcs/platform';
import { type OutboxTables, outboxMigrations, type UnitTables, unitMigrations } from '@lcs/unit';
import { createFolder } from './create-folder.ts';
import type { NodeInputs } from './node-inputs.ts';

export interface UnitStoresOutputs {
  readonly unitDatabase: SqliteDatabase<UnitTables>;
  readonly outboxDatabase: SqliteDatabase<OutboxTables>;
}

/** The databases of the unit role, and the thread that writes them. */
export async function unitStoresStage(inputs: NodeInputs): Promise<Stage<UnitStoresOutputs>> {
  const { folder, clock, wire, log, crashAt, onFatal, sharedWriter } = inputs;
  const storage = join(folder.path, 'storage');
  await createFolder(storage);
  const writer = sharedWriter ?? new WriterHost();
  const common = { writer, clock: wire, holds: clock, log, onFatal, ...(crashAt && { crashAt }) };
  const unitDatabase = new SqliteDatabase<UnitTables>({
    ...common,
    path: join(storage, 'unit.sqlite'),
    migrations: unitMigrations,
  });
  const outboxDatabase = new SqliteDatabase<OutboxTables>({
    ...common,
    path: join(storage, 'outbox.sqlite'),
    migrations: outboxMigrations,
    onDamaged: 'set-aside',
  });
  const ownWriter = sharedWriter === undefined ? [writer] : [];
  return { outputs: { unitDatabase, outboxDatabase }, services: [...ownWriter, unitDatabase, outboxDatabase] };
}
