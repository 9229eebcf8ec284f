import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { LeaderUnderTest } from './leader-under-test.ts';

/** A received request. */
export interface UnitRequest {
  readonly method: string;
  /** With the query, as it was sent. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Parsed JSON; undefined without a body, or for one of another kind. */
  readonly body: unknown;
}

/** An answer. */
export interface UnitAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** A fake unit that answers the routes of jobs and of its own state like a real one, without any job. */
export interface ToyUnit extends AsyncDisposable {
  readonly name: string;
  /** `host:port`. */
  readonly address: string;
  /** The received requests, except those for results of its tasks. */
  readonly requests: readonly UnitRequest[];
}

export interface ToyUnitOptions {
  /** Answers a request in its own way; undefined: as usual. */
  readonly answer?: (request: UnitRequest) => UnitAnswer | undefined | Promise<UnitAnswer | undefined>;
}

const ok = (body: unknown): UnitAnswer => ({ status: 200, body });
const task = (name: string): UnitAnswer => ({
  status: 202,
  body: { unit: 'toy', task_id: name, result_url_path: `/unit_api/task_results/${name}`, status: 'accepted' },
});
const succeeded = (result: unknown): UnitAnswer => ok({ status: 'succeeded', result });

const usual: readonly (readonly [method: string, path: RegExp, answer: UnitAnswer])[] = [
  ['POST', /^\/unit_api\/jobs\/run\/job_name\/[^/]+$/, task('start')],
  ['POST', /^\/unit_api\/jobs\/stop(\/all)?$/, task('stop')],
  ['GET', /^\/unit_api\/task_results\/start$/, succeeded({ ok: true, job_id: 1, state: 'ready' })],
  ['GET', /^\/unit_api\/task_results\/stop$/, succeeded({ stopped: [], still_running: [] })],
  [
    'PATCH',
    /^\/unit_api\/jobs\/settings\/job_name\/[^/]+$/,
    { status: 202, body: { status: 'accepted', settings: {} } },
  ],
  ['GET', /^\/unit_api\/jobs\/running$/, ok([])],
  ['GET', /^\/unit_api\/jobs\/settings\/job_name\/[^/]+\?/, ok({ settings: { $state: 'ready' } })],
  ['GET', /^\/unit_api\/jobs\/settings\/job_name\/[^/]+\/setting\/[^/]+\?/, ok({ target_rpm: 400 })],
  ['GET', /^\/unit_api\/versions\/(app|ui)$/, ok({ version: '26.11.0' })],
  ['GET', /^\/unit_api\/capabilities$/, ok([])],
  ['GET', /^\/unit_api\/config\/merged$/, ok({ mqtt: { broker_address: '127.0.0.1' } })],
  ['POST', /^\/unit_api\/hardware\/check$/, ok({ status: 'success' })],
];

const nothing: UnitAnswer = {
  status: 404,
  body: { error: 'Nothing here.', cause: 'No route.', remediation: 'None.', status: 404, code: 'route_not_found' },
};

const usualAnswer = ({ method, path }: UnitRequest): UnitAnswer =>
  usual.find(([known, pattern]) => known === method && pattern.test(path))?.[2] ?? nothing;

const isJson = (headers: IncomingMessage['headers']): boolean => headers['content-type']?.includes('json') ?? false;

/** Starts such a unit without enrolling it. */
export async function startToyUnit(name: string, { answer }: ToyUnitOptions = {}): Promise<ToyUnit> {
  const requests: UnitRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const sent = await text(incoming);
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: isJson(headers) && sent !== '' ? JSON.parse(sent) : undefined };
    if (!path.startsWith('/unit_api/task_results/')) requests.push(request);
    const { status, body } = (await answer?.(request)) ?? usualAnswer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    name,
    address: `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Starts such a unit and makes it a worker of the leader. */
export async function addToyUnit(
  leader: LeaderUnderTest,
  name: string,
  options: ToyUnitOptions = {},
): Promise<ToyUnit> {
  const unit = await startToyUnit(name, options);
  await leader.client.registerWorker({ body: { reactor_unit: name } });
  const config = await leader.client.getSharedConfig();
  const code = config.replace('[cluster.addresses]\n', `$&${name}=${unit.address}\n`);
  await leader.client.saveSharedConfig({ body: { code } });
  return unit;
}
