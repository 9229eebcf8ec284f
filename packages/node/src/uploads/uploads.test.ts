import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError, routes, type StagedUpload } from '@lcs/contract';
import { HttpServer, memoryLog, realClock, serve, VirtualClock } from '@lcs/platform';
import { Type } from 'typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { safeFileName } from './safe-file-name.ts';
import { UploadStore } from './upload-store.ts';

const limitBytes = 4000;

const api = routes({
  sendFile: {
    method: 'POST',
    path: '/api/file',
    summary: 'Send a file',
    tag: 'Files',
    permission: 'system.read',
    upload: { field: 'file', description: 'Any file', limitBytes },
    responses: { 200: { description: 'Taken', schema: Type.Object({ sha256: Type.String() }) } },
    errors: ['not_the_leader'],
    cache: 'no-store',
    origin: 'extension',
  },
});

let folder: string;
let clock: VirtualClock;
let store: UploadStore;
let shell: HttpServer;
let freeBytes = 1e12;
let refuse = false;
let answerUnread = false;
let taken: StagedUpload[];

const newStore = () =>
  new UploadStore({ folder, clock, log: memoryLog(), newId: randomUUID, freeBytes: async () => freeBytes });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-uploads-'));
  clock = new VirtualClock();
  freeBytes = 1e12;
  refuse = false;
  answerUnread = false;
  taken = [];
  store = newStore();
  await store.start(new AbortController().signal);
  const handlers = serve(api, {
    sendFile: async ({ upload }) => {
      if (refuse) throw new ApiError('not_the_leader', { path: '/api/file' });
      if (answerUnread) return { status: 200, body: { sha256: '' } };
      const file = await upload.receive();
      taken.push(file);
      return { status: 200, body: { sha256: file.sha256 } };
    },
  });
  const log = memoryLog();
  shell = new HttpServer({ host: '127.0.0.1', port: 0, log, clock: realClock(), uploads: store, apis: [handlers] });
  await shell.start(new AbortController().signal);
});
afterEach(async () => {
  await shell.stop();
  await store.stop();
  await rm(folder, { recursive: true });
});

async function send(content: string, fileName = 'a.txt', field = 'file'): Promise<Response> {
  const form = new FormData();
  form.append('note', 'ignored');
  form.append(field, new Blob([content]), fileName);
  return fetch(`${shell.url}/api/file`, { method: 'POST', body: form });
}

/** A form of exactly `sizeBytes` bytes. */
function formOf(sizeBytes: number): { readonly body: string; readonly headers: Record<string, string> } {
  const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n';
  const tail = '\r\n--x--\r\n';
  const body = head + 'a'.repeat(sizeBytes - head.length - tail.length) + tail;
  return { body, headers: { 'content-type': 'multipart/form-data; boundary=x' } };
}

const codeOf = async (response: Response) => {
  const body: unknown = await response.json();
  return { status: response.status, code: body instanceof Object ? Reflect.get(body, 'code') : undefined };
};

