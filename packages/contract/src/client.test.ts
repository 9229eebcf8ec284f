import { createServer } from 'node:http';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { type ClientOptions, callPath, createClient, ProblemError, waitForTask } from './client.ts';
import { ApiError } from './errors.ts';
import { routes } from './route.ts';

const shared = {
  summary: 's',
  tag: 't',
  permission: 'inventory.read',
  errors: [],
  cache: 0,
  origin: 'specification',
} as const;
const shelf = { 200: { description: '', schema: Type.Object({ name: Type.String() }) } };

const api = routes({
  listShelves: { ...shared, method: 'GET', path: '/api/shelves', responses: shelf },
  findShelves: {
    ...shared,
    method: 'GET',
    path: '/api/shelves/{shelf}/rows/{row}',
    query: Type.Object({
      skip: Type.Optional(Type.Integer()),
      all: Type.Optional(Type.Boolean()),
      tags: Type.Optional(Type.Array(Type.String())),
    }),
    responses: shelf,
  },
  changeShelf: {
    ...shared,
    method: 'PATCH',
    path: '/api/shelves/{shelf}',
    body: Type.Object({ name: Type.String() }),
    responses: { 202: { description: '', schema: Type.Object({ name: Type.String() }) } },
  },
  getLabel: {
    ...shared,
    method: 'GET',
    path: '/api/label',
    responses: { 200: { description: '', schema: Type.String(), contentType: 'text/plain' } },
  },
});

const json = { 'content-type': 'application/json; charset=utf-8' };

/** A client whose requests go to `answer`, and a list of them. */
function clientOf(answer: (url: string) => Response | Promise<Response>, options: Partial<ClientOptions> = {}) {
  const sent: { readonly url: string; readonly init: RequestInit }[] = [];
  const client = createClient(api, {
    baseUrl: 'http://lead',
    fetch: async (input, init = {}) => {
      sent.push({ url: String(input), init });
      return answer(String(input));
    },
    ...options,
  });
  return { client, sent };
}

const named = (name: string, status = 200) => new Response(JSON.stringify({ name }), { status, headers: json });

const problemOf = async (call: Promise<unknown>): Promise<ProblemError> => {
  const failure = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof ProblemError) return failure;
  throw new Error(`no problem: ${failure}`);
};

