import type { SQLInputValue } from 'node:sqlite';
import { StoreError } from './store-error.ts';

const describe = (value: unknown) => {
  if (value === undefined) return 'undefined';
  return typeof value === 'object' ? `an object (${value?.constructor?.name ?? 'without a class'})` : String(value);
};

/**
 * A value for SQLite. Whole numbers are bound as integers: bound as JavaScript numbers they would be floating point, with other results of
 * `at / 30000` or of a concatenation. Values without a type in SQLite (booleans, dates, objects, undefined, NaN) are rejected.
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
