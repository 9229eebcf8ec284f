import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pageFiles } from './web-ui-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-page-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), '<!doctype html>');
  await writeFile(join(folder, 'assets/main-a1b2c3.js'), 'run()');
  await writeFile(join(folder, '.inputs'), 'secret');
});
afterEach(() => rm(folder, { recursive: true }));

const get = async (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  (await pageFiles(folder))({ method, path, headers });

describe('the files of the page', () => {
  it('serves hashed files for half a day, and the page itself fresh each time', async () => {
    expect(await get('/static/assets/main-a1b2c3.js')).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=43200, immutable',
      },
    });
    expect(await get('/')).toMatchObject({ status: 200, headers: { 'cache-control': 'no-cache' } });
  });

  it('answers any address that no program uses with the page, so that links can be reloaded', async () => {
    expect(await get('/experiments/yeast%20ramp')).toMatchObject({ status: 200 });
    expect(await get('/apiary')).toMatchObject({ status: 200 });
    for (const path of [
      '/api/nothing',
      '/unit_api',
      '/mcp',
      '/metrics/',
      '/mqtt',
      '/exports/x.zip',
      '/static',
      '/static/nothing.js',
    ]) {
      expect(await get(path)).toBeUndefined();
    }
    expect(await get('/experiments', {}, 'POST')).toBeUndefined();
  });

  it('gives nothing out that is not part of the page', async () => {
    for (const path of [
      '/static/.inputs',
      '/static/../secret',
      '/static/assets/../../x',
      '/static/%2e%2e/x',
      '/static/',
    ]) {
      expect(await get(path)).toBeUndefined();
    }
  });

  it('answers 304 to who has the newest already', async () => {
    const page = await get('/');
    expect(await get('/', { 'if-none-match': page?.headers.etag ?? '' })).toMatchObject({ status: 304, body: '' });
  });

  it('compresses what is worth it for those who take it', async () => {
    await writeFile(join(folder, 'assets/large-a1.js'), 'run();'.repeat(1000));
    const path = '/static/assets/large-a1.js';
    const packed = await get(path, { 'accept-encoding': 'gzip, deflate, br' });
    expect(packed?.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    expect(gunzipSync(packed?.body ?? '').toString()).toBe('run();'.repeat(1000));
    expect((await get(path))?.headers).not.toHaveProperty('content-encoding');
    expect((await get('/static/assets/main-a1b2c3.js', { 'accept-encoding': 'gzip' }))?.headers).not.toHaveProperty(
      'vary',
    );
  });

  it('sends what the build has compressed, and other forms of it to those who do not take that', async () => {
    const text = 'run();'.repeat(1000);
    const packed = brotliCompressSync(text);
    await writeFile(join(folder, 'assets/large-a1.js'), text);
    await writeFile(join(folder, 'assets/large-a1.js.br'), packed);
    const path = '/static/assets/large-a1.js';
    const modern = await get(path, { 'accept-encoding': 'gzip, deflate, br, zstd' });
    expect(modern?.headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': 'text/javascript; charset=utf-8',
      etag: '"large-a1.js"',
    });
    expect(modern?.body).toEqual(packed);
    const older = await get(path, { 'accept-encoding': 'gzip, deflate' });
    expect(older?.headers).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'accept-encoding',
      etag: '"large-a1.js"',
    });
    expect(gunzipSync(older?.body ?? '').toString()).toBe(text);
    const plain = await get(path);
    expect(plain?.headers).not.toHaveProperty('content-encoding');
    expect(Buffer.from(plain?.body ?? '').toString()).toBe(text);
    expect(await get(`${path}.br`)).toBeUndefined();
  });

  it('explains what to do when the web UI was never built', async () => {
    await rm(join(folder, 'index.html'));
    expect(await get('/')).toMatchObject({ status: 503, body: expect.stringContaining('npm run build') });
    const nowhere = await pageFiles(join(folder, 'nowhere'));
    expect(await nowhere({ method: 'GET', path: '/', headers: {} })).toMatchObject({ status: 503 });
  });
});
