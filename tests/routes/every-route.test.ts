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
const named = routes.map((route) => ({ route, name: `${route.method} ${route.path}` }));

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

/** What holds for every declared route, whatever it does. */
describe.each(named)('$name', ({ route }) => {
  it('refuses foreign hosts and foreign pages', async () => {
    expect(await askedAs('evil.example', route)).toMatchObject({
      status: 403,
      body: { code: 'foreign_host', status: 403 },
    });
    for (const origin of ['http://evil.example', 'null']) {
      const answer = await fetch(url(route), { method: route.method, headers: { origin } });
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ code: 'foreign_origin', status: 403 });
    }
  });

  it('answers an undeclared method with 405 and the declared ones', async () => {
    const methods = routes.filter(({ path }) => path === route.path).map(({ method }) => method);
    const other = (['POST', 'PUT', 'DELETE', 'PATCH'] as const).find((method) => !methods.includes(method)) ?? 'TRACE';
    const answer = await fetch(url(route), { method: other });
    expect(answer.status).toBe(405);
    for (const method of methods) expect(answer.headers.get('allow')).toContain(method);
    const options = await fetch(url(route), { method: 'OPTIONS' });
    expect([options.status, await options.text()]).toEqual([200, '']);
    expect(options.headers.get('allow')).toBe(answer.headers.get('allow'));
  });

  it('is another path with a slash at its end', async () => {
    if (isDeclared(`${route.path}/`)) return;
    const answer = await fetch(`${url(route)}/`, { method: route.method });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 'route_not_found' });
  });

  it('refuses forms, incomplete JSON and large bodies', async () => {
    if (!route.body) return;
    const send = (body: string, type = 'application/json') =>
      fetch(url(route), { method: route.method, body, headers: { 'content-type': type } });
    expect((await send('a=1', 'application/x-www-form-urlencoded')).status).toBe(415);
    expect((await send('{"a":')).status).toBe(400);
    expect((await send('[]', 'text/plain')).status).toBe(400);
    // Nothing at all stands for `{}` wherever no field is required.
    const empty: unknown = await (await send('')).json();
    const isRefused = empty instanceof Object && 'code' in empty && empty.code === 'invalid_body';
    expect(isRefused).toBe((route.body.required ?? []).length > 0);
    expect((await send(`{"a":"${'x'.repeat(2_100_000)}"}`)).status).toBe(413);
  });
});
