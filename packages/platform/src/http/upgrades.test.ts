import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { startToy } from '../testing/toy-server.ts';
import type { UpgradeHandler } from './upgrades.ts';

/** Answers the bytes that came with the request by themselves; without any it stays open. */
const echo: UpgradeHandler = (_request, socket, head) => {
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  if (head.length > 0) socket.end(head);
};

const upgrades = { '/echo': echo };
const wish = (path: string, ...headers: string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'Connection: Upgrade', 'Upgrade: websocket', ...headers].join('\r\n')}\r\n\r\n`;

describe('a WebSocket request', () => {
  it('gets the connection at its path, with or without a query', async () => {
    await using toy = await startToy({}, { upgrades });
    expect(await toy.raw(`${wish('/echo?x=1', 'Host: localhost')}hello`)).toMatch(/^HTTP\/1\.1 101 .*hello$/s);
  });

  it.each([
    [['Host: evil.example'], 403, 'foreign_host'],
    [['Host: localhost', 'Origin: http://evil.example'], 403, 'foreign_origin'],
    [[], 400, 'malformed_request'],
  ])('is refused with %j', async (headers, status, code) => {
    await using toy = await startToy({}, { upgrades });
    const answer = await toy.raw(wish('/echo', ...headers));
    expect(answer.slice(9, 12)).toBe(String(status));
    expect(answer).toContain(`"code":"${code}"`);
  });

  it.each([
    ['/nothing', 404],
    ['/api/plan', 200],
  ])('is an ordinary request elsewhere: %s', async (path, status) => {
    await using toy = await startToy({}, { upgrades });
    const answer = await toy.raw(wish(path, 'Host: localhost', 'Connection: close'));
    expect(answer.slice(9, 12)).toBe(String(status));
  });

  it('does not keep the server from stopping', async () => {
    const toy = await startToy({}, { upgrades });
    const socket = await toy.socket();
    socket.write(wish('/echo', 'Host: localhost'));
    await once(socket, 'data');
    const closed = once(socket, 'close');
    await toy[Symbol.asyncDispose]();
    await closed;
  });
});
