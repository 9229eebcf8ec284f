import { expect, it } from 'vitest';
import { leaderApi, nodeApi, type RouteDeclaration, unitApi } from './index.ts';

/** Texts that a schema may contain and whose name is that of a secret. */
function secretsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const ofProperties = Object.entries(Object(Reflect.get(schema, 'properties') ?? {})).flatMap(([name, child]) =>
    JSON.stringify(child).includes('"type":"string"') && /(^|_)(token|secret|password|pin)$/.test(name) ? [name] : [],
  );
  return [...ofProperties, ...Object.values(schema).flatMap(secretsIn)];
}

it('a response to GET that contains a secret says so: the server sends it as it is', () => {
  const shown = Object.entries<RouteDeclaration>({ ...leaderApi, ...nodeApi, ...unitApi }).filter(
    ([, route]) =>
      route.method === 'GET' && Object.values(route.responses).some(({ schema }) => secretsIn(schema).length > 0),
  );
  expect(shown.map(([operation]) => operation)).toContain('getSession');
  expect(shown.filter(([, route]) => route.showsSecret !== true).map(([operation]) => operation)).toEqual([]);
});