describe('a file that comes in', () => {
  it('is whole on disk, hashed, and found by its id and its path', async () => {
    const response = await send('hello', '../../../etc/a b.zip');
    expect(await response.json()).toEqual({
      sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
    });
    const [file] = taken;
    expect(file).toMatchObject({ fileName: 'etc_a_b.zip', sizeBytes: 5 });
    expect(await readFile(file?.path ?? '', 'utf8')).toBe('hello');
    expect(await store.find(file?.uploadId ?? '')).toEqual(file);
    expect(await store.find(file?.path ?? '')).toEqual(file);
    expect(await store.find(`/etc/${file?.uploadId}_etc_a_b.zip`)).toBeUndefined();
    expect(await store.find('/etc/passwd')).toBeUndefined();
    expect(await store.find(randomUUID())).toBeUndefined();
  });

  it('may be as large as the limit, and leaves nothing when it is one byte larger', async () => {
    const fits = await fetch(`${shell.url}/api/file`, { method: 'POST', ...formOf(limitBytes) });
    expect(fits.status).toBe(200);
    const before = await readdir(folder);
    const tooLarge = await fetch(`${shell.url}/api/file`, { method: 'POST', ...formOf(limitBytes + 1) });
    expect(await codeOf(tooLarge)).toEqual({ status: 413, code: 'body_too_large' });
    expect(await readdir(folder)).toEqual(before);
  });

  it('is cut when it turns out too large while it comes', async () => {
    const { body, headers } = formOf(limitBytes + 1);
    const stream = new ReadableStream({
      start: (controller) => {
        for (let at = 0; at < body.length; at += 100)
          controller.enqueue(new TextEncoder().encode(body.slice(at, at + 100)));
        controller.close();
      },
    });
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', headers, body: stream, duplex: 'half' };
    expect(await codeOf(await fetch(`${shell.url}/api/file`, init))).toEqual({ status: 413, code: 'body_too_large' });
    expect(await readdir(folder)).toEqual([]);
  });

  it('takes a file whose name has no character that is kept', async () => {
    for (const name of ['图片', '...']) expect((await send('x', name)).ok).toBe(true);
  });

  it('leaves nothing when its sender goes away', async () => {
    const { body } = formOf(limitBytes);
    const socket = connect(shell.port, '127.0.0.1');
    const head = `POST /api/file HTTP/1.1\r\nhost: localhost\r\ncontent-type: multipart/form-data; boundary=x\r\ncontent-length: ${body.length}\r\n\r\n`;
    socket.write(head + body.slice(0, 3000));
    await expect.poll(() => readdir(folder)).toHaveLength(1);
    socket.destroy();
    await expect.poll(() => readdir(folder)).toEqual([]);
  });

  it.each([
    ['another part', () => send('x', 'a.txt', 'other')],
    ['no form', () => fetch(`${shell.url}/api/file`, { method: 'POST', body: '{}' })],
    [
      'no boundary',
      () => fetch(`${shell.url}/api/file`, { method: 'POST', headers: { 'content-type': 'multipart/form-data;' } }),
    ],
    [
      'a form that ends too early',
      () =>
        fetch(`${shell.url}/api/file`, {
          method: 'POST',
          headers: formOf(200).headers,
          body: formOf(200).body.slice(0, -12),
        }),
    ],
  ])('is refused with %s', async (_, call) => {
    expect(await codeOf(await call())).toEqual({ status: 400, code: 'upload_invalid' });
    expect(await readdir(folder)).toEqual([]);
  });

  it('is not read when the handler refuses it first', async () => {
    refuse = true;
    expect(await codeOf(await send('x'.repeat(3000)))).toEqual({ status: 404, code: 'not_the_leader' });
    expect(await readdir(folder)).toEqual([]);
  });

  it('and is answered unread can be sent to its end before the answer is read', async () => {
    answerUnread = true;
    const { body, headers } = formOf(8 * 1024 * 1024);
    const { port, hostname } = new URL(shell.url);
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    const head = `POST /api/file HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\ncontent-type: ${headers['content-type']}\r\n`;
    const { promise: sent, resolve, reject } = Promise.withResolvers<void>();
    socket.on('error', reject);
    socket.write(`${head}content-length: ${body.length}\r\n\r\n`);
    socket.write(body, () => resolve());
    await sent;
    const answer = (await Array.fromAsync(socket)).join('');
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  });

  it('is refused when the disk would become full', async () => {
    freeBytes = 1000;
    expect(await codeOf(await send('hello'))).toEqual({ status: 507, code: 'storage_full' });
  });
});

describe('staged files', () => {
  it('are kept for a day, also over a restart', async () => {
    await send('hello');
    const id = taken[0]?.uploadId ?? '';
    await store.stop();
    store = newStore();
    await store.start(new AbortController().signal);
    expect(await store.find(id)).toEqual(taken[0]);
    await clock.advance(24 * 3_600_000);
    expect(await store.find(id)).toBeUndefined();
    await expect.poll(() => readdir(folder)).toEqual([]);
  });

  it('that were cut are removed at the start', async () => {
    await store.stop();
    await writeFile(join(folder, `${randomUUID()}_a.zip.partial`), 'x');
    await writeFile(join(folder, `${randomUUID()}_b.zip`), 'x');
    store = newStore();
    await store.start(new AbortController().signal);
    expect(await readdir(folder)).toEqual([]);
  });

  it('are not copied from elsewhere when the disk would become full', async () => {
    await send('hello');
    const [kept] = taken;
    freeBytes = 1000;
    await expect(store.stageFile(kept?.path ?? '', 'copy')).rejects.toMatchObject({ code: 'storage_full' });
    freeBytes = 1e12;
    expect(await store.stageFile(kept?.path ?? '', 'copy')).toMatchObject({ sizeBytes: 5, sha256: kept?.sha256 });
  });

  it('are removed after their use', async () => {
    await send('hello');
    for (const file of taken) await store.remove(file);
    expect(await readdir(folder)).toEqual([]);
  });
});

it.each([
  ['../../../etc/a b.zip', 'etc_a_b.zip'],
  ['C:\\Users\\x\\release 1.zip', 'C_Users_x_release_1.zip'],
  ['.hidden', 'hidden'],
  ['Größe.yaml', 'Groe.yaml'],
  [`${'a'.repeat(300)}.zip`, `${'a'.repeat(96)}.zip`],
  ['\0', undefined],
  ['../..', undefined],
  ['', undefined],
])('makes of the name %j %j', (name, safe) => {
  expect(safeFileName(name)).toBe(safe);
});
