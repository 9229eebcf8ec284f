import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient, leaderApi } from '@lcs/contract';
import { openSqlReader, type StorePlace } from '@lcs/platform/sql-reader';
import {
  type NodeProcess,
  signIn,
  startApiProcess,
  startControlProcess,
  startIngestProcess,
  startLeaderProcess,
} from '@lcs/testkit';
import { mosquittoBroker } from '../../packages/leader/src/testing/test-brokers.ts';
import { endWithChildren, interruption } from './ending.ts';
import type { Figure } from './figures.ts';
import { createMembers, until } from './members.ts';
import { makeDatabase } from './new-database.ts';
import { machineSeconds, secondsOfFamilies } from './process-figures.ts';
import { standInSeries } from './stand-in-series.ts';
import type { StandInOrder } from './stand-in-units-process.ts';

const experiment = 'fleet';
const everyMs = 5_000;
const password = 'three brown horses';
const settleMs = 15_000;
const measuredMs = 30_000;
const requestEveryMs = 100;
/** A process that has not ended by then is killed. */
const longestEndMs = 20_000;
/** Requests for one list take much of a leader with many units. */
const lookEveryMs = 1_000;
/** Of a page: what it begins with, and its chart. */
const pagePaths = ['/api/units', `/api/experiments/${experiment}/time_series/od_readings?lookback=0.02`];

/** The processes of one way to run a leader, by their part. */
interface Ground {
  readonly name: string;
  /** Where documents and people come from. */
  readonly url: string;
  /** Where pages come from. */
  readonly pages: readonly string[];
  readonly parts: Readonly<Record<string, readonly number[]>>;
  readonly place: StorePlace;
}

interface Broker {
  readonly pid: number;
  readonly url: string;
}

interface Site {
  readonly folder: string;
  readonly broker: Broker;
  /** What is started is ended by it. */
  readonly ending: AsyncDisposableStack;
}

interface Fleet {
  readonly pid: number;
  readonly ports: readonly number[];
  /** Readings so far. */
  made(): Promise<number>;
  /** Units measure from now on. */
  begin(): void;
}

