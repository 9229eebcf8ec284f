import { ApiError, type Caller, type Permission } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { startToy } from '../testing/toy-server.ts';

describe('headers of answers', () => {
  it('gives every response its own request ID', async () => {
    await using toy = await startToy();
    const ids = await Promise.all(
      ['/api/plan', '/api/nothing', '/api/shelves/a?count=x'].map(async (path) =>
        (await toy.fetch(path)).headers.get('x-request-id'),
      ),
    );
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it('announces for how long an idle connection is kept', async () => {
    await using toy = await startToy();
    expect((await toy.fetch('/api/plan')).headers.get('keep-alive')).toBe('timeout=72');
  });

  it.each([
    ['a plain word', 'my-id_7', true],
    ['64 characters', 'x'.repeat(64), true],
    ['65 characters', 'x'.repeat(65), false],
    ['a blank', 'a b', false],
    ['markup', '<b>', false],
  ])('takes over the id of the caller when it is plain: %s', async (_, id, isTaken) => {
    await using toy = await startToy();
    const response = await toy.fetch('/api/plan', { headers: { 'x-request-id': id } });
    expect(response.headers.get('x-request-id') === id).toBe(isTaken);
  });

  it.each([
    ['/api/shelves/a', 'GET', 'private, max-age=5'],
    ['/api/plan', 'GET', 'no-cache'],
    ['/api/shelves/a/label.txt', 'GET', 'no-store'],
  ])('caches %s as declared', async (path, method, expected) => {
    await using toy = await startToy();
    const response = await toy.fetch(path, { method });
    expect(response.headers.get('cache-control')).toBe(expected);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it.each([
    ['/api/plan', 200],
    ['/api/nothing', 404],
    ['/api/shelves/a?count=x', 400],
  ])('lets no response be shown in a frame, load anything or be read by another site: %s', async (path, status) => {
    await using toy = await startToy();
    const response = await toy.fetch(path);
    expect(response.status).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
  });

  it('prevents caching of errors, also of a cached route', async () => {
    await using toy = await startToy();
    const response = await toy.fetch('/api/shelves/a?count=x');
    expect([response.status, response.headers.get('cache-control')]).toEqual([400, 'no-store']);
  });

  it('marks deprecated routes', async () => {
    await using toy = await startToy({ deleteShelf: () => ({ status: 200, body: { shelf: '', echo: 1 } }) });
    const response = await toy.fetch('/api/shelves/a', { method: 'DELETE' });
    expect(response.headers.get('deprecation')).toBe('true');
  });

  it('marks deprecated routes in their errors too', async () => {
    await using toy = await startToy({
      deleteShelf: () => {
        throw new ApiError('experiment_not_found', { experiment: 'a' });
      },
    });
    for (const path of ['/api/shelves/a', '/api/shelves/a?count=x']) {
      const response = await toy.fetch(path, { method: 'DELETE' });
      expect([response.ok, response.headers.get('deprecation')]).toEqual([false, 'true']);
    }
    const other = await toy.fetch('/api/shelves/a?count=x');
    expect([other.status, other.headers.get('deprecation')]).toEqual([400, null]);
  });

  it('adds the headers of the handler', async () => {
    await using toy = await startToy({
      getPlan: () => ({
        status: 200,
        body: { shelf: '', echo: 1 },
        headers: { 'x-more': '1', 'cache-control': 'no-store' },
      }),
    });
    const response = await toy.fetch('/api/plan');
    expect([response.headers.get('x-more'), response.headers.get('cache-control')]).toEqual(['1', 'no-store']);
  });
});

describe('answers', () => {
  it('sends prepared JSON as it is', async () => {
    await using toy = await startToy();
    expect(await (await toy.fetch('/api/plan')).text()).toBe('{"shelf":"plan","echo":[1,2]}');
  });

  it('sends text', async () => {
    await using toy = await startToy();
    const response = await toy.fetch('/api/shelves/%C3%A4/label.txt');
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toBe('label of ä');
  });

  it('answers expected failures of handlers with their own body', async () => {
    await using toy = await startToy();
    const response = await toy.fetch('/api/shelves/a', { method: 'DELETE' });
    expect(response.status).toBe(404);
    expect(await response.text()).toMatch(
      /^{"error":".+","cause":".+","remediation":".+","status":404,"code":"experiment_not_found"}$/,
    );
    expect(toy.log.messages('error')).toEqual([]);
  });

  it.each([
    [
      'thrown',
      () => {
        throw new Error('secret detail');
      },
    ],
    ['rejected', () => Promise.reject(new Error('secret detail'))],
    ['an undeclared status', () => JSON.parse('{"status":418,"body":{}}')],
    ['a body that is no JSON', () => ({ status: 200 as const, body: { shelf: '', echo: 1n } })],
  ])('answers the unexpected with 500, the id of the log and nothing else: %s', async (_, getPlan) => {
    await using toy = await startToy({ getPlan });
    const response = await toy.fetch('/api/plan?token=secret', { headers: { 'x-request-id': 'find-me' } });
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ code: 'internal_error', remediation: expect.stringContaining('find-me') });
    expect(text).not.toContain('secret');
    const [entry] = toy.log.lines.filter(({ level }) => level === 'error');
    expect(entry?.fields).toMatchObject({
      requestId: 'find-me',
      method: 'GET',
      path: '/api/plan',
      stack: expect.stringContaining('at '),
    });
  });

  it('keeps serving after an unexpected failure', async () => {
    await using toy = await startToy({
      getPlan: () => {
        throw new Error('once');
      },
    });
    await toy.fetch('/api/plan');
    expect((await toy.fetch('/api/shelves/a')).status).toBe(200);
  });

  it('in tests, turns an answer that is not the declared one into a logged 500', async () => {
    const wrong = JSON.parse('{"status":200,"body":{"shelf":3,"echo":1}}');
    await using toy = await startToy({ getPlan: () => wrong }, { checkResponses: true });
    expect((await toy.fetch('/api/plan')).status).toBe(500);
    expect(toy.log.lines.find(({ level }) => level === 'error')?.fields.error).toContain(
      'getPlan returned status 200 with an undeclared body: expected string, got integer at $.shelf',
    );
    expect((await toy.fetch('/api/shelves/a')).status).toBe(200);
    expect((await toy.fetch('/api/follow')).status).toBe(200);
  });
});

describe('permissions', () => {
  const caller = (kind: Caller['kind'], ...granted: Permission[]): Caller => ({
    kind,
    id: '1',
    personId: '1',
    name: 'ada',
    permissions: new Set(granted),
  });

  it.each([
    [caller('anonymous'), 401, 'not_signed_in'],
    [caller('local', 'inventory.read'), 403, 'not_allowed'],
  ])('are required before the body is read: %o', async (identified, status, code) => {
    await using toy = await startToy({}, { identify: () => identified });
    const response = await toy.fetch('/api/shelves/a', { method: 'PUT', body: 'no json' });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ code });
  });

  it('reach the handler with the caller', async () => {
    const callers: Caller[] = [];
    const ada = caller('local', 'inventory.read');
    await using toy = await startToy(
      {
        getPlan: ({ caller: received }) => {
          callers.push(received);
          return { status: 200, body: { shelf: '', echo: 1 } };
        },
      },
      { identify: ({ headers }) => (headers['x-name'] === 'ada' ? ada : caller('anonymous')) },
    );
    expect((await toy.fetch('/api/plan', { headers: { 'x-name': 'ada' } })).status).toBe(200);
    expect(callers).toEqual([ada]);
  });
});
