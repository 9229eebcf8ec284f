import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { dayMs } from '@lcs/contract';
import {
  type KeyedCertificate,
  MqttConnection,
  type MqttConnectionOptions,
  machineCertificate,
  memoryLog,
  OwnCertificate,
  publicKeyText,
  realClock,
  serverTlsOptions,
  VirtualClock,
} from '@lcs/platform';
import { connectAsync } from 'mqtt';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { brokerAccounts } from '../access/broker-accounts.ts';
import { EmbeddedBroker } from './embedded-broker.ts';

const never = new AbortController().signal;
const account = { username: 'unit:rx01', password: 'of rx01' };
const topic = 'reactor/rx01/e/stirring/$state';

interface Machine {
  readonly key: KeyObject;
  readonly publicKey: string;
  readonly certificate: KeyedCertificate;
}

async function machine(): Promise<Machine> {
  const { privateKey: key } = generateKeyPairSync('ed25519');
  return { key, publicKey: publicKeyText(key), certificate: await machineCertificate(key) };
}

let folder = '';
let leader: Machine;
let unit: Machine;
let other: Machine;
let certificate: OwnCertificate;
let broker: EmbeddedBroker;
/** Certificates are valid in the real time, which OpenSSL reads. */
const clock = new VirtualClock({ startMs: Date.now() });
const ending: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-broker-'));
  [leader, unit, other] = await Promise.all([machine(), machine(), machine()]);
  const names = () => ['127.0.0.1', 'lab.example'];
  certificate = new OwnCertificate({ folder, owner: 'lead', names, clock, log: memoryLog() });
  await certificate.start();
  const access = brokerAccounts({
    access: { hasPeople: true, bearer: () => undefined, current: () => undefined },
    units: {
      unitOfAccount: (username, password, { peerKey, isPlainLoopback }) =>
        username === account.username &&
        password === account.password &&
        (isPlainLoopback || peerKey === unit.publicKey)
          ? 'rx01'
          : undefined,
      credentialsOf: () => ({ mqtt: account }),
    },
    isOpen: false,
  });
  broker = new EmbeddedBroker({
    wire: realClock(),
    log: memoryLog(),
    port: 0,
    access,
    network: { host: '127.0.0.1', port: 0, tls: { machine: leader.certificate, server: certificate } },
  });
  await broker.start(never);
});
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});
afterAll(async () => {
  await broker.stop();
  await certificate.stop();
  await rm(folder, { recursive: true });
});

/** Resolves to the message of the first fault in the log; `connected` as soon as there is a connection. */
async function connection(own: Machine, peerKey: string, options: Partial<MqttConnectionOptions> = {}) {
  const connected = Promise.withResolvers<'connected'>();
  const fault = Promise.withResolvers<unknown>();
  const log = memoryLog();
  const made = new MqttConnection({
    url: () => `mqtts://127.0.0.1:${broker.tlsPort}`,
    clientId: 'reactor-rx01',
    account: () => account,
    peer: async () => ({ peerKey, machine: own.certificate }),
    wire: realClock(),
    log: { ...log, warn: (_, fields) => fault.resolve(fields?.cause) },
    onConnect: () => connected.resolve('connected'),
    ...options,
  });
  await made.start();
  ending.push(() => made.stop());
  return { made, outcome: await Promise.race([connected.promise, fault.promise]) };
}

const published = () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  broker.subscribe(topic, (_, payload) => resolve(payload));
  return promise;
};

it('serves a unit that has proved its key, and is known by its own', async () => {
  const { made, outcome } = await connection(unit, leader.publicKey);
  expect(outcome).toBe('connected');
  const arrived = published();
  made.publish(topic, 'ready', { qos: 1 });
  expect(await arrived).toBe('ready');
});

it('refuses the account of a unit from another machine, and accepts it on its own machine', async () => {
  expect((await connection(other, leader.publicKey)).outcome).toContain('Connection refused');
  const url = `mqtts://127.0.0.1:${broker.tlsPort}`;
  const ca = certificate.current().certificate;
  await expect(connectAsync(url, { ...account, ca, reconnectPeriod: 0 }, false)).rejects.toThrow();
  const local = await connectAsync(`mqtt://127.0.0.1:${broker.port}`, { ...account, reconnectPeriod: 0 }, false);
  expect(local.connected).toBe(true);
  await local.endAsync();
});

it('receives nothing from a unit whose leader has another key', async () => {
  expect((await connection(unit, other.publicKey)).outcome).toContain('another key');
  let received = 0;
  const imposter = createServer(serverTlsOptions({ machine: other.certificate }, 'mqtt'), (socket) => {
    socket.on('error', () => {});
    socket.on('data', ({ length }) => {
      received += length;
    });
  });
  await once(imposter.listen(0, '127.0.0.1'), 'listening');
  ending.push(async () => void imposter.close());
  const address = imposter.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const { made, outcome } = await connection(unit, leader.publicKey, { url: () => `mqtts://127.0.0.1:${port}` });
  expect(outcome).toContain('another key');
  await made.stop();
  expect(received).toBe(0);
});

it('ends an attempt that is under way when the node stops', async () => {
  const silent = createServer({}, () => {});
  silent.removeAllListeners('connection');
  const accepted = once(silent, 'connection');
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const made = new MqttConnection({
    url: () => `mqtts://127.0.0.1:${port}`,
    clientId: 'reactor-rx01',
    peer: async () => ({ peerKey: leader.publicKey, machine: unit.certificate }),
    wire: realClock(),
    log: memoryLog(),
  });
  await made.start();
  const [socket] = await accepted;
  await made.stop();
  socket.destroy();
  silent.close();
});

it('speaks no other protocol to a client that wants one', async () => {
  const socket = connect({
    port: broker.tlsPort,
    host: '127.0.0.1',
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: false,
  });
  const [error] = await once(socket, 'error');
  expect(String(error)).toContain('no application protocol');
});

it('shows a renewed certificate to programs that connect later, and keeps its connections', async () => {
  const shown = async () => {
    const socket = connect({ port: broker.tlsPort, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const found = socket.getPeerX509Certificate();
    socket.destroy();
    return { serial: found?.serialNumber, ends: Date.parse(found?.validTo ?? '') };
  };
  const { made, outcome } = await connection(unit, leader.publicKey);
  const before = await shown();
  const renewed = new Promise<void>((resolve) => {
    certificate.onChange(resolve);
  });
  await clock.advance(62 * dayMs);
  await renewed;
  expect([outcome, made.isConnected]).toEqual(['connected', true]);
  const after = await shown();
  expect(after.serial).not.toBe(before.serial);
  expect(after.ends - before.ends).toBeGreaterThanOrEqual(60 * dayMs);
  await made.stop();
  expect((await connection(unit, leader.publicKey)).outcome).toBe('connected');
});
