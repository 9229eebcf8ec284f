import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toSqlValue } from './bindings.ts';

describe('a bound value', () => {
  const typeOf = (value: unknown) => {
    using connection = new DatabaseSync(':memory:');
    return connection.prepare('select typeof(?) as type').get(toSqlValue(value))?.type;
  };

  it('is an integer in SQL when it is a whole number, so that divisions are whole', () => {
    expect(typeOf(5)).toBe('integer');
    expect(typeOf(5.5)).toBe('real');
  });

  it('keeps every number, text and null', () => {
    using connection = new DatabaseSync(':memory:');
    const echo = connection.prepare('select ? as value');
    const values = fc.oneof(fc.double({ noNaN: true }), fc.maxSafeInteger(), fc.string(), fc.constant(null));
    fc.assert(
      fc.property(values, (value) => {
        // A text is cut at its first zero byte by SQL functions; it is no text that people write.
        fc.pre(typeof value !== 'string' || !value.includes('\0'));
        expect(echo.get(toSqlValue(value))?.value === value).toBe(true);
      }),
    );
  });
});
