import { DatabaseSync } from 'node:sqlite';
import { SqliteClassicConnection } from '../datasets/rows/classic-connection.ts';
import { testSeriesStore } from './test-series.ts';

export const startMs = Date.UTC(2026, 4, 2, 9, 14, 3, 120);
export const moment = (ms: number): string => new Date(ms).toISOString();

export interface TestEvent {
  readonly unit: string;
  readonly name: 'automation' | 'automation_settings' | 'dosing' | 'led_change';
  readonly data: object;
  readonly source?: string;
  readonly at: number;
}

/** A store with experiments, readings and events, as ingest would leave it. */
export async function testDatasetStore() {
  const store = await testSeriesStore();
  const database = new DatabaseSync(store.path, { timeout: 5_000 });
  let mono = 0;
  const connections: SqliteClassicConnection[] = [];
  return {
    path: store.path,
    database,
    addExperiment: (name: string, createdAt: number, deletingAt: number | null = null) => {
      const { lastInsertRowid } = database
        .prepare('insert into experiments (uid, name, created_at, description, deleting_at) values (?, ?, ?, ?, ?)')
        .run(`uid of ${name}`, name, createdAt, `about ${name}`, deletingAt);
      return Number(lastInsertRowid);
    },
    addSamples: (
      [experiment, unit, source, channel = null, angle = null]: readonly [
        string,
        string,
        string,
        (string | null)?,
        (number | null)?,
      ],
      samples: readonly (readonly [at: number, value: number])[],
    ) => {
      const { lastInsertRowid } = database
        .prepare('insert into series (experiment_uid, unit, source, channel, angle) values (?, ?, ?, ?, ?)')
        .run(`uid of ${experiment}`, unit, source, channel, angle);
      const insert = database.prepare('insert into samples (series_id, at, value) values (?, ?, ?)');
      database.exec('begin');
      for (const [at, value] of samples) insert.run(lastInsertRowid, at, value);
      database.exec('commit');
    },
    addEvents: (experiment: string, events: readonly TestEvent[]) => {
      const insert = database.prepare(
        `insert into events (experiment_uid, reactor_unit, at, name, source, message, data, machine_id, boot, mono)
        values (?, ?, ?, ?, ?, null, ?, 'm', 1, ?)`,
      );
      for (const { unit, at, name, source = null, data } of events) {
        mono += 1;
        insert.run(`uid of ${experiment}`, unit, at, name, source, JSON.stringify(data), mono);
      }
    },
    connect: () => {
      const connection = SqliteClassicConnection.open(store.path);
      connections.push(connection);
      return connection;
    },
    [Symbol.asyncDispose]: async () => {
      for (const connection of connections) connection.close();
      database.close();
      await store[Symbol.asyncDispose]();
    },
  };
}

export type TestDatasetStore = Awaited<ReturnType<typeof testDatasetStore>>;
