import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { memoryLog, realClock, VirtualClock } from '@lcs/platform';
import { afterEach, describe, expect, it } from 'vitest';
import { HttpFleet, type HttpFleetOptions } from './http-fleet.ts';

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

const cleanUps: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A unit that answers as it is told. */
async function unitThat(answering: Answering): Promise<string> {
  const server = createServer(answering).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

const send = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

function fleetOf(addressOf: (unit: string) => string | undefined, options: Partial<HttpFleetOptions> = {}): HttpFleet {
  const fleet = new HttpFleet({
    nodeHeaders: () => ({}),
    wire: realClock(),
    log: memoryLog(),
    addressOf,
    newId: () => 'id',
    ...options,
  });
  cleanUps.push(() => fleet.stop());
  return fleet;
}

const path = '/unit_api/versions/app';

describe('a read of units', () => {
  it('has one outcome per unit, in the order of their names, and follows tasks', async () => {
    const seen: unknown[] = [];
    const direct = await unitThat((request, response) => {
      seen.push([request.method, request.url, request.headers['content-length'], request.headers['idempotency-key']]);
      send(response, 200, { version: '1' });
    });
    const byTask = await unitThat((request, response) =>
      request.url === path
        ? send(response, 202, { result_url_path: '/unit_api/task_results/t' })
        : send(response, 200, { status: 'succeeded', result: { version: '2' } }),
    );
    const outcomes = await fleetOf((unit) => ({ b: direct, a: byTask })[unit]).read(['lost', 'b', 'a'], path);
    expect(Object.keys(outcomes)).toEqual(['a', 'b', 'lost']);
    expect(outcomes).toMatchObject({
      a: { ok: true, value: { version: '2' } },
      b: { ok: true, value: { version: '1' } },
      lost: { ok: false, error: { kind: 'connection_error' }, retryable: true },
    });
    expect(seen).toEqual([['GET', path, undefined, undefined]]);
  });

  it('ends after 3 s for a silent unit, and after 4 s in all for those that had no turn', async () => {
    const wire = new VirtualClock();
    let asked = 0;
    let told: { readonly at: number; resolve(): void } | undefined;
    const silent = await unitThat(() => {
      asked += 1;
      if (asked === told?.at) told.resolve();
    });
    const askedTimes = (at: number) => new Promise<void>((resolve) => (told = { at, resolve }));
    const units = Array.from({ length: 130 }, (_, index) => `rx${index}`);
    const first = askedTimes(128);
    const outcomes = fleetOf(() => silent, { wire }).read(units, path);
    await first;
    const rest = askedTimes(130);
    await wire.advance(3000);
    await rest;
    await wire.advance(1000);
    const causes = Object.values(await outcomes).map((outcome) => (outcome.ok ? undefined : outcome.error.cause));
    expect(causes.filter((cause) => cause?.includes('3 s'))).toHaveLength(128);
    expect(causes.filter((cause) => cause?.includes('4 s'))).toHaveLength(2);
    expect(wire.pendingTimers).toBe(0);
  });

  it('tries once more when there was no connection', async () => {
    let asked = 0;
    const unit = await unitThat((request, response) => {
      asked += 1;
      if (asked === 1) return request.socket.destroy();
      return send(response, 200, true);
    });
    const down = await unitThat((request) => {
      asked += 1;
      request.socket.destroy();
    });
    const fleet = fleetOf((name) => (name === 'up' ? unit : down), { limits: { pollIntervalMs: 1 } });
    expect(await fleet.read(['up'], path)).toMatchObject({ up: { ok: true } });
    asked = 0;
    expect(await fleet.read(['down'], path)).toMatchObject({ down: { ok: false } });
    expect(asked).toBe(2);
  });

  it('that may be a little old costs one call in 10 s, and failures are not kept', async () => {
    const wire = new VirtualClock();
    let asked = 0;
    const unit = await unitThat((_, response) => {
      asked += 1;
      if (asked === 1) send(response, 500, {});
      else send(response, 200, { asked });
    });
    const fleet = fleetOf(() => unit, { wire });
    const read = async (isCached = true) => (await fleet.read(['rx01'], path, { isCached })).rx01;
    expect(await read()).toMatchObject({ ok: false, status_code: 500 });
    const kept = { ok: true, unit: 'rx01', value: { asked: 2 } };
    expect(await read()).toEqual(kept);
    await wire.advance(9999);
    expect(await read()).toEqual(kept);
    expect(await read(false)).toMatchObject({ value: { asked: 3 } });
    await wire.advance(1);
    expect(await read()).toMatchObject({ value: { asked: 4 } });
  });

  it('is not cached when its data changed before it arrived', async () => {
    let asked = 0;
    const isAsked = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const unit = await unitThat((_, response) => {
      asked += 1;
      const answer = asked;
      isAsked.resolve();
      if (answer > 1) return send(response, 200, { answer });
      void held.promise.then(() => send(response, 200, { answer }));
    });
    const fleet = fleetOf(() => unit);
    const early = fleet.read(['rx01'], path, { isCached: true });
    await isAsked.promise;
    fleet.forget(['rx01'], [path]);
    held.resolve();
    expect(await early).toMatchObject({ rx01: { value: { answer: 1 } } });
    expect(await fleet.read(['rx01'], path, { isCached: true })).toMatchObject({ rx01: { value: { answer: 2 } } });
    expect(await fleet.read(['rx01'], path, { isCached: true })).toMatchObject({ rx01: { value: { answer: 2 } } });
  });
});

describe('a command', () => {
  it('is not sent after its deadline, and contains the remaining time when it is', async () => {
    const wire = new VirtualClock();
    const left: unknown[] = [];
    const unit = await unitThat((request, response) => {
      left.push(request.headers['x-deadline-ms']);
      send(response, 200, true);
    });
    const fleet = fleetOf(() => unit, { wire });
    const command = { unit: 'rx01', method: 'PATCH', path: '/unit_api/x', body: {} } as const;
    const options = { lane: 'command', deadline: wire.monotonic() + 1000, idempotencyKey: 'k' } as const;
    await wire.advance(400);
    expect(await fleet.command([command], options)).toMatchObject({ rx01: { ok: true } });
    await wire.advance(600);
    expect(await fleet.command([command], options)).toMatchObject({
      rx01: { ok: false, error: { kind: 'http_error' }, status_code: 504, retryable: true },
    });
    expect(left).toEqual(['550']);
  });
});
