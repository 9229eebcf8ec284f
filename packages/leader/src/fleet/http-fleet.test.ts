import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { memoryLog, realClock, VirtualClock } from '@lcs/platform';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpFleet, type HttpFleetOptions } from './http-fleet.ts';

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A unit that answers as it is told. */
async function unitThat(answering: Answering): Promise<string> {
  const server: Server = createServer(answering);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}`;
}

const send = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

function fleetOf(addresses: Readonly<Record<string, string>>, options: Partial<HttpFleetOptions> = {}): HttpFleet {
  let ids = 0;
  const fleet = new HttpFleet({
    nodeHeaders: () => ({}),
    wire: realClock(),
    log: memoryLog(),
    addressOf: (unit) => addresses[unit],
    newId: () => `id-${++ids}`,
    ...options,
  });
  cleanUps.push(() => fleet.stop());
  return fleet;
}

describe('HttpFleet', () => {
  it('requests a unit to stop the jobs of an experiment, with a key and a deadline', async () => {
    const seen: unknown[] = [];
    const unit = await unitThat(async (request, response) => {
      seen.push(request.method, request.url, await json(request));
      seen.push(request.headers['idempotency-key'], request.headers['x-deadline-ms']);
      send(response, 200, { status: 'success' });
    });
    const outcomes = await fleetOf({ rx01: unit }).stopJobs(['rx01'], { experiment: 'E 1/ü' });
    expect(outcomes).toEqual({ rx01: { ok: true, unit: 'rx01', value: {} } });
    expect(seen).toEqual(['POST', '/unit_api/jobs/stop', { experiment: 'E 1/ü' }, 'id-1', '1950']);
  });

  it.each(['read', 'command'] as const)(
    'begins a %s of many units over several turns of the event loop',
    async (kind) => {
      const begun: string[] = [];
      const addressOf = (unit: string) => {
        begun.push(unit);
        return undefined;
      };
      const fleet = fleetOf({}, { addressOf });
      const units = Array.from({ length: 40 }, (_, index) => `rx${index}`);
      const commands = units.map((unit) => ({ unit, method: 'POST', path: '/', body: {} }) as const);
      const outcomes = kind === 'read' ? fleet.read(units, '/') : fleet.command(commands, { lane: 'stop' });
      const inFirstTurn = await new Promise<number>((resolve) => setImmediate(() => resolve(new Set(begun).size)));
      expect(inFirstTurn).toBeLessThan(40);
      expect(Object.keys(await outcomes)).toHaveLength(40);
      expect(new Set(begun).size).toBe(40);
    },
  );

  it('requests a unit to stop all jobs, and to check its hardware', async () => {
    const seen: unknown[] = [];
    const unit = await unitThat(async (request, response) => {
      seen.push([request.url, await json(request)]);
      send(response, 200, true);
    });
    const fleet = fleetOf({ rx01: unit });
    await fleet.stopJobs(['rx01'], 'all');
    await fleet.checkHardware('rx01', { model_name: 'reactor_20ml', model_version: '1.5' });
    expect(seen).toEqual([
      ['/unit_api/jobs/stop/all', {}],
      ['/unit_api/hardware/check', { model_name: 'reactor_20ml', model_version: '1.5' }],
    ]);
  });

  it('returns one outcome per unit in the requested order, whatever the others do', async () => {
    const good = await unitThat((_, response) => send(response, 200, { stopped: [] }));
    const broken = await unitThat((_, response) => send(response, 500, 'oops'));
    const garbled = await unitThat((_, response) => response.writeHead(200).end('<html>'));
    const rude = await unitThat((request) => request.socket.destroy());
    const closed = await unitThat(() => {});
    await cleanUps.pop()?.();
    const fleet = fleetOf({ z: good, broken, garbled, rude, closed, odd: 'not an address', __proto__: good });
    const units = ['z', 'broken', 'garbled', 'rude', 'closed', 'odd', 'lost'];
    const outcomes = await fleet.stopJobs(units, 'all');
    expect(Object.keys(outcomes)).toEqual(units);
    expect(outcomes.z).toEqual({ ok: true, unit: 'z', value: { stopped: [] } });
    expect(outcomes.broken).toMatchObject({ error: { kind: 'http_error' }, status_code: 500, retryable: true });
    expect(outcomes.garbled).toMatchObject({ error: { kind: 'decode_error' }, status_code: 200, retryable: false });
    for (const unit of ['rude', 'closed', 'odd', 'lost']) {
      expect(outcomes[unit]).toMatchObject({ error: { kind: 'connection_error' }, status_code: null, retryable: true });
    }
    expect(outcomes.lost).toMatchObject({ error: { cause: expect.stringContaining('enrolled') } });
  });

  it('returns no outcomes for no units', async () => {
    expect(await fleetOf({}).stopJobs([], 'all')).toEqual({});
  });

  it('follows the task of a unit to its end: at once, then after pauses that double up to 250 ms', async () => {
    const wire = new VirtualClock();
    const polledAt: number[] = [];
    const { promise: secondPoll, resolve: polledTwice } = Promise.withResolvers<void>();
    const unit = await unitThat((request, response) => {
      if (request.method === 'POST') return send(response, 202, { result_url_path: '/unit_api/task_results/t1' });
      polledAt.push(wire.now());
      if (polledAt.length === 2) polledTwice();
      if (polledAt.length < 8) return send(response, 202, { status: 'running' });
      return send(response, 200, { status: 'succeeded', result: { stopped: [], still_running: [] } });
    });
    const begin = wire.now();
    const outcomes = fleetOf({ rx01: unit }, { wire }).stopJobs(['rx01'], 'all');
    const advancing = advanceTo(wire, outcomes);
    await secondPoll;
    expect(await outcomes).toEqual({ rx01: { ok: true, unit: 'rx01', value: { stopped: [], still_running: [] } } });
    await advancing;
    expect(polledAt.map((at) => at - begin)).toEqual([0, 15, 45, 105, 225, 465, 715, 965]);
  });

  it('reports a task that failed, and one that does not end', async () => {
    const failing = await unitThat((request, response) =>
      request.method === 'POST'
        ? send(response, 202, { result_url_path: '/unit_api/task_results/t1' })
        : send(response, 200, { status: 'failed', error: 'Stuck.', cause: 'c', remediation: 'r', code: 'x' }),
    );
    const endless = await unitThat((request, response) =>
      request.method === 'POST'
        ? send(response, 202, { result_url_path: '/unit_api/task_results/t1' })
        : send(response, 202, { status: 'running' }),
    );
    const fleet = fleetOf({ failing, endless }, { limits: { taskMs: 40, pollIntervalMs: 10 } });
    const outcomes = await fleet.stopJobs(['failing', 'endless'], 'all');
    expect(outcomes.failing).toMatchObject({ error: { kind: 'task_failed', message: 'Stuck.' }, retryable: false });
    expect(outcomes.endless).toMatchObject({ error: { kind: 'task_timeout' }, status_code: 202, retryable: true });
  });

  it('follows a task for 30 s and no longer', async () => {
    const wire = new VirtualClock();
    const { promise: polled, resolve: poll } = Promise.withResolvers<void>();
    const endless = await unitThat((request, response) => {
      if (request.method === 'POST') return send(response, 202, { result_url_path: '/unit_api/task_results/t1' });
      send(response, 202, { status: 'running' });
      poll();
    });
    const outcomes = fleetOf({ endless }, { wire, limits: { pollMs: 60_000, pollIntervalMs: 60_000 } }).stopJobs(
      ['endless'],
      'all',
    );
    await polled;
    await wire.advance(30_000);
    expect((await outcomes).endless).toMatchObject({
      error: { cause: expect.stringContaining('30 s') },
      retryable: true,
    });
  });

  it('continues to poll a task after a poll without an answer', async () => {
    let polls = 0;
    const unit = await unitThat((request, response) => {
      if (request.method === 'POST') return send(response, 202, { result_url_path: '/unit_api/task_results/t1' });
      polls += 1;
      if (polls === 1) return request.socket.destroy();
      return send(response, 200, { status: 'succeeded', result: true });
    });
    const fleet = fleetOf({ rx01: unit }, { limits: { pollIntervalMs: 1 } });
    expect(await fleet.stopJobs(['rx01'], 'all')).toEqual({ rx01: { ok: true, unit: 'rx01', value: true } });
  });

  it('polls only the unit of the task', async () => {
    const unit = await unitThat((_, response) => send(response, 202, { result_url_path: 'http://127.0.0.1:1/x' }));
    const outcomes = await fleetOf({ rx01: unit }).stopJobs(['rx01'], 'all');
    expect(outcomes.rx01).toMatchObject({ error: { kind: 'invalid_response' } });
  });

  it('ends after 2 s for a silent unit', async () => {
    const wire = new VirtualClock();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const silent = await unitThat(() => ask());
    const outcomes = fleetOf({ silent }, { wire }).stopJobs(['silent'], 'all');
    await asked;
    await wire.advance(1999);
    expect(wire.pendingTimers).toBe(1);
    await wire.advance(1);
    expect((await outcomes).silent).toMatchObject({
      error: { kind: 'connection_error', cause: expect.stringContaining('2 s') },
      retryable: true,
    });
  });

  it('keeps no unit waiting for the tasks of others, however many there are', async () => {
    const units = Array.from({ length: 80 }, (_, number) => `rx${number}`);
    let asked = 0;
    const unit = await unitThat((request, response) => {
      if (request.method === 'POST') {
        asked += 1;
        return send(response, 202, { result_url_path: '/unit_api/task_results/t' });
      }
      // No task ends before every unit was asked.
      if (asked < units.length) return send(response, 202, { status: 'running' });
      return send(response, 200, { status: 'succeeded', result: true });
    });
    const fleet = fleetOf(Object.fromEntries(units.map((name) => [name, unit])));
    const commands = units.map((name) => ({ unit: name, method: 'POST', path: '/unit_api/blink', body: {} }) as const);
    const outcomes = await fleet.command(commands, { lane: 'command', taskMs: 10_000 });
    expect(Object.values(outcomes).filter(({ ok }) => !ok)).toEqual([]);
    expect([Object.keys(outcomes).length, asked]).toEqual([80, 80]);
  });

  it('sends a stop at once while as many other commands as allowed are under way', async () => {
    let checks = 0;
    const { promise: allAsked, resolve: askedAll } = Promise.withResolvers<void>();
    const unit = await unitThat((request, response) => {
      if (request.url?.includes('/jobs/stop')) return send(response, 200, true);
      checks += 1;
      if (checks === 32) askedAll();
    });
    const fleet = fleetOf({ rx01: unit });
    const model = { model_name: 'm', model_version: '1' };
    const waiting = Array.from({ length: 40 }, () => fleet.checkHardware('rx01', model));
    await allAsked;
    expect(await fleet.stopJobs(['rx01'], 'all')).toEqual({ rx01: { ok: true, unit: 'rx01', value: true } });
    expect(checks).toBe(32);
    await fleet.stop();
    expect((await Promise.all(waiting)).every((outcome) => !outcome.ok)).toBe(true);
  });

  it('keeps connections, and sends a command again when a kept one turns out to be closed', async () => {
    const keys: unknown[] = [];
    const ports = new Set<number | undefined>();
    const unit = await unitThat((request, response) => {
      ports.add(request.socket.remotePort);
      if (keys.push(request.headers['idempotency-key']) === 3) return request.socket.destroy();
      return send(response, 200, true);
    });
    const fleet = fleetOf({ rx01: unit });
    await fleet.stopJobs(['rx01'], 'all');
    await fleet.stopJobs(['rx01'], 'all');
    expect(ports.size).toBe(1);
    expect((await fleet.stopJobs(['rx01'], 'all')).rx01).toMatchObject({ ok: true });
    expect(keys).toEqual(['id-1', 'id-2', 'id-3', 'id-3']);
  });

  it('ends what is under way when the leader stops', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const silent = await unitThat(() => ask());
    const fleet = fleetOf({ silent });
    const outcomes = fleet.stopJobs(['silent'], 'all');
    await asked;
    await fleet.stop();
    expect((await outcomes).silent).toMatchObject({ error: { cause: 'The leader was stopping.' } });
    const late = await fleet.stopJobs(['silent'], 'all');
    expect(late.silent).toMatchObject({ ok: false, error: { cause: 'The leader was stopping.' } });
  });
});

/** Lets time pass until `work` has ended: to the next timer whenever nothing else happens. */
async function advanceTo(wire: VirtualClock, work: Promise<unknown>): Promise<void> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  work.then(end, end);
  while (!ended) {
    await new Promise((resolve) => setImmediate(resolve));
    if (wire.pendingTimers === 2) await wire.advance(250);
  }
}

it('keeps virtual time from passing until the outcome of a command is known', async () => {
  const clock = new VirtualClock();
  const asked = Promise.withResolvers<ServerResponse>();
  const unit = await unitThat((_, response) => asked.resolve(response));
  const fleet = fleetOf({ rx01: unit }, { holds: clock });
  const outcome = fleet.stopJobs(['rx01'], 'all');
  const response = await asked.promise;
  expect(clock.openHolds).toEqual(['a command to rx01']);
  send(response, 200, { status: 'success' });
  await outcome;
  expect(clock.openHolds).toEqual([]);
});
