import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '@lcs/cli/testing';
import { createClient, DynamicSecurity, hasShape, leaderApi } from '@lcs/contract';
import { type LeaderUnderTest, signIn, startLeader, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isMosquittoInstalled, mosquittoBroker } from '../../packages/leader/src/testing/test-brokers.ts';
import { observe } from '../observe.ts';

const password = 'three brown horses';
const settings = '[broker]\nmode = external\nurl = mqtt://127.0.0.1:9\nusername = lcs\npassword = five green lamps\n';

let folder: TemporaryFolder;
let leader: LeaderUnderTest;
let headers: Readonly<Record<string, string>>;
let token: { readonly token_id: string; readonly secret: string };

beforeAll(async () => {
  folder = await temporaryFolder('mosquitto');
  await writeFile(join(folder.path, 'leader.ini'), settings, { mode: 0o600 });
  leader = await startLeader({ observe, dataFolder: folder.path });
  await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
  headers = await signIn(leader.url, 'ada', password);
  const ada = createClient(leaderApi, { baseUrl: leader.url, headers });
  await ada.createPerson({ body: { name: 'vera', role: 'viewer', password } });
  token = await ada.createToken({ body: { name: 'logger', permissions: ['logs.read', 'experiments.read'], days: 1 } });
});
afterAll(async () => {
  await leader[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** `lcs broker dynamic-security --file …`, through the socket of the leader. */
async function writtenSecurity(): Promise<{ readonly path: string; readonly out: string }> {
  const path = join(folder.path, 'dynamic-security.json');
  const { code, out, err } = await runProgram([
    'broker',
    'dynamic-security',
    '--file',
    path,
    '--data-dir',
    folder.path,
  ]);
  expect([code, err]).toEqual([0, '']);
  return { path, out };
}

describe('the configuration of Mosquitto', () => {
  it('is for administrators, has no person and no secret, and making it is in the audit', async () => {
    const call = (sent: Readonly<Record<string, string>>) => leader.api.call('makeBrokerSecurity', { headers: sent });
    (await call(await signIn(leader.url, 'vera', password))).expect(403, 'not_allowed');
    const made = (await call(headers)).expect(200);
    expect(made).toMatchObject({ omitted: [] });
    const text = JSON.stringify(made);
    for (const secret of [token.secret, password, 'five green lamps', '"ada"']) expect(text).not.toContain(secret);
    expect(text).toContain(`token:${token.token_id}`);
    const audit = (await leader.api.call('listAudit', { headers, query: { operation: 'makeBrokerSecurity' } })).expect(
      200,
    );
    expect(audit).toMatchObject([
      { status: 200, caller: 'ada', body: null },
      { status: 403, caller: 'vera' },
    ]);
    expect(JSON.stringify([audit, leader.log.lines])).not.toContain('iterations');
  });

  it('is written by lcs to a file that only its owner can read', async () => {
    const { path, out } = await writtenSecurity();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(out).toContain('2 accounts');
    expect(hasShape(DynamicSecurity, JSON.parse(await readFile(path, 'utf8')))).toBe(true);
    const missing = ['broker', 'dynamic-security', '--file', join(folder.path, 'none', 'x'), '--data-dir', folder.path];
    expect((await runProgram(missing)).code).toBe(1);
  });

  it.skipIf(!isMosquittoInstalled)(
    'lets the leader and a token in, each with their own secret and topics',
    async () => {
      const { path } = await writtenSecurity();
      const security: unknown = JSON.parse(await readFile(path, 'utf8'));
      const account = { username: 'lcs', password: 'five green lamps' };
      const broker = await mosquittoBroker({ security, account });
      const connect = (one: object) => mqtt.connectAsync(broker.tcpUrl, { reconnectPeriod: 0, ...one }, false);
      const program = await connect({ username: `token:${token.token_id}`, password: token.secret });
      const own = await connect(account);
      try {
        await expect(connect({ username: `token:${token.token_id}`, password: 'wrong' })).rejects.toThrow();
        await expect(connect({ username: 'ada', password })).rejects.toThrow();
        const topics: string[] = [];
        program.on('message', (topic) => topics.push(topic));
        await program.subscribeAsync('reactor/+/+/logs/#');
        await own.publishAsync('reactor/rx01/e/stirring/target_rpm', '500', { qos: 1 });
        const arrived = new Promise((resolve) => program.once('message', resolve));
        await own.publishAsync('reactor/rx01/e/logs/app/info', '{}', { qos: 1 });
        await arrived;
        expect(topics).toEqual(['reactor/rx01/e/logs/app/info']);
      } finally {
        await Promise.all([program.endAsync(true), own.endAsync(true)]);
        await broker.close();
      }
    },
  );
});
