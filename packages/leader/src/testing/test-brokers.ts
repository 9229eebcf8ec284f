import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir as makeFolder, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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

export async function freePort(): Promise<number> {
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
  /** Further lines of its configuration. */
  readonly settings?: readonly string[];
}

/** Mosquitto's plugin for dynamic security. */
export const installedPlugin = [
  '/usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so',
  '/usr/lib/aarch64-linux-gnu/mosquitto_dynamic_security.so',
  '/usr/lib/mosquitto_dynamic_security.so',
].find((file) => existsSync(file));

/** As root it would become another user, who may not read the test's folder. */
const asItself = process.getuid?.() === 0 ? ['user root'] : [];

/**
 * A file for dynamic security with a quick hash for this account. Mosquitto computes a hash at each connection; the one that the leader writes
 * for passwords of people takes 0.2 s.
 */
export function withQuickHash(written: string, account: Readonly<Record<'username' | 'password', string>>): string {
  const security: { readonly clients: readonly { readonly username: string }[] } = JSON.parse(written);
  const [salt, iterations] = [randomBytes(12), 101];
  const password = pbkdf2Sync(account.password, salt, iterations, 64, 'sha512').toString('base64');
  const quick = { password, salt: salt.toString('base64'), iterations };
  const clients = security.clients.map((one) => (one.username === account.username ? { ...one, ...quick } : one));
  return JSON.stringify({ ...security, clients }, null, 2);
}

async function securitySettings(folder: string, security: unknown): Promise<readonly string[]> {
  if (security === undefined) return ['allow_anonymous true', 'max_queued_messages 0'];
  // With `max_queued_messages 0` Mosquitto 2.0.11 disconnects a client that publishes to a topic it may not.
  const file = join(folder, 'dynamic-security.json');
  await writeFile(file, JSON.stringify(security), { mode: 0o600 });
  return [
    'set_tcp_nodelay true',
    'allow_anonymous false',
    `plugin ${installedPlugin}`,
    `plugin_opt_config_file ${file}`,
  ];
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

async function run(file: string, url: string, account: MosquittoOptions['account']) {
  const child = spawn(mosquitto ?? 'mosquitto', ['-c', file], { stdio: 'ignore' });
  await untilReachable(url, child, account);
  return {
    pid: child.pid ?? 0,
    end: async (signal: 'SIGTERM' | 'SIGKILL') => {
      const ended = once(child, 'exit');
      if (child.exitCode === null && child.kill(signal)) await ended;
    },
  };
}

export interface LocalMosquitto extends BrokerUnderTest {
  readonly pid: number;
  kill(): Promise<void>;
  /** Once more at the same ports, after it was killed. */
  startAgain(): Promise<void>;
}

/** Mosquitto as its own process, with nothing kept. */
export async function mosquittoBroker({
  port,
  security,
  account,
  settings: more = [],
}: MosquittoOptions = {}): Promise<LocalMosquitto> {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-mosquitto-'));
  const [tcp, webSocket] = [port ?? (await freePort()), await freePort()];
  const settings = [
    ...asItself,
    ...(await securitySettings(folder, security)),
    'persistence false',
    `listener ${tcp} 127.0.0.1`,
    `listener ${webSocket} 127.0.0.1`,
    'protocol websockets',
    ...more,
  ];
  const file = join(folder, 'mosquitto.conf');
  await writeFile(file, `${settings.join('\n')}\n`);
  const tcpUrl = `mqtt://127.0.0.1:${tcp}`;
  let running = await run(file, tcpUrl, account);
  return {
    get pid() {
      return running.pid;
    },
    tcpUrl,
    webSocketUrl: `ws://127.0.0.1:${webSocket}/mqtt`,
    kill: () => running.end('SIGKILL'),
    startAgain: async () => {
      running = await run(file, tcpUrl, account);
    },
    close: async () => {
      await running.end('SIGTERM');
      await rm(folder, { recursive: true });
    },
  };
}

const exampleFile = new URL('../../../../examples/mosquitto/lcs.conf', import.meta.url);

export interface ExampleBrokerOptions {
  readonly port: number;
  /** The file that `lcs broker dynamic-security` has written. */
  readonly securityFile: string;
  readonly account: { readonly username: string; readonly password: string };
  readonly certificateFile: string;
  readonly keyFile: string;
  /** Seconds between two saves. */
  readonly autosaveS?: number;
}

export interface ExampleBroker {
  readonly url: string;
  /** What it has saved of sessions and retained messages. */
  readonly savedFile: string;
  /** Ends it and starts it again with the same files. */
  restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  close(): Promise<void>;
}

/** Mosquitto with the configuration of `examples/mosquitto`, as Debian's main file includes it. */
export async function exampleBroker(options: ExampleBrokerOptions): Promise<ExampleBroker> {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-mosquitto-'));
  const { port, securityFile, certificateFile, keyFile, autosaveS = 10, account } = options;
  const places: readonly (readonly [string, string])[] = [
    ['plugin /usr/lib/x86_64-linux-gnu/mosquitto_dynamic_security.so', `plugin ${installedPlugin}`],
    ['/var/lib/mosquitto/dynamic-security.json', securityFile],
    ['listener 8883', `listener ${port} 127.0.0.1`],
    ['/etc/mosquitto/certs/broker.pem', certificateFile],
    ['/etc/mosquitto/certs/broker.key', keyFile],
    ['autosave_interval 10', `autosave_interval ${autosaveS}`],
  ];
  let text = await readFile(exampleFile, 'utf8');
  for (const [written, used] of places) {
    if (!text.includes(written)) throw new Error(`examples/mosquitto/lcs.conf has no '${written}'`);
    text = text.replace(written, used);
  }
  await makeFolder(join(folder, 'conf.d'));
  await writeFile(join(folder, 'conf.d', 'lcs.conf'), text);
  const main = [...asItself, 'persistence true', `persistence_location ${folder}/`, `include_dir ${folder}/conf.d`];
  const file = join(folder, 'mosquitto.conf');
  await writeFile(file, `${main.join('\n')}\n`);
  const url = `mqtts://127.0.0.1:${port}`;
  let { end } = await run(file, url, account);
  return {
    url,
    savedFile: join(folder, 'mosquitto.db'),
    restart: async (signal) => {
      await end(signal);
      ({ end } = await run(file, url, account));
    },
    close: async () => {
      await end('SIGTERM');
      await rm(folder, { recursive: true });
    },
  };
}
