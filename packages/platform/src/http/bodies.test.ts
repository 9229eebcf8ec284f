import { describe, expect, it } from 'vitest';
import { startToy, type ToyServer } from '../testing/toy-server.ts';

const put = async (
  toy: ToyServer,
  body: string | Uint8Array<ArrayBuffer> | undefined,
  headers: Record<string, string> = {},
) => {
  const response = await toy.fetch('/api/shelves/a', {
    method: 'PUT',
    headers,
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, body: await response.json() };
};

const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part)))),
  );

describe('JSON bodies', () => {
  it.each(['application/json', 'text/plain', 'image/png', 'not a media type', 'application/json; charset=latin1'])(
    'are read whatever the content type says: %s',
    async (type) => {
      await using toy = await startToy();
      expect(await put(toy, '{"label":"x"}', { 'content-type': type })).toMatchObject({
        body: { echo: { label: 'x' } },
      });
    },
  );

  it('are read without any content type', async () => {
    await using toy = await startToy();
    const answer = await toy.raw(
      'PUT /api/shelves/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 13\r\n\r\n{"label":"x"}',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each([
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'Application/X-WWW-Form-Urlencoded;charset=utf-8',
  ])('are refused when they are forms: %s', async (type) => {
    await using toy = await startToy();
    expect(await put(toy, '{"label":"x"}', { 'content-type': type })).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type', status: 415 },
    });
  });

  it('keep characters that arrive in pieces', async () => {
    await using toy = await startToy();
    const socket = await toy.socket();
    const text = Buffer.from('{"label":"€"}');
    const answer = new Promise((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.write(`PUT /api/shelves/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${text.length}\r\n\r\n`);
    socket.write(text.subarray(0, 11));
    await new Promise((resolve) => setImmediate(resolve));
    socket.write(text.subarray(11));
    expect(await answer).toContain('"label":"€"');
    socket.destroy();
  });

  it('may begin with a byte order mark', async () => {
    await using toy = await startToy();
    expect(await put(toy, '\ufeff{"label":"x"}')).toMatchObject({ status: 200 });
  });

  it('may use the other spellings that the route declares, but not both', async () => {
    await using toy = await startToy();
    expect(await put(toy, '{"name":"x"}')).toMatchObject({ body: { echo: { label: 'x' } } });
    expect(await put(toy, '{"name":"x","label":"y"}')).toMatchObject({
      status: 400,
      body: { cause: "unknown field 'name'" },
    });
  });

  it('are an empty object when empty, where no field is required', async () => {
    await using toy = await startToy();
    const response = await toy.fetch('/api/shelves/sort', { method: 'POST' });
    expect(await response.json()).toEqual({ shelf: 'all', echo: {} });
  });

  it('name the missing field when empty, where one is required', async () => {
    await using toy = await startToy();
    expect(await put(toy, undefined)).toMatchObject({
      status: 400,
      body: { code: 'invalid_body', field: 'label', remediation: 'Send a JSON object with: label.' },
    });
  });

  it.each([
    ['{', 'not JSON: the text ends too early at line 1, column 2 (position 1)', undefined],
    ['{"label":}', 'not JSON: unexpected character at line 1, column 10 (position 9)', undefined],
    ['{\n  "label": "x",\n}', 'not JSON: unexpected character at line 3, column 1 (position 18)', undefined],
    ["{'label':1}", 'not JSON: unexpected character at line 1, column 2 (position 1)', undefined],
    ['[]', 'expected object, got array at $', undefined],
    ['null', 'expected object, got null at $', undefined],
    ['7', 'expected object, got integer at $', undefined],
    ['"label"', 'expected object, got string at $', undefined],
    ['{"label":3}', 'expected string, got integer at $.label', 'label'],
    ['{"label":null}', 'expected string, got null at $.label', 'label'],
    ['{"label":""}', 'expected at least 1 character, got 0 at $.label', 'label'],
    ['{"label":"x","tags":["a",1]}', 'expected string, got integer at $.tags[1]', 'tags'],
    ['{"label":"x","width":"7"}', 'expected integer or null, got string at $.width', 'width'],
    ['{"label":"x","width":0}', 'expected a number of at least 1, got 0 at $.width', 'width'],
    ['{"label":"x","width":1.5}', 'expected integer or null, got number at $.width', 'width'],
    ['{"label":"x","width":true}', 'expected integer or null, got boolean at $.width', 'width'],
    ['{"label":"x","side":"top"}', "expected 'left' or 'right', got 'top' at $.side", 'side'],
    ['{"label":"x","place":{}}', "missing field 'row' at $.place", 'place'],
    ['{"label":"x","place":{"row":1,"a b":2}}', "unknown field 'a b' at $.place", 'place'],
    ['{"label":"x","lable":"y"}', "unknown field 'lable'", 'lable'],
    ['{"label":"x","__proto__":{}}', "unknown field '__proto__'", '__proto__'],
  ])('are refused with the first fault and its field: %s', async (text, cause, field) => {
    await using toy = await startToy();
    expect(await put(toy, text)).toEqual({
      status: 400,
      body: {
        error: 'Invalid request body.',
        cause,
        remediation: 'Send a JSON object with: label.',
        status: 400,
        code: 'invalid_body',
        ...(field !== undefined && { field }),
      },
    });
  });

  it('name the optional fields when none is required', async () => {
    await using toy = await startToy();
    const response = await toy.fetch('/api/shelves/sort', { method: 'POST', body: '{"up":1}' });
    expect(await response.json()).toMatchObject({ remediation: 'Send a JSON object; it may have: by.' });
  });

  it('are refused where they are not UTF-8, with the byte', async () => {
    await using toy = await startToy();
    expect(await put(toy, bytes('{"label":"€', [0xff], '"}'))).toMatchObject({
      status: 400,
      body: { cause: 'not UTF-8 at byte 13' },
    });
  });

  it('survive nesting as deep as the limit allows', async () => {
    await using toy = await startToy();
    const depth = 500_000;
    expect(await put(toy, `{"label":${'['.repeat(depth)}${']'.repeat(depth)}}`)).toMatchObject({ status: 400 });
    expect(await put(toy, '['.repeat(depth))).toMatchObject({ status: 400 });
  });
});

describe('routes without a body', () => {
  it.each([
    ['garbage', '{{{', 'application/json'],
    ['a form', 'a=1', 'application/x-www-form-urlencoded'],
    ['a body above the limit', 'x'.repeat(5000), 'text/plain'],
  ])('ignore %s', async (_, body, type) => {
    await using toy = await startToy(
      { deleteShelf: ({ params }) => ({ status: 200, body: { shelf: params.shelf, echo: null } }) },
      { bodyLimitBytes: 100 },
    );
    const response = await toy.fetch('/api/shelves/a', { method: 'DELETE', body, headers: { 'content-type': type } });
    expect(response.status).toBe(200);
    expect((await toy.fetch('/api/plan')).status).toBe(200);
  });
});

describe('the size limit', () => {
  const limit = 1000;
  const bodyOf = (size: number) => `{"label":"${'x'.repeat(size - 12)}"}`;

  it('accepts a body of exactly its size', async () => {
    await using toy = await startToy({}, { bodyLimitBytes: limit });
    expect((await put(toy, bodyOf(limit))).status).toBe(200);
    expect((await put(toy, bodyOf(limit + 1))).status).toBe(413);
  });

  it('is 2 MiB by default', async () => {
    await using toy = await startToy();
    expect((await put(toy, bodyOf(2 * 1024 * 1024))).status).toBe(200);
    expect(await put(toy, bodyOf(2 * 1024 * 1024 + 1))).toMatchObject({
      status: 413,
      body: { code: 'body_too_large', status: 413 },
    });
  });

  it('refuses by the announced length, before anything is sent', async () => {
    await using toy = await startToy({}, { bodyLimitBytes: limit });
    const socket = await toy.socket();
    const answer = new Promise((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.write('PUT /api/shelves/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999999\r\n\r\n');
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  it('refuses a chunked body as soon as it is passed, without waiting for its end', async () => {
    await using toy = await startToy({}, { bodyLimitBytes: limit });
    const socket = await toy.socket();
    const answer = new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())));
    socket.write('PUT /api/shelves/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
    socket.write(`7d0\r\n${'x'.repeat(2000)}\r\n`);
    const text = await answer;
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toMatch(/connection: close/i);
    socket.destroy();
  });

  it('closes the connection of a caller that continues to send', async () => {
    await using toy = await startToy({}, { bodyLimitBytes: limit });
    const socket = await toy.socket();
    socket.on('error', () => {});
    socket.resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write('PUT /api/shelves/a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
    const piece = `ffff\r\n${'x'.repeat(0xffff)}\r\n`;
    const push = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', push);
    push();
    await closed;
    expect((await toy.fetch('/api/plan')).status).toBe(200);
  });
});
