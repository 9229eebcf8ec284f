import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { StatementCache } from './statement-cache.ts';

describe('the statement cache', () => {
  it('keeps the statements used last and prepares the others again', () => {
    using connection = new DatabaseSync(':memory:');
    const cache = new StatementCache(connection, 2);
    const first = cache.statement('select 1');
    const second = cache.statement('select 2');
    expect(cache.statement('select 1')).toBe(first);
    cache.statement('select 3');
    expect(cache.size).toBe(2);
    expect(cache.statement('select 1')).toBe(first);
    expect(cache.statement('select 2')).not.toBe(second);
  });

  it('sees columns added after the statement was prepared', () => {
    using connection = new DatabaseSync(':memory:');
    connection.exec('create table t (a integer) strict; insert into t values (1)');
    const cache = new StatementCache(connection);
    expect(cache.run('select * from t', []).rows).toEqual([{ a: 1 }]);
    connection.exec('alter table t add column b integer');
    expect(cache.run('select * from t', []).rows).toEqual([{ a: 1, b: null }]);
  });
});
