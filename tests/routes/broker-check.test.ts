import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '@lcs/cli/testing';
import { type BrokerCheck, createClient, leaderApi } from '@lcs/contract';
import { signIn, startLeader, startUnit, temporaryFolder } from '@lcs/testkit';
import { connectAsync } from 'mqtt';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  freePort,
  isMosquittoInstalled,
  mosquittoBroker,
  withQuickHash,
} from '../../packages/leader/src/testing/test-brokers.ts';
import { observe } from '../observe.ts';

const account = { username: 'lcs', password: 'five green lamps' };

interface Fault {
  /** Lines of Mosquitto's configuration. */
  readonly settings?: readonly string[];
  /** Changes the file with accounts and rights. */
  readonly change?: (security: string) => string;
  /** An account that it has. Default: that of the leader. */
  readonly username?: string;
  /** The file is that of the leader, byte for byte. */
  readonly isAsWritten?: true;
}

const noFault: Fault = {};
const within = { timeout: 30_000, interval: 200 };

/** A leader with one unit, whose accounts a Mosquitto may have that is started later. */
async function laboratory() {
  await using resources = new AsyncDisposableStack();
  const folder = resources.use(await temporaryFolder('broker-check'));
  const port = await freePort();
  const ini = `[broker]\nmode = external\nurl = mqtt://127.0.0.1:${port}\nusername = lcs\npassword = ${account.password}\n`;
  await writeFile(join(folder.path, 'leader.ini'), ini, { mode: 0o600 });
  const leader = resources.use(await startLeader({ observe, dataFolder: folder.path }));
  resources.use(await startUnit({ leaderUrl: leader.url, clock: leader.clock, usesBroker: true }));
  await leader.client.registerWorker({ body: { reactor_unit: 'unit1' } });
  await vi.waitFor(
    async () => expect(JSON.stringify(await leader.client.makeBrokerSecurity())).toContain('unit:unit1'),
    within,
  );
  const path = join(folder.path, 'dynamic-security.json');
  await lcs(folder.path, ['broker', 'dynamic-security', '--file', path]);
  const written = await readFile(path, 'utf8');
  const quick = withQuickHash(written, account);
  const start = async (fault: Fault = noFault) => {
    const { settings = [], change = (text) => text, username = account.username, isAsWritten } = fault;
    const security: unknown = JSON.parse(change(isAsWritten ? written : quick));
    const broker = await mosquittoBroker({ port, security, account: { ...account, username }, settings });
    onTestFinished(() => broker.close());
    return broker;
  };
  const kept = resources.move();
  return { folder: folder.path, port, leader, start, close: () => kept.disposeAsync() };
}

/** `lcs …` on the machine of the leader. */
const lcs = (folder: string, words: readonly string[]) => runProgram([...words, '--data-dir', folder]);

async function check(folder: string, ...words: readonly string[]) {
  const { code, out } = await lcs(folder, ['doctor', 'broker', '--json', ...words]);
  const { findings }: BrokerCheck = JSON.parse(out);
  return { code, findings, faults: findings.filter(({ level }) => level !== 'ok').map((one) => one.code) };
}

describe('the check of a broker that is not there', () => {
  it('is for administrators, and names the address that nothing answers', async () => {
    await using folder = await temporaryFolder('broker-check');
    const url = `mqtt://127.0.0.1:${await freePort()}`;
    await writeFile(join(folder.path, 'leader.ini'), `[broker]\nmode = external\nurl = ${url}\n`, { mode: 0o600 });
    await using leader = await startLeader({ observe, dataFolder: folder.path });
    const { code, faults } = await check(folder.path);
    expect([code, faults]).toEqual([1, ['broker_reached']]);
    const password = 'three brown horses';
    await leader.client.createPerson({ body: { name: 'ada', role: 'administrator', password } });
    const headers = await signIn(leader.url, 'ada', password);
    await createClient(leaderApi, { baseUrl: leader.url, headers }).createPerson({
      body: { name: 'olaf', role: 'operator', password },
    });
    const call = (sent: Readonly<Record<string, string>>) =>
      leader.api.call('checkBroker', { headers: sent, body: {} });
    (await call(await signIn(leader.url, 'olaf', password))).expect(403, 'not_allowed');
    expect((await call(headers)).expect(200)).toMatchObject({ findings: [{ code: 'broker_reached' }] });
    (await leader.api.call('checkBroker', { headers, rawBody: '{"restart":"never"}' })).expect(400);
  });

  it('has nothing to check where the broker is part of the leader', async () => {
    await using leader = await startLeader({ observe });
    const { code, findings } = await check(leader.dataFolder);
    expect([code, findings]).toMatchObject([0, [{ code: 'broker_mode', level: 'ok' }]]);
  });
});

