import { readdir, readlink, realpath, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UnitFiles } from './unit-files.ts';

let server: Server;
let answer: RequestListener;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let path: string;
let files: UnitFiles;
const { signal } = new AbortController();

beforeEach(async () => {
  folder = await temporaryFolder('unit-files');
  path = join(await realpath(folder.path), 'a.zip');
  await writeFile(path, Buffer.alloc(8 * 1024 * 1024));
  server = createServer((request, response) => answer(request, response));
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  const units = { statusOf: () => undefined, all: () => [], addressOf: () => `http://127.0.0.1:${port}` };
  files = new UnitFiles({ units, newId: () => 'id', nodeHeaders: () => ({}), nodeAgent: async () => undefined }, 700);
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await folder[Symbol.asyncDispose]();
});

const send = () => files.send('unit1', '/x', { field: 'file', path, fileName: 'a.zip' }, signal);
const noAnswer = (cause: string | RegExp) => ({
  code: 'unit_gave_no_answer',
  body: { cause: expect.stringMatching(cause) },
});
const openFiles = () =>
  readdir('/proc/self/fd').then((names) =>
    Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => ''))),
  );

describe('a unit that takes a file', () => {
  it('counts a response that is not JSON as no answer', async () => {
    answer = (request, response) => request.resume().on('end', () => response.end('<html>'));
    await expect(send()).rejects.toMatchObject(noAnswer('not JSON'));
  });

  it('and answers without end has given no answer', async () => {
    answer = (request, response) => {
      request.resume();
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) {}
      };
      response.on('drain', more);
      more();
    };
    await expect(send()).rejects.toMatchObject(noAnswer('too large'));
  });

  it('and goes away leaves no file open', async () => {
    answer = (request) => void request.once('data', () => request.destroy());
    await expect(send()).rejects.toMatchObject(noAnswer(''));
    await expect.poll(openFiles).not.toContain(path);
  });

  it('and answers slowly is waited for, as long as something comes', async () => {
    answer = (request, response) => {
      request.resume();
      response.write('{');
      let left = 20;
      const more = setInterval(() => {
        left -= 1;
        if (left > 0) return response.write(' ');
        clearInterval(more);
        return response.end('}');
      }, 50);
    };
    expect(await send()).toEqual({ status: 200, body: {} });
  });
});

it('a unit that begins to answer and falls silent is given up', async () => {
  answer = (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{');
  };
  await expect(send()).rejects.toMatchObject(noAnswer(''));
  const download = await files.download('unit1', '/x', signal);
  await expect(Array.fromAsync(download)).rejects.toThrow();
});
