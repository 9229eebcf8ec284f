import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createLog, prettyDestination } from '@lcs/platform';
import { type LeaderUnderTest, signedInClient, startLeader } from '@lcs/testkit';
import { connectAsync } from 'mqtt';
import { afterAll, beforeAll, expect, it } from 'vitest';

const password = 'three brown horses';

/** A second line of the log, as an attacker would like it, and what clears a terminal. */
const forged = '\n{"level":"error","time":"2026-01-01T00:00:00.000Z","message":"forged"}\n\u001b[2J\u009b2J\u0007';
const encoded = encodeURIComponent(forged);

const written: string[] = [];
const shown: string[] = [];
let leader: LeaderUnderTest;

beforeAll(async () => {
  const people = prettyDestination({ write: (line) => shown.push(line) });
  const destination = {
    write: (line: string) => {
      written.push(line);
      people.write(line);
    },
  };
  leader = await startLeader({ configure: { log: createLog({ level: 'debug', destination }) } });
  await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
});
afterAll(() => leader[Symbol.asyncDispose]());

/** Sends these bytes, and resolves to all that is answered. */
async function sendRaw(request: string): Promise<string> {
  const { hostname, port } = new URL(leader.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(Buffer.from(request, 'latin1'));
  return text(socket);
}

const head = (line: string, ...headers: readonly string[]): string =>
  [line, `Host: ${new URL(leader.url).host}`, 'Connection: close', ...headers, '', ''].join('\r\n');

const json = { 'content-type': 'application/json' };
const post = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  fetch(leader.url + path, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });

it('control characters in names, paths and headers never begin a line of the log, nor reach a terminal', async () => {
  const answers = [
    await sendRaw(head(`GET /api/experiments/${encoded} HTTP/1.1`)),
    await sendRaw(head(`GET /${encoded}?x=${encoded} HTTP/1.1`, 'User-Agent: a\u009b2J')),
    await sendRaw(head('GET /api/health HTTP/1.1', `User-Agent: ${forged}`)),
    await sendRaw(head('GET /api/health HTTP/1.1', `X-Forwarded-For: ${encoded}`, `X-Request-Id: ${encoded}`)),
    await sendRaw(head(`BREW\n${forged} /api/health HTTP/1.1`)),
    await sendRaw(
      head(`DELETE /api/experiments/${encoded} HTTP/1.1`, `X-Reason: ${encoded}`, `X-Lcs-Caller: ${encoded}`),
    ),
  ];
  expect(answers.map((answer) => /^HTTP\/1\.1 (\d)/.exec(answer)?.[1])).toEqual(['4', '2', '4', '4', '4', '4']);
  for (let attempt = 0; attempt < 3; attempt += 1) await post('/api/session', { name: `eve${forged}`, password: 'x' });
  await post('/unit_api/enrol', { reactor_unit: `rx01${forged}`, machine_id: forged });
  const account = { username: `unit:rx01${forged}`, password: 'x', clientId: `forged-${forged}` };
  await expect(connectAsync(leader.node.mqttUrl ?? '', { reconnectPeriod: 0, ...account }, false)).rejects.toThrow();
  const ada = await signedInClient(leader.url, 'ada', password);
  const { secret } = await ada.createToken({ body: { name: 'x', permissions: ['logs.read'], days: 1 } });
  const token = { username: 'token', password: secret, clientId: `forged-${forged}`, reconnectPeriod: 0 };
  const client = await connectAsync(leader.node.mqttUrl ?? '', token, false);
  await client.publishAsync('reactor/rx01/e/stirring/target_rpm/set', forged, { qos: 1 });
  await client.endAsync(true);

  expect(written.filter((line) => !/^\{[^\n]*\}\n$/.test(line))).toEqual([]);
  expect(written.filter((line) => JSON.parse(line).message === 'forged')).toEqual([]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are the subject of the test.
  expect(written.filter((line) => /[\u0000-\u001f]/.test(line.slice(0, -1)))).toEqual([]);
  expect(shown.filter((line) => /\p{Cc}/u.test(line.replaceAll('\n', '')))).toEqual([]);
  expect(shown.flatMap((line) => line.split('\n')).filter((line) => line.startsWith('{'))).toEqual([]);
  // The texts were logged at all.
  expect(written.join('')).toContain('forged');
});
