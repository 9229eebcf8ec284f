import { describe, expect, it } from 'vitest';
import { startToy, type ToyServer } from '../testing/toy-server.ts';

const ask = (toy: ToyServer, headers: readonly string[], line = 'GET /api/plan HTTP/1.1') =>
  toy.raw(`${[line, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`);

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));

describe('the Host check', () => {
  it.each(['localhost', 'LOCALHOST:80', '127.0.0.1:4999', '[::1]:1', 'lab.example', 'Lab.Example:8080'])(
    'serves %s',
    async (host) => {
      await using toy = await startToy({}, { allowedHosts: () => ['lab.example'] });
      expect(await ask(toy, [`Host: ${host}`])).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  it.each([
    'evil.example',
    'localhost.evil.example',
    'evil.example:127',
    '127.0.0.1.evil.example',
    'localhost:x',
    'user@localhost',
    '::1',
  ])('refuses %s', async (host) => {
    await using toy = await startToy();
    const answer = await ask(toy, [`Host: ${host}`]);
    expect(answer).toMatch(/^HTTP\/1\.1 403 /);
    expect(bodyOf(answer)).toMatchObject({ code: 'foreign_host', cause: `The Host header is '${host}'.` });
  });

  it.each([
    'GET /nothing HTTP/1.1',
    'OPTIONS /api/plan HTTP/1.1',
    'POST /api/plan HTTP/1.1',
    'PUT /api/shelves/a HTTP/1.1',
  ])('comes first on every route and method: %s', async (line) => {
    await using toy = await startToy();
    expect(await ask(toy, ['Host: evil.example'], line)).toMatch(/^HTTP\/1\.1 403 /);
    expect(await ask(toy, ['Host: localhost', 'Origin: http://evil.example'], line)).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('answers 400 without a Host', async () => {
    await using toy = await startToy();
    const answer = await ask(toy, []);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(bodyOf(answer)).toMatchObject({ code: 'malformed_request', cause: 'The Host header is missing.' });
  });

  it('answers 400 to several Hosts, whichever comes first', async () => {
    await using toy = await startToy();
    for (const hosts of [
      ['Host: localhost', 'Host: evil.example'],
      ['host: localhost', 'HOST: localhost'],
    ]) {
      const answer = await ask(toy, hosts);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(bodyOf(answer)).toMatchObject({
        code: 'malformed_request',
        cause: 'The request has several Host headers.',
      });
    }
  });

  it('does not take a host found good once for another', async () => {
    await using toy = await startToy();
    for (let port = 1; port <= 100; port += 1) {
      expect((await ask(toy, [`Host: localhost:${port}`])).slice(9, 12)).toBe('200');
    }
    expect((await ask(toy, ['Host: localhost.evil.example:1'])).slice(9, 12)).toBe('403');
  });
});

describe('the Origin check', () => {
  it.each(['http://localhost:4999', 'https://localhost:4999', 'http://LOCALHOST:4999'])(
    'serves pages of its own: %s',
    async (origin) => {
      await using toy = await startToy();
      expect(await ask(toy, ['Host: localhost:4999', `Origin: ${origin}`])).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  it.each(['null', 'http://localhost', 'http://localhost:5000', 'http://evil.example', 'file://localhost:4999', ''])(
    'refuses other pages: %s',
    async (origin) => {
      await using toy = await startToy();
      const answer = await ask(toy, ['Host: localhost:4999', `Origin: ${origin}`]);
      expect(answer).toMatch(/^HTTP\/1\.1 403 /);
      expect(bodyOf(answer)).toMatchObject({ code: 'foreign_origin' });
    },
  );
});

describe('bytes that are not HTTP', () => {
  it.each([
    ['noise', 'hello\r\n\r\n', /Not HTTP|method/],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: localhost\r\n\r\n', /method/],
    ['a bad version', 'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n', /version/i],
    ['a bad header', 'GET / HTTP/1.1\r\nHost: localhost\r\nbad header: \u0001\r\n\r\n', /Not HTTP/],
    ['too long headers', `GET / HTTP/1.1\r\nHost: localhost\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, /too long/],
    [
      'a length that is none',
      'PUT /api/shelves/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: abc\r\n\r\n',
      /Not HTTP/,
    ],
    [
      'a broken chunk',
      'PUT /api/shelves/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      /Not HTTP/,
    ],
    ['CONNECT', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n', /proxy/],
  ])('is answered with the error body and a closed connection: %s', async (_, bytes, cause) => {
    await using toy = await startToy();
    const answer = await toy.raw(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/x-request-id: \S/);
    expect(bodyOf(answer)).toMatchObject({
      status: 400,
      code: 'malformed_request',
      cause: expect.stringMatching(cause),
    });
    expect((await toy.fetch('/api/plan')).status).toBe(200);
  });

  it('does not write into an answer that has begun', async () => {
    let release = () => {};
    const { StreamBody } = await import('@lcs/contract');
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* chunks() {
      yield 'data: 1\n\n';
      await waiting;
    }
    await using toy = await startToy({ follow: () => ({ status: 200, body: new StreamBody(chunks()) }) });
    const socket = await toy.socket();
    let received = '';
    const begun = new Promise<void>((resolve) => {
      socket.on('data', (data) => {
        received += data.toString();
        if (received.includes('data: 1')) resolve();
      });
    });
    socket.on('error', () => {});
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write('GET /api/follow HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await begun;
    socket.write('this is no request\r\n\r\n');
    await closed;
    release();
    expect(received).not.toContain('malformed');
  });

  it('serves a caller with another expectation than 100-continue', async () => {
    await using toy = await startToy();
    expect(await ask(toy, ['Host: localhost', 'Expect: wonders'])).toMatch(/^HTTP\/1\.1 200 /);
  });
});
