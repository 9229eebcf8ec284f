import { StoreError } from '../store-error.ts';

const exact = (text: string): number => {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new StoreError('number_too_large', `${text} is too large for a number; the database returned it.`);
};

const isWhole = (text: string): boolean => /^-?\d+$/.test(text);

/** `numeric` is what PostgreSQL makes of sums and means of whole numbers, and of numbers in JSON. */
const numeric = (text: string): number => (isWhole(text) ? exact(text) : Number(text));

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.slice(2), 'hex'));

type Parser = (text: string) => unknown;

/** By the number of the type, as `select oid, typname from pg_type` lists them. */
const parsers: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [16, (text) => (text === 't' ? 1 : 0)],
  [17, bytes],
  [20, exact],
  [21, exact],
  [23, exact],
  [26, exact],
  [700, Number],
  [701, Number],
  [1700, numeric],
]);

const bigIntParsers: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  ...parsers,
  [16, (text) => (text === 't' ? 1n : 0n)],
  ...[20, 21, 23, 26].map((type): [number, Parser] => [type, BigInt]),
  [1700, (text) => (isWhole(text) ? BigInt(text) : Number(text))],
]);

const asText = (text: string): unknown => text;

/** How the texts of a result become the values that SQLite would return. */
export const resultTypes = { getTypeParser: (type: number) => parsers.get(type) ?? asText };

/** The same; whole numbers become `bigint`. */
export const bigIntResultTypes = { getTypeParser: (type: number) => bigIntParsers.get(type) ?? asText };
