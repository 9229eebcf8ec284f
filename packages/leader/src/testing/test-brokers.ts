import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpServer, memoryLog, realClock } from '@lcs/platform';
import { connectAsync } from 'mqtt';
import { EmbeddedBroker, type EmbeddedBrokerOptions } from '../broker/embedded-broker.ts';

/** A broker for tests, reached over TCP and by WebSocket. */
export interface BrokerUnderTest {
  readonly tcpUrl: string;
  readonly webSocketUrl: string;
  close(): Promise<void>;
}

const never = new AbortController().signal;

/** The embedded broker with its door on an HTTP port. */
export async function embeddedBroker(options: Partial<EmbeddedBrokerOptions> = {}) {
  const log = memoryLog();
  const broker = new EmbeddedBroker({ wire: realClock(), log, port: 0, ...options });
  await broker.start(never);
  const http = new HttpServer({
    host: '127.0.0.1',
    port: 0,
    log,
    clock: realClock(),
    apis: [],
    upgrades: { '/mqtt': broker.webSocket },
  });
  await http.start(never);
  return {
    broker,
    log,
    tcpUrl: `mqtt://127.0.0.1:${broker.port}`,
    webSocketUrl: `ws://127.0.0.1:${http.port}/mqtt`,
    close: async () => {
      await http.stop();
      await broker.stop();
    },
  };
}

const mosquitto = ['mosquitto', '/usr/sbin/mosquitto'].find((program) => !spawnSync(program, ['-h']).error);

/** Whether tests with Mosquitto can run here; where they must (`LCS_MOSQUITTO_REQUIRED`), a missing one is an error. */
export const isMosquittoInstalled = mosquitto !== undefined;
if (!isMosquittoInstalled && process.env.LCS_MOSQUITTO_REQUIRED) throw new Error('Mosquitto is not installed.');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

export interface MosquittoOptions {
  /** Default: any free one. */
  readonly port?: number;
  /** The content of the file of its plugin for dynamic security. Default: everybody may do everything. */
  readonly security?: unknown;
  /** An account of that file. */
  readonly account?: { readonly username: string; readonly password: string };
}

const plugin = [
  '/usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so',
  '/usr/lib/aarch64-linux-gnu/mosquitto_dynamic_security.so',
  '/usr/lib/mosquitto_dynamic_security.so',
].find((file) => existsSync(file));

/** As root it would become another user, who may not read the test's folder. */
const asItself = process.getuid?.() === 0 ? ['user root'] : [];

async function securitySettings(folder: string, security: unknown): Promise<readonly string[]> {
  if (security === undefined) return ['allow_anonymous true', 'max_queued_messages 0'];
  // With `max_queued_messages 0` Mosquitto 2.0.11 disconnects a client that publishes to a topic it may not.
  const file = join(folder, 'dynamic-security.json');
  await writeFile(file, JSON.stringify(security), { mode: 0o600 });
  return ['set_tcp_nodelay true', 'allow_anonymous false', `plugin ${plugin}`, `plugin_opt_config_file ${file}`];
}

async function untilReachable(url: string, child: ChildProcess, account: MosquittoOptions['account']): Promise<void> {
  const clock = realClock();
  for (let attempt = 0; attempt < 100 && child.exitCode === null; attempt += 1) {
    const client = await connectAsync(url, { reconnectPeriod: 0, ...account }, false).catch(() => undefined);
    if (client !== undefined) return client.endAsync(true);
    await clock.sleep(50);
  }
  throw new Error('Mosquitto did not start.');
}

/** Mosquitto as its own process, with nothing kept. */
export async function mosquittoBroker({ port, security, account }: MosquittoOptions = {}): Promise<BrokerUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-mosquitto-'));
  const [tcp, webSocket] = [port ?? (await freePort()), await freePort()];
  const settings = [
    ...asItself,
    ...(await securitySettings(folder, security)),
    'persistence false',
    `listener ${tcp} 127.0.0.1`,
    `listener ${webSocket} 127.0.0.1`,
    'protocol websockets',
  ];
  const file = join(folder, 'mosquitto.conf');
  await writeFile(file, `${settings.join('\n')}\n`);
  const child = spawn(mosquitto ?? 'mosquitto', ['-c', file], { stdio: 'ignore' });
  const tcpUrl = `mqtt://127.0.0.1:${tcp}`;
  await untilReachable(tcpUrl, child, account);
  return {
    tcpUrl,
    webSocketUrl: `ws://127.0.0.1:${webSocket}/mqtt`,
    close: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
