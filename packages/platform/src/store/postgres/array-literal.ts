import type { SQLInputValue } from 'node:sqlite';

const element = (value: SQLInputValue): string => {
  if (value === null) return 'null';
  if (typeof value === 'string') return `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
  if (typeof value === 'object') return `"\\\\x${bytesOf(value).toString('hex')}"`;
  return String(value);
};

const bytesOf = (view: NodeJS.ArrayBufferView): Buffer => Buffer.from(view.buffer, view.byteOffset, view.byteLength);

/** The values of a column as PostgreSQL writes an array: half the work of the client's own conversion. */
export const arrayLiteral = (values: readonly SQLInputValue[]): string => `{${values.map(element).join(',')}}`;