describe('a client', () => {
  it('has a function per declared route that returns the parsed body', async () => {
    const { client, sent } = clientOf(() => named('left'));
    const { name } = await client.listShelves();
    expect(name).toBe('left');
    expect(Object.keys(client)).toEqual(Object.keys(api));
    expect(sent[0]).toMatchObject({ url: 'http://lead/api/shelves', init: { method: 'GET' } });
    expect(sent[0]?.init).not.toHaveProperty('body');
  });

  it('percent-encodes parameters', async () => {
    const { client, sent } = clientOf(() => named('x'));
    await client.findShelves({ params: { shelf: 'a/b %é', row: '$broadcast?#' } });
    expect(sent[0]?.url).toBe('http://lead/api/shelves/a%2Fb%20%25%C3%A9/rows/%24broadcast%3F%23');
  });

  it.each(['', '.', '..'])('refuses a parameter that would make another path: "%s"', async (name) => {
    const { client, sent } = clientOf(() => named('x'));
    await expect(client.changeShelf({ params: { shelf: name }, body: { name } })).rejects.toThrow(RangeError);
    expect(sent).toEqual([]);
  });

  it('sends queries: lists repeated, what is not there left out', async () => {
    const { client, sent } = clientOf(() => named('x'));
    const params = { shelf: 'a', row: 'b' };
    await client.findShelves({ params, query: { skip: 0, all: false, tags: ['a b', 'c&d'] } });
    await client.findShelves({ params, query: {} });
    expect(sent[0]?.url).toBe('http://lead/api/shelves/a/rows/b?skip=0&all=false&tags=a+b&tags=c%26d');
    expect(sent[1]?.url).toBe('http://lead/api/shelves/a/rows/b');
  });

  it('sends bodies as JSON and its own headers with everything', async () => {
    const { client, sent } = clientOf(() => named('x', 202), { headers: { authorization: 'Bearer t' } });
    await client.changeShelf({ params: { shelf: 'a' }, body: { name: 'é' } });
    expect(sent[0]?.init).toMatchObject({
      method: 'PATCH',
      body: '{"name":"é"}',
      headers: { 'content-type': 'application/json', authorization: 'Bearer t' },
    });
  });

  it('sends the version that a call replaces', async () => {
    const { client, sent } = clientOf(() => named('x'));
    await client.changeShelf({ params: { shelf: 'a' }, body: { name: 'b' }, ifMatch: '"v1"' });
    expect(sent[0]?.init?.headers).toMatchObject({ 'if-match': '"v1"' });
  });

  it('returns text where text is declared', async () => {
    const { client } = clientOf(() => new Response('hello', { headers: { 'content-type': 'text/plain' } }));
    expect(await client.getLabel()).toBe('hello');
  });

  it('throws the error body of the server', async () => {
    const { body } = new ApiError('experiment_not_found', { experiment: 'x' });
    const { client } = clientOf(
      () => new Response(JSON.stringify(body), { status: 404, headers: { ...json, 'x-request-id': 'r1' } }),
    );
    const problem = await problemOf(client.listShelves());
    expect(problem).toMatchObject({ kind: 'answer', status: 404, body, requestId: 'r1', message: body.error });
  });

  it.each([
    ['a page of something in between', '<html>\n502</html>', 502, '<html>'],
    ['nothing', '', 500, 'The answer was empty.'],
    ['another JSON', '{"detail":"no"}', 422, '{"detail":"no"}'],
  ])('makes an error body of its own for %s', async (_, text, status, cause) => {
    const { client } = clientOf(() => new Response(text, { status }));
    expect(await problemOf(client.listShelves())).toMatchObject({
      kind: 'answer',
      status,
      body: { status, cause, code: 'unexplained_answer', error: expect.any(String), remediation: expect.any(String) },
    });
  });

  it('does not pass broken JSON on', async () => {
    const { client } = clientOf(() => new Response('{"name":', { headers: json }));
    expect(await problemOf(client.listShelves())).toMatchObject({
      kind: 'answer',
      body: { code: 'unexplained_answer' },
    });
  });

  it('reports that no server answers', async () => {
    const { client } = clientOf(() => Promise.reject(new TypeError('fetch failed')));
    const problem = await problemOf(client.listShelves());
    expect(problem).toMatchObject({ kind: 'network', status: 0, body: { code: 'no_answer' } });
    expect(problem.body.cause).toContain('http://lead/api/shelves');
    expect(problem.cause).toBeInstanceOf(TypeError);
  });

  it('rejects with the reason of its signal when it is aborted', async () => {
    const reason = new Error('changed my mind');
    const { client } = clientOf(() => Promise.reject(reason));
    await expect(client.listShelves({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('uses the global fetch when given none', async () => {
    const server = createServer((request, response) => {
      response.writeHead(200, json).end(JSON.stringify({ name: request.url }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const client = createClient(api, { baseUrl: `http://127.0.0.1:${port}` });
    expect(await client.listShelves()).toEqual({ name: '/api/shelves' });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('gives addresses for links', () => {
    expect(callPath(api.findShelves, { params: { shelf: 'a b', row: '1' }, query: { skip: 3 } })).toBe(
      '/api/shelves/a%20b/rows/1?skip=3',
    );
  });
});

describe('waiting for a task', () => {
  const accepted = { result_url_path: '/unit_api/task_results/7' };
  const times = { created_at: '', started_at: null, finished_at: null, message: null };
  const record = (status: number, body: object) =>
    new Response(JSON.stringify({ task_id: '7', ...accepted, ...times, ...body }), { status, headers: json });

  it('polls until there is a result, with increasing intervals', async () => {
    const answers = ['pending', 'pending', 'running', 'running', 'running'].map((status) => record(202, { status }));
    answers.push(record(200, { status: 'succeeded', result: { n: 1 } }));
    const slept: number[] = [];
    const urls: string[] = [];
    const task = await waitForTask('http://lead', accepted, {
      sleep: async (delayMs) => {
        slept.push(delayMs);
      },
      fetch: async (input) => {
        urls.push(String(input));
        return answers.shift() ?? record(500, {});
      },
    });
    expect(task).toMatchObject({ status: 'succeeded', result: { n: 1 } });
    expect(slept).toEqual([100, 200, 400, 800, 1000]);
    expect(new Set(urls)).toEqual(new Set(['http://lead/unit_api/task_results/7']));
  });

  it('returns failed tasks too', async () => {
    const task = await waitForTask('', accepted, {
      sleep: async () => {},
      fetch: async () => record(200, { status: 'failed', error: 'e', cause: 'c', remediation: 'r', code: 'x' }),
    });
    expect(task).toMatchObject({ status: 'failed', error: 'e' });
  });

  it('throws when the task is not known', async () => {
    const { body } = new ApiError('task_not_found', { taskId: '7' });
    const waiting = waitForTask('', accepted, {
      sleep: async () => {},
      fetch: async () => new Response(JSON.stringify(body), { status: 404, headers: json }),
    });
    expect(await problemOf(waiting)).toMatchObject({ status: 404, body: { code: 'task_not_found' } });
  });

  it('stops when it is aborted', async () => {
    const controller = new AbortController();
    const waiting = waitForTask('', accepted, {
      signal: controller.signal,
      sleep: async () => controller.abort(new Error('enough')),
      fetch: async () => record(202, { status: 'pending' }),
    });
    await expect(waiting).rejects.toThrow('enough');
  });
});
