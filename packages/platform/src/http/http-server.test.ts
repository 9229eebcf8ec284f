import { createServer } from 'node:http';
import { localCaller } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { silentLog } from '../log/log.ts';
import { StartupError } from '../process/startup-error.ts';
import { startToy } from '../testing/toy-server.ts';
import { HttpServer } from './http-server.ts';

const never = new AbortController().signal;
const serverAt = (host: string, port = 0) =>
  new HttpServer({ host, port, log: silentLog(), clock: new VirtualClock(), apis: [] });

describe('starting', () => {
  it('listens on any free port for 0', async () => {
    await using toy = await startToy();
    expect(toy.server.port).toBeGreaterThan(0);
    expect(toy.server.url).toBe(`http://127.0.0.1:${toy.server.port}`);
  });

  it('rejects a port that is in use', async () => {
    await using toy = await startToy();
    const failure = serverAt('127.0.0.1', toy.server.port).start(never);
    await expect(failure).rejects.toThrow(StartupError);
  });

  it.each(['0.0.0.0', '192.0.2.1', '::', 'somewhere.invalid'])('rejects %s without access control', async (host) => {
    await expect(serverAt(host).start(never)).rejects.toThrow(StartupError);
  });

  it('rejects an address of another machine', async () => {
    const server = new HttpServer({
      host: '192.0.2.1',
      port: 0,
      log: silentLog(),
      clock: new VirtualClock(),
      apis: [],
      identify: () => localCaller,
    });
    await expect(server.start(never)).rejects.toThrow(StartupError);
  });

  it('rejects an invalid port', async () => {
    await expect(serverAt('127.0.0.1', 70_000).start(never)).rejects.toThrow(StartupError);
  });

  it('does nothing when it is aborted before', async () => {
    await expect(serverAt('127.0.0.1').start(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });

  it('listens on 127.0.0.1 for localhost', async () => {
    await using toy = await startToy({}, { host: 'localhost' });
    expect(toy.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
  });
});

describe('stopping', () => {
  const waitingPlan = () => {
    const begun = Promise.withResolvers<AbortSignal>();
    const release = Promise.withResolvers<void>();
    const getPlan = async ({ signal }: { readonly signal: AbortSignal }) => {
      begun.resolve(signal);
      await release.promise;
      return { status: 200 as const, body: { shelf: 'done', echo: null } };
    };
    return { begun: begun.promise, release: release.resolve, getPlan };
  };

  it('completes a running request, refuses new ones and frees the port', async () => {
    const { begun, release, getPlan } = waitingPlan();
    await using toy = await startToy({ getPlan });
    const running = toy.fetch('/api/plan');
    await begun;
    const stopped = toy.server.stop();
    const refused = await toy.fetch('/api/shelves/a');
    expect([refused.status, refused.headers.get('connection')]).toEqual([503, 'close']);
    expect(await refused.json()).toMatchObject({ code: 'shutting_down' });
    const { port } = toy.server;
    release();
    expect(await (await running).json()).toMatchObject({ shelf: 'done' });
    await stopped;
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    await new Promise((resolve) => other.close(resolve));
  });

  it('ends idle connections at once', async () => {
    const toy = await startToy();
    const socket = await toy.socket();
    const answered = new Promise((resolve) => socket.once('data', resolve));
    socket.write('GET /api/plan HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await answered;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await toy.server.stop();
    await closed;
  });

  it('logs requests that run too long at its stop, then ends them, within 5 s', async () => {
    const clock = new VirtualClock();
    const { begun, getPlan } = waitingPlan();
    const toy = await startToy({ getPlan }, { clock });
    const running = toy.fetch('/api/plan').catch((error) => error);
    const signal = await begun;
    const stopped = toy.server.stop();
    await clock.advance(2999);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.reason).toMatchObject({ code: 'shutting_down' });
    await clock.advance(500);
    await clock.advance(1000);
    await stopped;
    expect(await running).toBeInstanceOf(Error);
  });

  it('may be stopped without a start, or twice', async () => {
    await serverAt('127.0.0.1').stop();
    const toy = await startToy();
    await toy.server.stop();
    await toy.server.stop();
  });
});

describe('the signal of a request', () => {
  it('is aborted when the caller goes away before the answer', async () => {
    const seen = Promise.withResolvers<unknown>();
    const begun = Promise.withResolvers<void>();
    await using toy = await startToy({
      getPlan: ({ signal }) => {
        begun.resolve();
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            seen.resolve(signal.reason);
            reject(signal.reason);
          }),
        );
      },
    });
    const controller = new AbortController();
    const answer = toy.fetch('/api/plan', { signal: controller.signal }).catch(() => 'gone');
    await begun.promise;
    controller.abort();
    expect(await seen.promise).toMatchObject({ name: 'ClientDisconnected' });
    expect(await answer).toBe('gone');
    expect(toy.log.messages('error')).toEqual([]);
  });

  it('is not aborted by an answer that went out', async () => {
    const signals: AbortSignal[] = [];
    await using toy = await startToy({
      getPlan: async ({ signal }) => {
        signals.push(signal);
        return { status: 200, body: { shelf: '', echo: null } };
      },
    });
    await (await toy.fetch('/api/plan', { headers: { 'x-deadline-ms': '50000' } })).text();
    await toy.server.stop();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it('is aborted at the deadline, with 504 when the handler ends', async () => {
    const clock = new VirtualClock();
    const begun = Promise.withResolvers<void>();
    await using toy = await startToy(
      {
        getPlan: ({ signal }) => {
          begun.resolve();
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        },
      },
      { clock },
    );
    const answer = toy.fetch('/api/plan', { headers: { 'x-deadline-ms': '1500' } });
    await begun.promise;
    await clock.advance(1500);
    const response = await answer;
    expect(await response.json()).toMatchObject({ status: 504, code: 'deadline_passed' });
  });

  it.each(['0', '-1', '-99999'])('answers 504 without asking the handler when the deadline is %s', async (deadline) => {
    let isAsked = false;
    await using toy = await startToy({
      getPlan: () => {
        isAsked = true;
        return { status: 200, body: { shelf: '', echo: null } };
      },
    });
    const response = await toy.fetch('/api/plan', { headers: { 'x-deadline-ms': deadline } });
    expect(await response.json()).toMatchObject({ status: 504, code: 'deadline_passed' });
    expect(isAsked).toBe(false);
  });

  it.each(['soon', '1.5', '', '1e3'])('answers 400 when the deadline is no integer: %s', async (deadline) => {
    await using toy = await startToy();
    const response = await toy.fetch('/api/plan', { headers: { 'x-deadline-ms': deadline } });
    expect(await response.json()).toMatchObject({ status: 400, code: 'malformed_request' });
  });

  it('refuses a command whose body took longer than its deadline', async () => {
    const clock = new VirtualClock();
    await using toy = await startToy({}, { clock });
    const socket = await toy.socket();
    const answer = new Promise((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.write('PUT /api/shelves/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\nx-deadline-ms: 100\r\n\r\n');
    await toy.fetch('/api/plan');
    await clock.advance(100);
    socket.write('{"label":"x"}');
    expect(await answer).toMatch(/^HTTP\/1\.1 504 /);
    socket.destroy();
  });
});
