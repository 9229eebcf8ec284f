import { connect, type Socket } from 'node:net';
import { ApiError, type Handlers, PreparedJson, routes, StreamBody } from '@lcs/contract';
import { Type } from 'typebox';
import { realClock } from '../clock/real-clock.ts';
import { HttpServer, type HttpServerOptions } from '../http/http-server.ts';
import { serve } from '../http/served-api.ts';
import { type MemoryLog, memoryLog } from '../log/memory-log.ts';

const shared = { tag: 'Shelves', permission: 'inventory.read', errors: [], origin: 'specification' } as const;
const closed = { additionalProperties: false };

const Shelf = Type.Object({ shelf: Type.String(), echo: Type.Unknown() }, { ...closed, title: 'Shelf' });
const answers = { 200: { description: 'A shelf', schema: Shelf } };

/** Routes for the features of the HTTP server. Only tests use them. */
export const toyApi = routes({
  getShelf: {
    ...shared,
    method: 'GET',
    path: '/api/shelves/{shelf}',
    summary: 'A shelf',
    query: Type.Object({
      count: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
      ratio: Type.Optional(Type.Number()),
      all: Type.Optional(Type.Boolean()),
      sort: Type.Optional(Type.Union([Type.Literal('up'), Type.Literal('down')])),
      tags: Type.Optional(Type.Array(Type.String())),
      page: Type.Optional(Type.Integer({ default: 1 })),
      search: Type.Optional(Type.String()),
    }),
    responses: answers,
    cache: 5,
  },
  putShelf: {
    ...shared,
    method: 'PUT',
    path: '/api/shelves/{shelf}',
    summary: 'Change a shelf',
    permission: 'inventory.write',
    body: Type.Object(
      {
        label: Type.String({ minLength: 1 }),
        tags: Type.Optional(Type.Array(Type.String())),
        width: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
        side: Type.Optional(Type.Union([Type.Literal('left'), Type.Literal('right')])),
        place: Type.Optional(Type.Object({ row: Type.Integer() }, closed)),
      },
      closed,
    ),
    bodyAliases: { name: 'label' },
    responses: answers,
    cache: 'no-store',
  },
  deleteShelf: {
    ...shared,
    method: 'DELETE',
    path: '/api/shelves/{shelf}',
    summary: 'Remove a shelf',
    responses: answers,
    errors: ['experiment_not_found'],
    cache: 'no-store',
    deprecated: true,
  },
  sortShelves: {
    ...shared,
    method: 'POST',
    path: '/api/shelves/sort',
    summary: 'Sort all',
    body: Type.Object({ by: Type.Optional(Type.String()) }, closed),
    responses: answers,
    cache: 'no-cache',
  },
  getSecret: {
    ...shared,
    method: 'GET',
    path: '/api/secret',
    summary: 'A secret',
    responses: answers,
    showsSecret: true,
    cache: 'no-store',
  },
  getPlan: { ...shared, method: 'GET', path: '/api/plan', summary: 'The plan', responses: answers, cache: 'no-cache' },
  halt: {
    ...shared,
    method: 'POST',
    path: '/api/halt',
    summary: 'Stop all',
    permission: 'jobs.stop',
    responses: answers,
    cache: 'no-store',
  },
  getText: {
    ...shared,
    method: 'GET',
    path: '/api/shelves/{shelf}/label.txt',
    summary: 'The label as text',
    responses: { 200: { description: 'Text', schema: Type.String(), contentType: 'text/plain; charset=utf-8' } },
    cache: 'no-store',
  },
  follow: {
    ...shared,
    method: 'GET',
    path: '/api/follow',
    summary: 'Events',
    responses: { 200: { description: 'Events', schema: Type.String(), contentType: 'text/event-stream' } },
    cache: 'no-store',
  },
  download: {
    ...shared,
    method: 'GET',
    path: '/api/download',
    summary: 'A file',
    responses: { 200: { description: 'A file', schema: Type.String(), contentType: 'application/octet-stream' } },
    cache: 'no-store',
  },
});
type ToyHandlers = Handlers<typeof toyApi>;

async function* oneEvent() {
  yield 'data: 1\n\n';
}

const plan = PreparedJson.of({ shelf: 'plan', echo: [1, 2] });

const usual: ToyHandlers = {
  getShelf: ({ params, query }) => ({ status: 200, body: { shelf: params.shelf, echo: query } }),
  putShelf: ({ params, body }) => ({ status: 200, body: { shelf: params.shelf, echo: body } }),
  deleteShelf: ({ params }) => {
    throw new ApiError('experiment_not_found', { experiment: params.shelf });
  },
  sortShelves: async ({ body }) => ({ status: 200, body: { shelf: 'all', echo: body } }),
  getPlan: () => ({ status: 200, body: plan }),
  getSecret: () => ({ status: 200, body: plan }),
  halt: () => ({ status: 200, body: { shelf: 'all', echo: null } }),
  getText: ({ params }) => ({ status: 200, body: `label of ${params.shelf}` }),
  follow: () => ({ status: 200, body: new StreamBody(oneEvent()) }),
  download: () => ({ status: 200, body: new StreamBody(oneEvent()) }),
};

/** A running server of the toy routes. */
export interface ToyServer extends AsyncDisposable {
  readonly server: HttpServer;
  readonly url: string;
  readonly log: MemoryLog;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends bytes over a new connection; resolves with everything received until the server closes it. */
  raw(bytes: string): Promise<string>;
  /** A connection for tests that send step by step. */
  socket(): Promise<Socket>;
}

function collect(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

/** Starts the toy routes on a free port. */
export async function startToy(
  handlers: Partial<ToyHandlers> = {},
  options: Partial<HttpServerOptions> = {},
): Promise<ToyServer> {
  const log = memoryLog();
  const server = new HttpServer({
    host: '127.0.0.1',
    port: 0,
    log,
    clock: realClock(),
    apis: [serve(toyApi, { ...usual, ...handlers })],
    ...options,
  });
  await server.start(new AbortController().signal);
  const { url, port } = server;
  const socket = () =>
    new Promise<Socket>((resolve) => {
      const opened = connect(port, '127.0.0.1', () => resolve(opened));
    });
  return {
    server,
    url,
    log,
    socket,
    fetch: (path, init) => fetch(url + path, init),
    raw: async (bytes) => {
      const opened = await socket();
      const received = collect(opened);
      opened.write(bytes);
      return received;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
