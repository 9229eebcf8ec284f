import { StreamBody } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { startToy } from '../testing/toy-server.ts';

/** A promise and the means to settle it. */
const gate = () => Promise.withResolvers<void>();

const reader = (response: Response) => {
  if (response.body === null) throw new Error('no body');
  return response.body.getReader();
};

describe('event streams', () => {
  it('send their headers before the first event, and each event at once', async () => {
    const first = gate();
    const second = gate();
    async function* events() {
      await first.promise;
      yield 'data: 1\n\n';
      await second.promise;
      yield 'data: 2\n\n';
    }
    await using toy = await startToy({ follow: () => ({ status: 200, body: new StreamBody(events()) }) });
    const response = await toy.fetch('/api/follow');
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-request-id')).toMatch(/./);
    const stream = reader(response);
    first.resolve();
    expect(Buffer.from((await stream.read()).value ?? []).toString()).toBe('data: 1\n\n');
    second.resolve();
    expect(Buffer.from((await stream.read()).value ?? []).toString()).toBe('data: 2\n\n');
    expect((await stream.read()).done).toBe(true);
  });

  it('run their finally when the caller goes away while they wait', async () => {
    const finished = gate();
    const begun = gate();
    async function* events(signal: AbortSignal) {
      try {
        yield 'data: 1\n\n';
        begun.resolve();
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      } finally {
        finished.resolve();
      }
    }
    await using toy = await startToy({
      follow: ({ signal }) => ({ status: 200, body: new StreamBody(events(signal)) }),
    });
    const controller = new AbortController();
    const response = await toy.fetch('/api/follow', { signal: controller.signal });
    await reader(response).read();
    await begun.promise;
    controller.abort();
    await finished.promise;
    expect(toy.log.messages('error')).toEqual([]);
  });

  it('end cleanly when the server stops', async () => {
    const finished = gate();
    async function* events(signal: AbortSignal) {
      try {
        yield 'data: 1\n\n';
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      } finally {
        finished.resolve();
      }
    }
    await using toy = await startToy({
      follow: ({ signal }) => ({ status: 200, body: new StreamBody(events(signal)) }),
    });
    const stream = reader(await toy.fetch('/api/follow'));
    await stream.read();
    const stopped = toy.server.stop();
    expect((await stream.read()).done).toBe(true);
    await finished.promise;
    await stopped;
  });
});

describe('downloads', () => {
  it('are never read faster than the caller takes them', async () => {
    let made = 0;
    const piece = new Uint8Array(256 * 1024);
    async function* pieces() {
      for (; made < 400; made += 1) yield piece;
    }
    await using toy = await startToy({ download: () => ({ status: 200, body: new StreamBody(pieces()) }) });
    const socket = await toy.socket();
    socket.pause();
    socket.write('GET /api/download HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    await toy.fetch('/api/plan');
    let before = -1;
    while (before !== made) {
      before = made;
      for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(made).toBeLessThan(200);
    let received = 0;
    socket.on('data', (data) => {
      received += data.length;
    });
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(received).toBeGreaterThan(400 * piece.length);
  });

  it('that fail before their first piece are answered as errors', async () => {
    const pieces: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('disk gone')) }),
    };
    await using toy = await startToy({ download: () => ({ status: 200, body: new StreamBody(pieces) }) });
    const response = await toy.fetch('/api/download');
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'internal_error' });
  });

  it('that fail later are cut off, so that clients notice that they are incomplete', async () => {
    async function* pieces() {
      yield 'one';
      throw new Error('disk gone');
    }
    await using toy = await startToy({ download: () => ({ status: 200, body: new StreamBody(pieces()) }) });
    const response = await toy.fetch('/api/download');
    await expect(response.text()).rejects.toThrow();
    expect(toy.log.lines.find(({ level }) => level === 'error')?.fields.error).toBe('disk gone');
  });

  it('that last longer than a stop may wait are cut off, not ended as if they were whole', async () => {
    const clock = new VirtualClock();
    const returned = gate();
    const pieces: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => {
        let isFirst = true;
        return {
          next: () => {
            if (!isFirst) return new Promise(() => {});
            isFirst = false;
            return Promise.resolve({ done: false, value: 'one' });
          },
          return: async () => {
            returned.resolve();
            return { done: true, value: undefined };
          },
        };
      },
    };
    const toy = await startToy({ download: () => ({ status: 200, body: new StreamBody(pieces) }) }, { clock });
    const response = await toy.fetch('/api/download');
    const text = expect(response.text()).rejects.toThrow();
    const stopped = toy.server.stop();
    await clock.advance(3000);
    await text;
    await returned.promise;
    await stopped;
  });

  it('are returned, not only dropped, when the caller goes away', async () => {
    const returned = gate();
    const pieces: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: 'x'.repeat(100_000) }),
        return: async () => {
          returned.resolve();
          return { done: true, value: undefined };
        },
      }),
    };
    await using toy = await startToy({ download: () => ({ status: 200, body: new StreamBody(pieces) }) });
    const socket = await toy.socket();
    socket.once('data', () => socket.destroy());
    socket.write('GET /api/download HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await returned.promise;
  });

  it('are not begun for HEAD', async () => {
    let isBegun = false;
    async function* pieces() {
      isBegun = true;
      yield 'one';
    }
    await using toy = await startToy({ download: () => ({ status: 200, body: new StreamBody(pieces()) }) });
    const response = await toy.fetch('/api/download', { method: 'HEAD' });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
    expect(isBegun).toBe(false);
  });
});
