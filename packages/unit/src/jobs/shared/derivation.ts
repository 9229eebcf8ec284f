import { createHash } from 'node:crypto';
import type { Json } from '@lcs/contract';
import { canonicalJson } from '../../canonical-json.ts';

/** How a value was computed from others; `key` is its permanent name. */
export interface Derivation {
  readonly [part: string]: Json;
  readonly key: string;
  readonly name: string;
  readonly version: string;
  readonly parameters: { readonly [name: string]: Json };
}

/** The first 16 hexadecimal digits of the SHA-256 of what names a derivation (docs/interfaces/feed.md#series). */
export const derivationKey = (named: { readonly name: string; readonly version: string; readonly parameters: Json }) =>
  createHash('sha256').update(canonicalJson(named)).digest('hex').slice(0, 16);

export function derivation(name: string, version: string, parameters: Derivation['parameters']): Derivation {
  return { key: derivationKey({ name, version, parameters }), name, version, parameters };
}
