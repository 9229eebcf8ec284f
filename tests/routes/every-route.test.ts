import { once } from 'node:events';
import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { leaderApi, nodeApi, type RouteDeclaration } from '@lcs/contract';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let leader: LeaderUnderTest;
beforeAll(async () => {
  leader = await startLeader();
});
afterAll(() => leader[Symbol.asyncDispose]());

const routes: RouteDeclaration[] = [...Object.values(leaderApi), ...Object.values(nodeApi)];
const url = (route: RouteDeclaration) => leader.url + route.path.replace(/\{\w+\}/g, 'x');

/** Sent without `fetch`, which does not let the Host header be chosen. */
async function askedAs(host: string, route: RouteDeclaration) {
  const sent = request(url(route), { method: route.method, headers: { host } }).end();
  const [answer] = await once(sent, 'response');
  return { status: answer.statusCode, body: await json(answer) };
}

/** Whether a route takes this path, be it as the rest of a longer one. */
const isDeclared = (path: string): boolean =>
  routes.some(
    (route) => route.path === path || (route.takesRest && path.startsWith(route.path.replace(/\{\w+\}$/, ''))),
  );

type Finding = string | undefined;

/** All routes are tried in one test: a test of its own for each would take longer than the requests. */
async function findingsOf(find: (route: RouteDeclaration) => Promise<readonly Finding[]>): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const route of routes)
    for (const finding of await find(route))
      if (finding !== undefined) findings.push(`${route.method} ${route.path}: ${finding}`);
  return findings;
}

/** A finding where an answer has another status, or another code, than expected. */
const unlessAnswered = (
  what: string,
  status: number,
  code: string | undefined,
  seen: { status?: number; body: unknown },
) => {
  const seenCode = Reflect.get(Object(seen.body), 'code');
  return seen.status === status && (code === undefined || seenCode === code)
    ? undefined
    : `${what} is answered with ${seen.status} ${seenCode}`;
};

const seenBy = async (answer: Response) => ({ status: answer.status, body: await answer.json() });

/** What holds for every declared route, whatever it does. */
describe('every route', () => {
  it('refuses foreign hosts and foreign pages', async () => {
    const findings = await findingsOf(async (route) => [
      unlessAnswered('a foreign host', 403, 'foreign_host', await askedAs('evil.example', route)),
      ...(await Promise.all(
        ['http://evil.example', 'null'].map(async (origin) => {
          const answer = await fetch(url(route), { method: route.method, headers: { origin } });
          return unlessAnswered(`the origin ${origin}`, 403, 'foreign_origin', await seenBy(answer));
        }),
      )),
    ]);
    expect(findings).toEqual([]);
  });

  it('answers an undeclared method with 405 and the declared ones', async () => {
    const findings = await findingsOf(async (route) => {
      const methods = routes.filter(({ path }) => path === route.path).map(({ method }) => method);
      // Once for each path.
      if (methods[0] !== route.method) return [];
      const other =
        (['POST', 'PUT', 'DELETE', 'PATCH'] as const).find((method) => !methods.includes(method)) ?? 'TRACE';
      const answer = await fetch(url(route), { method: other });
      const allowed = answer.headers.get('allow');
      const options = await fetch(url(route), { method: 'OPTIONS' });
      return [
        unlessAnswered(other, 405, undefined, await seenBy(answer)),
        ...methods.map((method) => (allowed?.includes(method) ? undefined : `${method} is not in Allow: ${allowed}`)),
        options.status === 200 && (await options.text()) === '' && options.headers.get('allow') === allowed
          ? undefined
          : `OPTIONS is answered with ${options.status} and Allow: ${options.headers.get('allow')}`,
      ];
    });
    expect(findings).toEqual([]);
  });

  it('is another path with a slash at its end', async () => {
    const findings = await findingsOf(async (route) => {
      if (isDeclared(`${route.path}/`)) return [];
      const answer = await fetch(`${url(route)}/`, { method: route.method });
      return [unlessAnswered('a slash', 404, 'route_not_found', await seenBy(answer))];
    });
    expect(findings).toEqual([]);
  });

  it('refuses forms, incomplete JSON and large bodies', async () => {
    const large = `{"a":"${'x'.repeat(2_100_000)}"}`;
    const findings = await findingsOf(async (route) => {
      const { body: declared, method } = route;
      if (!declared) return [];
      const send = async (body: string, type = 'application/json') =>
        seenBy(await fetch(url(route), { method, body, headers: { 'content-type': type } }));
      // Nothing at all stands for `{}` wherever no field is required.
      const empty = await send('');
      const isRefused = Reflect.get(Object(empty.body), 'code') === 'invalid_body';
      return [
        unlessAnswered('a form', 415, undefined, await send('a=1', 'application/x-www-form-urlencoded')),
        unlessAnswered('incomplete JSON', 400, undefined, await send('{"a":')),
        unlessAnswered('a text', 400, undefined, await send('[]', 'text/plain')),
        isRefused === (declared.required ?? []).length > 0 ? undefined : `no body is answered with ${empty.status}`,
        unlessAnswered('a large body', 413, undefined, await send(large)),
      ];
    });
    expect(findings).toEqual([]);
  });
});