describe.skipIf(!isMosquittoInstalled)('the check of Mosquitto (skipped where it is not installed)', () => {
  let made: Awaited<ReturnType<typeof laboratory>>;
  beforeAll(async () => {
    made = await laboratory();
  }, 60_000);
  afterAll(() => made.close());

  it('finds everything in order with the accounts and rights that the leader has written', async () => {
    await made.start({ isAsWritten: true });
    // The unit connects within its retry interval.
    await vi.waitFor(async () => expect((await check(made.folder)).faults).toEqual([]), within);
    const { findings } = await check(made.folder);
    expect(findings.map(({ code }) => code)).toEqual([
      'broker_reached',
      'broker_tls',
      'broker_account',
      'broker_anonymous',
      'broker_protocol',
      'broker_retained',
      'broker_session',
      'broker_message_size',
      'broker_latency',
      'broker_units',
      'broker_rights_publish',
      'broker_rights_receive',
    ]);
    const { code, out } = await lcs(made.folder, ['doctor', 'broker']);
    expect([code, out.split('\n').length]).toEqual([0, findings.length + 1]);
    expect(JSON.stringify(made.leader.log.lines)).not.toContain(account.password);
  }, 60_000);

  it.each<[string, Fault, readonly string[]]>([
    ['retained messages that it drops', { settings: ['retain_available false'] }, ['broker_retained']],
    ['a limit of message sizes', { settings: ['message_size_limit 65536'] }, ['broker_message_size']],
    ['a short queue for absent clients', { settings: ['max_queued_messages 10'] }, ['broker_session']],
    [
      'a unit that may do everything',
      { change: (text) => text.replaceAll('reactor/unit1/#', '#') },
      ['broker_rights_publish', 'broker_rights_receive'],
    ],
    [
      'a unit that may do nothing',
      { change: (text) => text.replaceAll('reactor/unit1/#', 'reactor/unit9/#') },
      ['broker_rights_publish', 'broker_rights_receive'],
    ],
    [
      'a unit without an account',
      { change: (text) => text.replaceAll('"unit:unit1"', '"unit:unit9"') },
      ['broker_units'],
    ],
    [
      'that it does not know the leader',
      { change: (text) => text.replaceAll('"lcs"', '"other"'), username: 'other' },
      ['broker_account'],
    ],
  ])(
    'finds %s',
    async (_, fault, expected) => {
      await made.start(fault);
      const { code, faults } = await check(made.folder);
      expect([code, faults.filter((one) => one !== 'broker_units_away')]).toEqual([1, expected]);
    },
    60_000,
  );

  it('finds a broker that admits everybody', async () => {
    const open = await mosquittoBroker({ port: made.port });
    onTestFinished(() => open.close());
    const { faults } = await check(made.folder);
    expect(faults).toEqual(expect.arrayContaining(['broker_account', 'broker_anonymous', 'broker_rights_publish']));
  }, 60_000);

  it('leaves nothing at the broker', async () => {
    const broker = await made.start();
    const reader = await connectAsync(broker.tcpUrl, { ...account, reconnectPeriod: 0 });
    onTestFinished(() => reader.endAsync(true));
    const counts = new Map<string, string>();
    reader.on('message', (topic, payload) => counts.set(topic, payload.toString()));
    await reader.subscribeAsync('$SYS/broker/#');
    await check(made.folder);
    const late: string[] = [];
    const other = await connectAsync(broker.tcpUrl, { ...account, reconnectPeriod: 0 });
    onTestFinished(() => other.endAsync(true));
    other.on('message', (topic) => late.push(topic));
    await other.subscribeAsync('reactor/#');
    await other.publishAsync('reactor/end', '', { qos: 1 });
    await vi.waitFor(() => expect(late).toContain('reactor/end'), within);
    expect(late.filter((topic) => topic.includes('broker_check'))).toEqual([]);
    // The broker publishes its counts every ten seconds.
    await vi.waitFor(() => expect(counts.get('$SYS/broker/clients/disconnected')).toBe('0'), within);
  }, 60_000);
});
