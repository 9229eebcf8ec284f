import type { SQLInputValue } from 'node:sqlite';
import { StoreError } from './store-error.ts';

const describe = (value: unknown) => {
  if (value === undefined) return 'undefined';
  return typeof value === 'object' ? `an object (${value?.constructor?.name ?? 'without a class'})` : String(value);
};

/**
 * A value as SQLite shall see it. Whole numbers go over as integers: bound as they are they would arrive as floating point,
 * and `at / 30000` or a number put into a text would come out differently. What has no meaning of its own in SQLite
 * (booleans, dates, objects, undefined, NaN) is refused instead of being turned into something.
 */
export const toSqlValue = (value: unknown): SQLInputValue => {
  switch (typeof value) {
    case 'number':
      if (Number.isSafeInteger(value)) return BigInt(value);
      if (!Number.isNaN(value)) return value;
      break;
    case 'string':
    case 'bigint':
      return value;
    case 'object':
      if (value === null || value instanceof Uint8Array) return value;
  }
  throw new StoreError(
    'value_refused',
    `${describe(value)} cannot be stored: bind a string, number, bigint, null or bytes (0 or 1 for a flag).`,
  );
};

export const toSqlValues = (values: readonly unknown[]): SQLInputValue[] => values.map(toSqlValue);
