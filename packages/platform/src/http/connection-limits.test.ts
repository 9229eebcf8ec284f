import { once } from 'node:events';
import { expect, it } from 'vitest';
import { startToy } from '../testing/toy-server.ts';

it('refuses a request whose headers are not complete within their time, and closes the connection', async () => {
  await using toy = await startToy({}, { limits: { headersMs: 40, connections: 10 } });
  const answer = await toy.raw('GET /api/plan HTTP/1.1\r\nHost: localhost\r\nx-slow: ');
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('malformed_request');
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
