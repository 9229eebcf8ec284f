import { describe, expect, it } from 'vitest';
import { leaderApi, type RouteDeclaration, unitApi } from './index.ts';

/** Contents of files: limited with a code of their own, where they are read. The body of a request is limited to 2 MiB. */
const limitedElsewhere: Readonly<Record<string, RegExp>> = {
  body: /^(code|body|calibration_data|estimator_data)$/,
  // The leader sends it, with texts that were limited where people sent them.
  'putDesired body': /./,
};
/** Patterns of a fixed length: ids, hashes and moments. */
const fixedPattern = /^\^(\\d|\[0-9a-f\]|[T:.Z-]|\\\.|\{\d+\})+\$$/;

/** The paths of all texts in a schema that may be of any length. */
function unlimited(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const get = (key: string): unknown => Reflect.get(schema, key);
  const below = (key: string, nameOf: (name: string) => string) =>
    Object.entries(Object(get(key) ?? {})).flatMap(([name, child]) => unlimited(child, nameOf(name)));
  const named = (name: string) => (path === '' ? name : `${path}.${name}`);
  const isOpen =
    get('type') === 'string' &&
    ['maxLength', 'const', 'enum'].every((key) => get(key) === undefined) &&
    !fixedPattern.test(String(get('pattern') ?? ''));
  return [
    ...(isOpen ? [path] : []),
    ...['anyOf', 'allOf', 'oneOf'].flatMap((key) => below(key, () => path)),
    ...below('properties', named),
    ...below('patternProperties', () => named('*')),
    ...unlimited(get('additionalProperties'), named('*')),
    ...unlimited(get('items'), `${path}[]`),
  ];
}

describe.each(Object.entries({ leaderApi, unitApi }))('requests of %s', (_, api) => {
  it('have a limit for every text', () => {
    const open = Object.entries<RouteDeclaration>(api).flatMap(([operation, route]) =>
      (['body', 'query'] as const).flatMap((part) =>
        unlimited(route[part], '')
          .filter(
            (path) => !limitedElsewhere[part]?.test(path) && !limitedElsewhere[`${operation} ${part}`]?.test(path),
          )
          .map((path) => `${operation} ${part} ${path}`),
      ),
    );
    expect(open).toEqual([]);
  });
});
