import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { Writer } from './writer.ts';
import type { WriterAnswer } from './writer-protocol.ts';

describe('the writer', () => {
  it.each([
    { durable: false, synchronous: 1 },
    { durable: true, synchronous: 2 },
  ])('syncs the disk for a bulk call as requested: durable $durable', async ({ durable, synchronous }) => {
    using connection = new DatabaseSync(':memory:');
    connection.exec('create table t (id integer primary key) strict');
    const answered = Promise.withResolvers<WriterAnswer>();
    const writer = new Writer({
      connection,
      answer: (answer) => {
        if (answer.type === 'done' || answer.type === 'failed') answered.resolve(answer);
      },
      onPoint: () => {},
      waitingCommands: new Int32Array(1),
      clock: { monotonic: () => 0, after: () => () => {} },
      end: () => {},
    });
    writer.handle({
      id: 1,
      type: 'bulk',
      statements: [{ sql: 'insert into t values (?)', rows: [[1]] }],
      isDivisible: false,
      durable,
    });
    expect(await answered.promise).toMatchObject({ type: 'done', id: 1 });
    expect(connection.prepare('pragma synchronous').get()).toEqual({ synchronous });
  });
});
