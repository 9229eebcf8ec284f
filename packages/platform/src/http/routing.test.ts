import { describe, expect, it } from 'vitest';
import { startToy } from '../testing/toy-server.ts';

describe('routing', () => {
  it('hands path parameters to handlers decoded, whatever text they are', async () => {
    await using toy = await startToy();
    for (const name of [
      'a b',
      'a/b',
      '100%',
      '%2F',
      'ä€😀',
      '$broadcast',
      '..x',
      "it's;=?#&+",
      'x'.repeat(3000),
      'é'.repeat(250),
    ]) {
      const response = await toy.fetch(`/api/shelves/${encodeURIComponent(name)}`);
      expect(response.status, name).toBe(200);
      expect(await response.json()).toMatchObject({ shelf: name });
    }
  });

  it('takes a $ in the path raw or encoded', async () => {
    await using toy = await startToy();
    expect(await (await toy.fetch('/api/shelves/$broadcast')).json()).toMatchObject({ shelf: '$broadcast' });
    expect(await (await toy.fetch('/api/shelves/%24broadcast')).json()).toMatchObject({ shelf: '$broadcast' });
  });

  it('finds the path of a request that names the server too, as proxies send it', async () => {
    await using toy = await startToy();
    const answer = await toy.raw(
      'GET http://localhost/api/shelves/a%20b?count=3 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain('{"shelf":"a b","echo":{"count":3,"page":1}}');
  });

  it('prefers static segments to parameters, for every method', async () => {
    await using toy = await startToy();
    const sorted = await toy.fetch('/api/shelves/sort', { method: 'POST', body: '{}' });
    expect(await sorted.json()).toMatchObject({ shelf: 'all' });
    const read = await toy.fetch('/api/shelves/sort');
    expect(read.status).toBe(405);
    expect(read.headers.get('allow')).toBe('POST, OPTIONS');
  });

  it.each([
    ['an unknown path', '/api/nothing'],
    ['a trailing slash', '/api/plan/'],
    ['a doubled slash', '/api//plan'],
    ['another case', '/API/plan'],
    ['an empty parameter', '/api/shelves/'],
  ])('answers 404 with the error body to %s', async (_, path) => {
    await using toy = await startToy();
    const response = await toy.fetch(path);
    expect(response.status).toBe(404);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toMatchObject({
      status: 404,
      code: 'route_not_found',
      remediation: expect.any(String),
    });
  });

  it.each(['/api/shelves/%', '/api/shelves/%zz', '/api/shelves/%ff', '/%c3'])(
    'answers 400 to the malformed path %s',
    async (path) => {
      await using toy = await startToy();
      const response = await toy.fetch(path);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ status: 400, code: 'malformed_request' });
      expect(response.headers.get('x-request-id')).toMatch(/./);
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    },
  );

  it.each(['POST', 'PATCH'])('answers 405 with Allow to %s where it is not declared', async (method) => {
    await using toy = await startToy();
    const response = await toy.fetch('/api/shelves/a', { method, body: 'whatever' });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE, OPTIONS');
    expect(await response.json()).toMatchObject({
      code: 'method_not_allowed',
      remediation: 'Allowed: GET, HEAD, PUT, DELETE, OPTIONS.',
    });
  });

  it('answers 405 to unusual methods of HTTP, 404 on unknown paths', async () => {
    await using toy = await startToy();
    const known = await toy.raw('PROPFIND /api/shelves/a?x=1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(known).toMatch(/^HTTP\/1\.1 405 /);
    expect(known).toContain('allow: GET, HEAD, PUT, DELETE, OPTIONS');
    const unknown = await toy.raw('PROPFIND /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(unknown).toMatch(/^HTTP\/1\.1 404 /);
  });

  it.each(['/api/plan', '/api/shelves/a', '/api/shelves/a/label.txt'])(
    'answers HEAD on %s as GET without the body',
    async (path) => {
      await using toy = await startToy();
      const [get, head] = await Promise.all([toy.fetch(path), toy.fetch(path, { method: 'HEAD' })]);
      expect(head.status).toBe(200);
      for (const name of ['content-type', 'content-length', 'cache-control']) {
        expect(head.headers.get(name)).toBe(get.headers.get(name));
      }
      expect(await head.text()).toBe('');
    },
  );

  it('answers HEAD with the status of errors', async () => {
    await using toy = await startToy();
    const response = await toy.fetch('/api/nothing', { method: 'HEAD' });
    expect(response.status).toBe(404);
    expect(await response.text()).toBe('');
  });

  it('answers OPTIONS with Allow and no body', async () => {
    await using toy = await startToy();
    const response = await toy.fetch('/api/shelves/a', { method: 'OPTIONS' });
    expect(response.status).toBe(200);
    expect(response.headers.get('allow')).toBe('GET, HEAD, PUT, DELETE, OPTIONS');
    expect(await response.text()).toBe('');
  });

  it('calls the hook before it answers 404', async () => {
    const asked: string[] = [];
    await using toy = await startToy(
      {},
      {
        notFound: ({ method, path }) => {
          asked.push(`${method} ${path}`);
          return path === '/page' ? { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' } : undefined;
        },
      },
    );
    const page = await toy.fetch('/page?x');
    expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([200, 'text/html', '<p>']);
    expect((await toy.fetch('/other')).status).toBe(404);
    expect(asked).toEqual(['GET /page', 'GET /other']);
  });

  it('refuses to start with a path declared twice or a handler missing', async () => {
    const { compilePaths } = await import('./compiled-route.ts');
    const { toyApi } = await import('../testing/toy-server.ts');
    const { getPlan } = toyApi;
    const handler = () => ({ status: 200, body: '' });
    expect(() => compilePaths([{ declaration: { getPlan }, handlers: {} }])).toThrow('getPlan has no handler');
    expect(() =>
      compilePaths([{ declaration: { getPlan, again: getPlan }, handlers: { getPlan: handler, again: handler } }]),
    ).toThrow('declared twice');
  });
});
