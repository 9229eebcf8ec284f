import { once } from 'node:events';
import { localCaller } from '@lcs/contract';
import { expect, it } from 'vitest';
import { startToy } from '../testing/toy-server.ts';

it('refuses a request whose headers are not complete within their time, and closes the connection', async () => {
  await using toy = await startToy({}, { limits: { headersMs: 40, connections: 10 } });
  const answer = await toy.raw('GET /api/plan HTTP/1.1\r\nHost: localhost\r\nx-slow: ');
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('malformed_request');
});

it('closes a connection on which nothing was requested without an answer, which a browser would take for that of its next request', async () => {
  await using toy = await startToy({}, { limits: { headersMs: 40 } });
  const unused = await toy.socket();
  const received: string[] = [];
  unused.on('data', (bytes) => received.push(String(bytes)));
  await once(unused, 'close');
  expect(received).toEqual([]);
});

it('closes connections beyond the limit, says so once, and serves those that are open', async () => {
  await using toy = await startToy({}, { limits: { headersMs: 20_000, connections: 2 } });
  const first = await toy.socket();
  const second = await toy.socket();
  for (let index = 0; index < 3; index += 1) {
    const further = await toy.socket();
    further.on('error', () => {}).resume();
    await once(further, 'close');
  }
  first.write('GET /api/plan HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const [answer] = await once(first, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /);
  const warnings = toy.log.lines.filter(({ level }) => level === 'warn');
  expect(warnings).toHaveLength(1);
  expect(warnings[0]?.fields).toMatchObject({ connections: 2 });
  for (const socket of [first, second]) socket.destroy();
});

it('closes connections beyond the limit of one address, and counts those that end', async () => {
  await using toy = await startToy({}, { limits: { connectionsPerAddress: 1, isShared: () => false } });
  const first = await toy.socket();
  first.write('GET /api/plan HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(first, 'data');
  const further = await toy.socket();
  further.on('error', () => {}).resume();
  await once(further, 'close');
  first.destroy();
  await expect
    .poll(() =>
      toy.fetch('/api/plan').then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
  expect(toy.log.lines.filter(({ level }) => level === 'warn')).toMatchObject([{ fields: { connections: 1 } }]);
});

const put = (length: number) =>
  `PUT /api/shelves/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

it('refuses a body that does not arrive in its time', async () => {
  await using toy = await startToy({}, { limits: { bodyMs: 40 } });
  const answer = await toy.raw(`${put(100)}{"label":`);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toContain('"body_too_slow"');
});

it('refuses a body when those under way fill the memory for them, but never a small one', async () => {
  await using toy = await startToy({}, { limits: { bodiesBytes: 200_000 } });
  const slow = await toy.socket();
  const text = JSON.stringify({ label: 'x'.repeat(180_000) });
  slow.write(put(text.length) + text.slice(0, 170_000));
  const send = (label: string) =>
    toy.fetch('/api/shelves/b', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ label }),
    });
  const large = async () => {
    const answer = await send('y'.repeat(100_000));
    const { code }: { code?: string } = JSON.parse(await answer.text());
    return [answer.status, answer.headers.get('retry-after'), code];
  };
  await expect.poll(large).toEqual([503, '5', 'too_many_bodies']);
  expect((await send('small')).status).toBe(200);
  slow.write(text.slice(170_000));
  await once(slow, 'data');
  expect((await large())[0]).toBe(200);
  slow.destroy();
});

it('limits the requests of a session, but never a stop', async () => {
  const identify = () => ({ ...localCaller, kind: 'person' as const, id: 'session' });
  await using toy = await startToy({}, { identify, requestRates: { person: { burst: 2, perSecond: 0.1 } } });
  const statuses: number[] = [];
  for (let index = 0; index < 3; index += 1) statuses.push((await toy.fetch('/api/plan')).status);
  expect(statuses).toEqual([200, 200, 429]);
  const refused = await toy.fetch('/api/plan');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await toy.fetch('/api/halt', { method: 'POST' })).status).toBe(200);
});