async function startFleet(units: readonly string[], { broker, ending }: Site): Promise<Fleet> {
  const child = fork(fileURLToPath(new URL('./stand-in-units-process.ts', import.meta.url)));
  const ended = once(child, 'exit');
  ending.defer(async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  const answer = async <Message>(): Promise<Message> => {
    const [message]: Message[] = await Promise.race([
      once(child, 'message'),
      ended.then(() => {
        throw new Error('the process of the stand-in units has ended');
      }),
    ]);
    if (message === undefined) throw new Error('the process of the stand-in units answered nothing');
    return message;
  };
  const order: StandInOrder = { units, everyMs, experiment, brokerPort: Number(new URL(broker.url).port) };
  child.send(order);
  const ports = await answer<readonly number[]>();
  return {
    pid: child.pid ?? 0,
    ports,
    begin: () => void child.send('begin'),
    made: () => {
      child.send('made');
      return answer<number>();
    },
  };
}

async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

async function end(process: NodeProcess): Promise<void> {
  const killing = setTimeout(() => process.child.kill('SIGKILL'), longestEndMs);
  await process.kill('SIGTERM');
  clearTimeout(killing);
}

async function onPostgres({ folder, broker, ending }: Site): Promise<Ground> {
  const { url: database, server, admin, name } = await makeDatabase();
  ending.defer(async () => {
    await admin.run(`drop database ${name} with (force)`);
    await admin[Symbol.asyncDispose]();
  });
  const started = async (starting: Promise<NodeProcess>): Promise<NodeProcess> => {
    const process = await starting;
    ending.defer(() => end(process));
    return process;
  };
  const options = { dataFolder: join(folder, 'control'), database };
  const control = await started(startControlProcess({ ...options, brokerUrl: broker.url }));
  const ingests = [await started(startIngestProcess(options)), await started(startIngestProcess(options))];
  const apis = [await started(startApiProcess(database)), await started(startApiProcess(database))];
  const place = { url: database, schema: 'lcs' };
  const reader = openSqlReader(place, { timeoutMs: 5_000 });
  const [backend] = reader.prepare('select pg_backend_pid() as pid').all();
  // Until the reader is closed, the process exists.
  const postgres = await parentOf(Number(backend?.pid));
  reader.close();
  return {
    name: `PostgreSQL (server ${server}), 2 ingest, 2 api`,
    url: control.url,
    pages: apis.map(({ url }) => url),
    parts: {
      'the control process': [control.pid],
      'both ingest': ingests.map(({ pid }) => pid),
      'both api': apis.map(({ pid }) => pid),
      'the server': [postgres],
    },
    place,
  };
}

async function onSqlite({ folder, broker, ending }: Site): Promise<Ground> {
  const dataFolder = join(folder, 'leader');
  const leader = await startLeaderProcess({ dataFolder, brokerUrl: broker.url });
  ending.defer(() => end(leader));
  return {
    name: 'SQLite, one process',
    url: leader.url,
    pages: [leader.url],
    parts: { 'the leader': [leader.pid] },
    place: { path: join(dataFolder, 'storage', 'leader.sqlite') },
  };
}

const grounds = { postgres: onPostgres, sqlite: onSqlite } as const;
const groundNames = ['postgres', 'sqlite'] as const;

/** Durations of requests of pages, in milliseconds, until `signal` is aborted. */
async function visit(
  pages: readonly string[],
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const tookMs: number[] = [];
  for (let index = 0; !signal.aborted; index += 1) {
    const page = pages[index % pages.length] ?? '';
    const path = pagePaths[Math.floor(index / pages.length) % pagePaths.length] ?? '';
    const startedMs = performance.now();
    const response = await fetch(`${page}${path}`, { headers });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
    tookMs.push(performance.now() - startedMs);
    await sleep(requestEveryMs);
  }
  return tookMs;
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;

async function measure(ground: Ground, units: readonly string[], site: Site): Promise<Figure[]> {
  const startedMs = performance.now();
  /** A setting up that takes minutes shows where it is. */
  const reached = (what: string) =>
    process.stderr.write(`${ground.name}: ${what} after ${((performance.now() - startedMs) / 1_000).toFixed(0)} s\n`);
  const fleet = await startFleet(units, site);
  const machine = createClient(leaderApi, { baseUrl: ground.url });
  const config = await machine.getSharedConfig();
  const addresses = units.map((unit, index) => `${unit}=127.0.0.1:${fleet.ports[index]}`).join('\n');
  await machine.saveSharedConfig({ body: { code: config.replace('[cluster.addresses]\n', `$&${addresses}\n`) } });
  reached('addresses saved');
  await createMembers(ground.url, experiment, units);
  reached('members created');
  // An api process answers nobody without a sign-in.
  await machine.createPerson({ body: { name: 'ada', role: 'administrator', password } });
  const headers = await signIn(ground.url, 'ada', password);
  const client = createClient(leaderApi, { baseUrl: ground.url, headers });
  const online = async () => (await client.listUnits()).filter(({ liveness }) => liveness === 'online').length;
  await until('all units answer', async () => (await online()) >= units.length, 300_000, lookEveryMs);
  reached('all units online');
  fleet.begin();
  await sleep(settleMs);
  const reader = openSqlReader(ground.place, { timeoutMs: 30_000 });
  using _ = { [Symbol.dispose]: () => reader.close() };
  const stored = () => Number(reader.prepare('select sum(seq) as n from feed_marks').all()[0]?.n);
  const visits = new AbortController();
  const visiting = visit(ground.pages, headers, visits.signal);
  // Its error is thrown where it is waited for.
  visiting.catch(() => {});
  const parts: typeof ground.parts = {
    ...ground.parts,
    'the broker': [site.broker.pid],
    'the stand-in units': [fleet.pid],
    'this bench': [process.pid],
  };
  const names = Object.keys(parts);
  // Without the processes that this one has started.
  const secondsOf = (pids: readonly number[]) =>
    pids.includes(process.pid)
      ? process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6
      : secondsOfFamilies(pids);
  const look = async () => ({
    used: Object.values(parts).map(secondsOf),
    machine: machineSeconds(),
    stored: stored(),
    made: await fleet.made(),
    atMs: performance.now(),
  });
  const before = await look();
  await sleep(measuredMs);
  const after = await look();
  reached('measured');
  const seconds = (after.atMs - before.atMs) / 1_000;
  visits.abort();
  const tookMs = await visiting;
  reached('last page answered');
  const readings = after.stored - before.stored;
  const due = (units.length * standInSeries.length * 1_000) / everyMs;
  const title = `${units.length} units, ${ground.name}`;
  const used = names.map((_, index) => (after.used[index] ?? 0) - (before.used[index] ?? 0));
  const others = after.machine - before.machine - used.reduce((sum, each) => sum + each, 0);
  const ofOneCore = (cpu: number) => `${((cpu / seconds) * 100).toFixed(0)} % of one core`;
  const waiting = (at: typeof after) => at.made - at.stored;
  return [
    {
      name: `${title}: readings stored`,
      value: readings / seconds,
      unit: '/s',
      limit: `${due}/s due, ${((after.made - before.made) / seconds).toFixed(0)}/s made; ${waiting(before)} waited at the beginning, ${waiting(after)} at the end`,
    },
    ...names.map((name, index) => ({
      name: `${title}: processor time of ${name}`,
      value: ((used[index] ?? 0) / readings) * 1e6,
      unit: 'µs per reading',
      limit: ofOneCore(used[index] ?? 0),
    })),
    {
      name: `${title}: other processes of the machine, of ${cpus().length} cores`,
      value: (others / seconds) * 100,
      unit: '% of one core',
    },
    { name: `${title}: requests of pages, p50`, value: percentile(tookMs, 0.5), unit: 'ms' },
    {
      name: `${title}: requests of pages, p99`,
      value: percentile(tookMs, 0.99),
      unit: 'ms',
      limit: `of ${tookMs.length}`,
    },
  ];
}

/** Everything that it has started has ended when it resolves or rejects. */
async function measureOn(start: (site: Site) => Promise<Ground>, units: readonly string[]): Promise<Figure[]> {
  await using ending = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'lcs-bench-'));
  ending.defer(() => rm(folder, { recursive: true, force: true }));
  const broker = await mosquittoBroker({ settings: ['max_queued_messages 10000'] });
  ending.defer(() => broker.close());
  const site = { folder, broker: { url: broker.tcpUrl, pid: broker.pid }, ending };
  const interrupted = interruption();
  ending.use(interrupted);
  return await Promise.race([start(site).then((ground) => measure(ground, units, site)), interrupted.reached]);
}

/**
 * Units that measure 16 values every 5 s and publish them, on PostgreSQL with two ingest and two api processes, and on SQLite, both
 * with Mosquitto: `fleet`, `fleet=1000`, or one of both, `fleet=1000:sqlite`.
 */
export async function fleetBench(part: string): Promise<Figure[]> {
  endWithChildren();
  const [count = '', only] = part.split(':');
  const wanted = groundNames.filter((name) => only === undefined || name === only);
  if (wanted.length === 0) throw new Error(`no such ground: ${only}; there are ${groundNames.join(', ')}`);
  const units = Array.from({ length: count === '' ? 100 : Number(count) }, (_, index) => `unit${index + 1}`);
  const figures: Figure[] = [];
  for (const name of wanted) figures.push(...(await measureOn(grounds[name], units)));
  return figures;
}
