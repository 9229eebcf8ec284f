import { isObject, type Json } from '@lcs/contract';

/** The number that a published value is, or has under these keys; one that has a single number needs no key. */
export function numberIn(value: Json, keys: readonly string[]): number | undefined {
  let found = value;
  for (const key of keys) {
    if (!isObject(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key] ?? null;
  }
  if (typeof found === 'number') return Number.isFinite(found) ? found : undefined;
  if (!isObject(found)) return undefined;
  const [only, ...others] = Object.values(found).filter((one) => typeof one === 'number' && Number.isFinite(one));
  return others.length === 0 && typeof only === 'number' ? only : undefined;
}
