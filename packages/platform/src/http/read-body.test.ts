import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startToy } from '../testing/toy-server.ts';

const command = (deadline: string) =>
  `POST /api/shelves/sort HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n${deadline}\r\n{}`;

/** Counts how often the command is carried out. */
async function startCounting() {
  let count = 0;
  const toy = await startToy({
    sortShelves: () => {
      count += 1;
      return { status: 200, body: { shelf: 'all', echo: null } };
    },
    deleteShelf: () => {
      count += 1;
      return { status: 200, body: { shelf: 'gone', echo: null } };
    },
  });
  return { toy, count: () => count };
}

const gone = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

describe('a command of a caller who has hung up', () => {
  it.each([
    ['ended', (socket: Socket, bytes: string) => socket.end(bytes)],
    ['destroyed', (socket: Socket, bytes: string) => socket.write(bytes, () => socket.destroy())],
    ['reset', (socket: Socket, bytes: string) => socket.write(bytes, () => socket.resetAndDestroy())],
  ])('is not begun when it has a deadline and its connection is %s', async (_, hangUp) => {
    const { toy, count } = await startCounting();
    for (const bytes of [
      command('x-deadline-ms: 60000\r\n'),
      'DELETE /api/shelves/a HTTP/1.1\r\nHost: localhost\r\nx-deadline-ms: 60000\r\n\r\n',
    ]) {
      const socket = await toy.socket();
      socket.on('error', () => {});
      // The data are read without any listener: the end of the connection is seen.
      socket.resume();
      const closed = gone(socket);
      hangUp(socket, bytes);
      await closed;
    }
    // Its answer comes after what came before it.
    await toy.fetch('/api/plan');
    await toy[Symbol.asyncDispose]();
    expect(count()).toBe(0);
    expect(toy.log.messages('error')).toEqual([]);
  });

  it('is carried out while the caller waits, also on a connection that was used before', async () => {
    const { toy, count } = await startCounting();
    const socket = await toy.socket();
    socket.setEncoding('utf8');
    for (let sent = 1; sent <= 2; sent += 1) {
      const answer = new Promise((resolve) => socket.once('data', resolve));
      socket.write(command('x-deadline-ms: 60000\r\n'));
      expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(count()).toBe(sent);
    }
    socket.destroy();
    await toy[Symbol.asyncDispose]();
  });
});
