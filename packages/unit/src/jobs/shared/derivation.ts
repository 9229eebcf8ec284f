import { createHash } from 'node:crypto';
import type { Json } from '@lcs/contract';

/** JSON whose objects have their keys in the order of the alphabet, so that equal facts are equal texts. */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`).join(',')}}`;
}

const isArray = (value: Json): value is readonly Json[] => Array.isArray(value);

/** How a value was computed from others; `key` names it for ever. */
export interface Derivation {
  readonly [part: string]: Json;
  readonly key: string;
  readonly name: string;
  readonly version: string;
  readonly parameters: { readonly [name: string]: Json };
}

/** The first 16 hexadecimal digits of the SHA-256 of name, parameters and version are the key. */
export function derivation(name: string, version: string, parameters: Derivation['parameters']): Derivation {
  const key = createHash('sha256').update(canonicalJson({ name, version, parameters })).digest('hex').slice(0, 16);
  return { key, name, version, parameters };
}
