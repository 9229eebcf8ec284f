import type { LogFields } from './log.ts';

const secretNames = ['password', 'passphrase', 'apikey', 'token', 'secret', 'authorization', 'cookie'];
const redacted = '[redacted]';

/** Deeper than any useful field; limits the length of a line. */
const deepest = 8;

/** `mqtt://user:password@host`: the part that must not be seen. */
const passwordInUrl = /(:\/\/[^\s:@/]*):[^\s@/]*@/g;
const bearerToken = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi;

export type Redactor = {
  /** A copy for a JSON line: secrets redacted, errors expanded, cycles cut. */
  fields(fields: LogFields): Record<string, unknown>;
  text(text: string): string;
};

/** `moreKeys`: names that mark a key as secret, besides the usual ones. Case, `_` and `-` do not matter. */
export function createRedactor(moreKeys: readonly string[] = []): Redactor {
  const names = [...secretNames, ...moreKeys.map(bare)];
  const isSecret = (key: string) => {
    const name = bare(key);
    return names.some((secret) => name.includes(secret));
  };

  const copyEntries = (entries: readonly (readonly [string, unknown])[], above: readonly object[]) =>
    Object.fromEntries(
      entries.map(([key, value]) => [key, isSecret(key) && value != null ? redacted : copyOf(value, above)]),
    );

  const copyOf = (value: unknown, above: readonly object[]): unknown => {
    if (typeof value === 'string') return textOf(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return value;
    if (above.includes(value)) return '[circular]';
    if (above.length >= deepest) return '[too deep]';
    const path = [...above, value];
    if (Array.isArray(value)) return value.map((entry) => copyOf(entry, path));
    if (value instanceof Error) return copyEntries(errorEntries(value), path);
    if (value instanceof Map)
      return copyEntries(
        [...value].map(([key, entry]) => [String(key), entry] as const),
        path,
      );
    if (value instanceof Set) return copyOf([...value], path);
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if ('toJSON' in value && typeof value.toJSON === 'function') return copyOf(value.toJSON(), path);
    return copyEntries(Object.entries(value), path);
  };

  return { fields: (fields) => copyEntries(Object.entries(fields), []), text: textOf };
}

const bare = (key: string) => key.toLowerCase().replaceAll(/[_-]/g, '');

const textOf = (text: string) => text.replace(passwordInUrl, `$1:${redacted}@`).replace(bearerToken, `$1 ${redacted}`);

/** The parts of an error that help; most of them are not enumerable. */
function errorEntries(error: Error): [string, unknown][] {
  const entries: [string, unknown][] = [
    ['type', error.name],
    ['message', error.message],
    ['stack', error.stack],
  ];
  if (error.cause !== undefined) entries.push(['cause', error.cause]);
  if (error instanceof AggregateError) entries.push(['errors', error.errors]);
  const known = new Set(['name', 'message', 'stack', 'cause', 'errors']);
  return [...entries, ...Object.entries(error).filter(([key]) => !known.has(key))];
}
