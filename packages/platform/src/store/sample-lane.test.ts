import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BulkCall, SampleLane } from './sample-lane.ts';
import { StatementCache } from './statement-cache.ts';
import type { StoreError } from './store-error.ts';

const put = 'insert into t (id, call) values (?, ?)';

/** A lane on a table in memory, on a time where every row takes `rowMs`. */
const laneOn = (connection: DatabaseSync, rowMs: number, commandWaits: (nowMs: number) => boolean) => {
  connection.exec('create table t (id integer primary key, call integer not null) strict');
  let nowMs = 0;
  const outcomes: { done: number[]; failed: number[]; slow: number; commits: number[] } = {
    done: [],
    failed: [],
    slow: 0,
    commits: [],
  };
  const statements = new StatementCache(connection);
  connection.function('row_passed', () => {
    nowMs += rowMs;
    return 0;
  });
  connection.exec('create trigger passed after insert on t begin select row_passed(); end');
  const lane = new SampleLane({
    connection,
    statements,
    commandWaits: () => commandWaits(nowMs),
    onPoint: () => {},
    monotonic: () => nowMs,
    outcomes: {
      committed: () => outcomes.commits.push(count(connection)),
      done: (id) => outcomes.done.push(id),
      failed: (id: number, _error: StoreError) => outcomes.failed.push(id),
      slow: () => {
        outcomes.slow += 1;
      },
    },
  });
  return { lane, outcomes, time: () => nowMs };
};

const count = (connection: DatabaseSync) => Number(connection.prepare('select count(*) as n from t').get()?.n);

const call = (id: number, ids: readonly number[], isDivisible = false): BulkCall => ({
  id,
  statements: [{ sql: put, rows: ids.map((row) => [row, id]) }],
  isDivisible,
  durable: false,
});

const range = (from: number, length: number) => Array.from({ length }, (_, index) => from + index);

describe('the sample lane', () => {
  it('puts small calls together in one transaction', () => {
    using connection = new DatabaseSync(':memory:');
    const { lane, outcomes } = laneOn(connection, 0.01, () => false);
    for (const id of range(1, 10)) lane.add(call(id, range(id * 100, 50)));
    lane.runPack();
    expect(outcomes.commits).toEqual([500]);
    expect(outcomes.done).toEqual(range(1, 10));
  });

  it('ends after the call it is at when a command waits', () => {
    using connection = new DatabaseSync(':memory:');
    const { lane, outcomes } = laneOn(connection, 0.1, (nowMs) => nowMs > 1);
    for (const id of range(1, 3)) lane.add(call(id, range(id * 100, 50)));
    lane.runPack();
    expect(outcomes.done).toEqual([1]);
  });

  it('commits the first rows of a divisible call, and continues after the command', () => {
    using connection = new DatabaseSync(':memory:');
    let waits = true;
    const { lane, outcomes, time } = laneOn(connection, 1, (nowMs) => waits && nowMs > 5);
    lane.add(call(1, range(0, 200), true));
    lane.runPack();
    expect(time()).toBeLessThanOrEqual(20);
    expect(outcomes).toMatchObject({ commits: [16], done: [] });
    waits = false;
    while (!lane.isEmpty) lane.runPack();
    expect(outcomes.done).toEqual([1]);
    expect(count(connection)).toBe(200);
  });

  it('undoes an indivisible call that takes too long for a waiting command, and completes it in the end', () => {
    using connection = new DatabaseSync(':memory:');
    const { lane, outcomes, time } = laneOn(connection, 1, () => true);
    lane.add(call(1, range(0, 200)));
    for (const attempt of [1, 2, 3]) {
      const startMs = time();
      lane.runPack();
      expect(time() - startMs).toBeLessThanOrEqual(32);
      expect(count(connection), `rows after attempt ${attempt}`).toBe(0);
    }
    lane.runPack();
    expect(outcomes).toMatchObject({ done: [1], slow: 1 });
    expect(count(connection)).toBe(200);
  });

  it('runs the other statements, with the same values, only after a row that changed nothing', () => {
    using connection = new DatabaseSync(':memory:');
    const { lane, outcomes } = laneOn(connection, 0, () => false);
    connection.exec('create table taken (id integer, call integer, step integer)');
    const statement = {
      sql: `${put} on conflict do nothing`,
      rows: [7, 8, 7, 9, 8].map((id, index) => [id, index]),
      otherwise: [1, 2].map((step) => `insert into taken values (?, ?, ${step})`),
    };
    lane.add({ id: 1, statements: [statement], isDivisible: false, durable: false });
    lane.runPack();
    expect(outcomes.done).toEqual([1]);
    expect(count(connection)).toBe(3);
    const taken = connection.prepare('select id, call, step from taken order by rowid').all();
    expect(taken.map(({ id, call: at, step }) => [id, at, step])).toEqual([
      [7, 2, 1],
      [7, 2, 2],
      [8, 4, 1],
      [8, 4, 2],
    ]);
  });

  it('is durable while a call in it requires that', () => {
    using connection = new DatabaseSync(':memory:');
    const { lane } = laneOn(connection, 0, () => false);
    lane.add(call(1, [1]));
    expect(lane.isDurable).toBe(false);
    lane.add({ ...call(2, [2]), durable: true });
    expect(lane.isDurable).toBe(true);
    lane.runPack();
    expect(lane.isDurable).toBe(false);
  });

  it('is starving once its oldest call has waited 100 ms', () => {
    using connection = new DatabaseSync(':memory:');
    const { lane } = laneOn(connection, 1, () => false);
    expect(lane.isStarving).toBe(false);
    lane.add(call(1, range(0, 1)));
    lane.add(call(2, range(1, 150)));
    lane.add(call(3, range(200, 1)));
    lane.runPack();
    expect(lane.isStarving).toBe(true);
  });

  it('leaves, whatever fails or waits, exactly the rows of the calls that were answered done, in their order', () => {
    const calls = fc.array(
      fc.record({ rows: fc.integer({ min: 0, max: 60 }), fails: fc.boolean(), isDivisible: fc.boolean() }),
      { maxLength: 12 },
    );
    const waiting = fc.infiniteStream(fc.boolean());
    fc.assert(
      fc.property(calls, waiting, (specs, answers) => {
        using connection = new DatabaseSync(':memory:');
        const { lane, outcomes } = laneOn(connection, 1, () => answers.next().value === true);
        specs.forEach(({ rows, fails, isDivisible }, index) => {
          const ids = range(index * 1_000, rows);
          lane.add(call(index, fails ? [...ids, index * 1_000, index * 1_000] : ids, isDivisible));
        });
        while (!lane.isEmpty) lane.runPack();
        expect(outcomes.failed).toEqual(specs.flatMap(({ fails }, index) => (fails ? [index] : [])));
        expect(outcomes.done).toEqual(specs.flatMap(({ fails }, index) => (fails ? [] : [index])));
        for (const [index, { rows, fails, isDivisible }] of specs.entries()) {
          const found = connection.prepare('select id from t where call = ? order by id').all(index);
          const ids = found.map(({ id }) => Number(id));
          if (!fails) expect(ids).toEqual(range(index * 1_000, rows));
          else if (!isDivisible) expect(ids).toEqual([]);
          else expect(ids).toEqual(range(index * 1_000, ids.length));
        }
      }),
    );
  });
});
