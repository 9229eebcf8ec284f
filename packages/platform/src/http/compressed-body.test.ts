import { PreparedJson, StreamBody, StreamedJson } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { startToy } from '../testing/toy-server.ts';

const long = { shelf: 'long', echo: Array.from({ length: 20_000 }, (_, index) => index % 7) };
const encodingOf = async (toy: Awaited<ReturnType<typeof startToy>>, path: string, init: RequestInit = {}) =>
  (await toy.fetch(path, init)).headers.get('content-encoding');
const accepting = (encoding: string) => ({ headers: { 'accept-encoding': encoding } });

describe('a long JSON body', () => {
  it.each([
    ['a value', () => long],
    ['prepared bytes', () => PreparedJson.from<typeof long>(Buffer.from(JSON.stringify(long)))],
  ])('is compressed for a caller that takes it, with its ETag: %s', async (_, body) => {
    await using toy = await startToy({ getPlan: () => ({ status: 200, body: body(), headers: { etag: '"7"' } }) });
    const response = await toy.fetch('/api/plan');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-encoding': 'gzip',
      vary: 'accept-encoding',
      etag: '"7"',
    });
    expect(Number(response.headers.get('content-length'))).toBeLessThan(1_000);
    expect(await response.json()).toEqual(long);
    const again = await toy.fetch('/api/plan', { headers: { 'if-none-match': '"7"' } });
    expect([again.status, again.headers.get('content-encoding')]).toEqual([304, null]);
  });

  it('stays as it is for others, and where there is no body', async () => {
    await using toy = await startToy({ getPlan: () => ({ status: 200, body: long }) });
    for (const encoding of ['identity', 'deflate', 'gzip;q=0, br;q=0', 'xgzip'])
      expect(await encodingOf(toy, '/api/plan', accepting(encoding))).toBeNull();
    for (const encoding of ['gzip', 'gzip, br;q=0', 'gzip;q=0.5, xbr'])
      expect(await encodingOf(toy, '/api/plan', accepting(encoding))).toBe('gzip');
    for (const encoding of ['br', 'gzip, deflate, br', 'gzip;q=0, br;q=0.5']) {
      const response = await toy.fetch('/api/plan', accepting(encoding));
      expect([response.headers.get('content-encoding'), await response.json()]).toEqual(['br', long]);
    }
    expect(await encodingOf(toy, '/api/plan', { method: 'HEAD' })).toBeNull();
  });
});

it('a body of less than two packets is sent as it is; one with a secret, of any length', async () => {
  await using toy = await startToy({ getSecret: () => ({ status: 200, body: long }) });
  expect(await encodingOf(toy, `/api/shelves/a?search=${'a'.repeat(1_000)}`)).toBeNull();
  expect(await encodingOf(toy, `/api/shelves/a?search=${'a'.repeat(3_000)}`)).toBe('gzip');
  expect(await encodingOf(toy, '/api/secret')).toBeNull();
});

describe('a stream', () => {
  it('that has announced its length is sent as it is: the caller stops reading there', async () => {
    const text = JSON.stringify(long);
    async function* file() {
      yield text;
    }
    const headers = { 'content-length': String(text.length) };
    await using toy = await startToy({ getPlan: () => ({ status: 200, headers, body: new StreamedJson(file()) }) });
    const response = await toy.fetch('/api/plan', accepting('gzip'));
    expect([response.headers.get('content-encoding'), await response.json()]).toEqual([null, long]);
  });

  it('of events is compressed so that each event can be read as soon as it is sent', async () => {
    const second = Promise.withResolvers<void>();
    async function* events() {
      yield `data: ${'1'.repeat(20_000)}\n\n`;
      await second.promise;
      yield 'data: 2\n\n';
    }
    await using toy = await startToy({ follow: () => ({ status: 200, body: new StreamBody(events()) }) });
    const response = await toy.fetch('/api/follow', accepting('gzip, deflate'));
    expect(response.headers.get('content-encoding')).toBe('gzip');
    const stream = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.endsWith('\n\n')) text += (await stream?.read())?.value ?? '';
    expect(text).toHaveLength(20_008);
    second.resolve();
    expect((await stream?.read())?.value).toBe('data: 2\n\n');
    expect((await stream?.read())?.done).toBe(true);
    expect(await encodingOf(toy, '/api/follow', accepting('identity'))).toBeNull();
  });

  it('of JSON is compressed; a download, which may be an archive, is not', async () => {
    async function* pieces() {
      for (const piece of ['{"shelf":"long","echo":[', '1,'.repeat(20_000), '1]}']) yield piece;
    }
    await using toy = await startToy({
      getPlan: () => ({ status: 200, body: new StreamedJson<typeof long>(pieces()) }),
      download: () => ({ status: 200, body: new StreamBody(pieces()) }),
    });
    for (const encoding of ['gzip', 'br']) {
      const response = await toy.fetch('/api/plan', accepting(encoding));
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(await response.json()).toMatchObject({ shelf: 'long', echo: { length: 20_001 } });
    }
    expect(await encodingOf(toy, '/api/download')).toBeNull();
  });
});
