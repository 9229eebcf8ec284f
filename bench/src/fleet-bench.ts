import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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
import type { Figure } from './figures.ts';
import { createMembers, until } from './members.ts';
import { makeDatabase } from './new-database.ts';
import { secondsOfFamilies } from './process-figures.ts';
import type { StandInOrder } from './stand-in-units-process.ts';

const experiment = 'fleet';
const readingsEach = 16;
const everyMs = 5_000;
const password = 'three brown horses';
const settleMs = 15_000;
const measuredMs = 30_000;
const requestEveryMs = 100;
/** Of a page: what it begins with, and its chart. */
const pagePaths = ['/api/units', `/api/experiments/${experiment}/time_series/od_readings?lookback=0.02`];

/** The processes of one way to run a leader, by their part. */
interface Ground extends AsyncDisposable {
  readonly name: string;
  /** Where documents and people come from. */
  readonly url: string;
  /** Where pages come from. */
  readonly pages: readonly string[];
  readonly parts: Readonly<Record<string, readonly number[]>>;
  readonly place: StorePlace;
}

interface Fleet extends AsyncDisposable {
  readonly pid: number;
  readonly ports: readonly number[];
}

async function startFleet(units: readonly string[]): Promise<Fleet> {
  const child = fork(fileURLToPath(new URL('./stand-in-units-process.ts', import.meta.url)));
  const order: StandInOrder = { units, readingsEach, everyMs };
  child.send(order);
  const [ports]: (readonly number[])[] = await once(child, 'message');
  return {
    pid: child.pid ?? 0,
    ports: ports ?? [],
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

async function onPostgres(folder: string): Promise<Ground> {
  const { url: database, server, admin, name } = await makeDatabase();
  const options = { dataFolder: join(folder, 'control'), database };
  const control = await startControlProcess(options);
  const ingests = [await startIngestProcess(options), await startIngestProcess(options)];
  const apis = [await startApiProcess(database), await startApiProcess(database)];
  const all: NodeProcess[] = [...apis, ...ingests, control];
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
      control: [control.pid],
      'both ingest': ingests.map(({ pid }) => pid),
      'both api': apis.map(({ pid }) => pid),
      'the server': [postgres],
    },
    place,
    [Symbol.asyncDispose]: async () => {
      for (const each of all) await each.kill('SIGTERM');
      await admin.run(`drop database ${name} with (force)`);
      await admin[Symbol.asyncDispose]();
    },
  };
}

async function onSqlite(folder: string): Promise<Ground> {
  const dataFolder = join(folder, 'leader');
  const leader = await startLeaderProcess({ dataFolder });
  return {
    name: 'SQLite, one process',
    url: leader.url,
    pages: [leader.url],
    parts: { leader: [leader.pid] },
    place: { path: join(dataFolder, 'storage', 'leader.sqlite') },
    [Symbol.asyncDispose]: () => leader.kill('SIGTERM'),
  };
}

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

async function measure(ground: Ground, units: readonly string[]): Promise<Figure[]> {
  await using fleet = await startFleet(units);
  const machine = createClient(leaderApi, { baseUrl: ground.url });
  const config = await machine.getSharedConfig();
  const addresses = units.map((unit, index) => `${unit}=127.0.0.1:${fleet.ports[index]}`).join('\n');
  await machine.saveSharedConfig({ body: { code: config.replace('[cluster.addresses]\n', `$&${addresses}\n`) } });
  await createMembers(ground.url, experiment, units);
  // An api process answers nobody without a sign-in.
  await machine.createPerson({ body: { name: 'ada', role: 'administrator', password } });
  const headers = await signIn(ground.url, 'ada', password);
  const client = createClient(leaderApi, { baseUrl: ground.url, headers });
  await until(
    'all units answer',
    async () => (await client.listUnits()).filter(({ liveness }) => liveness === 'online').length >= units.length,
    300_000,
  );
  await sleep(settleMs);
  const reader = openSqlReader(ground.place, { timeoutMs: 30_000 });
  const stored = () => Number(reader.prepare('select sum(seq) as n from feed_marks').all()[0]?.n);
  try {
    const ending = new AbortController();
    const visiting = visit(ground.pages, headers, ending.signal);
    const parts: typeof ground.parts = { ...ground.parts, 'the stand-in units': [fleet.pid] };
    const names = Object.keys(parts);
    const used = () => Object.values(parts).map(secondsOfFamilies);
    const [usedBefore, storedBefore, startedMs] = [used(), stored(), performance.now()];
    await sleep(measuredMs);
    const [usedAfter, storedAfter] = [used(), stored()];
    const seconds = (performance.now() - startedMs) / 1_000;
    ending.abort();
    const tookMs = await visiting;
    const backlog = (await client.listUnits()).reduce((sum, unit) => sum + unit.backlog, 0);
    const readings = storedAfter - storedBefore;
    const due = (units.length * readingsEach * 1_000) / everyMs;
    const title = `${units.length} units, ${ground.name}`;
    return [
      {
        name: `${title}: readings stored`,
        value: readings / seconds,
        unit: '/s',
        limit: `${due}/s are measured, ${backlog} wait`,
      },
      ...names.map((name, index) => {
        const cpu = (usedAfter[index] ?? 0) - (usedBefore[index] ?? 0);
        const load = `${((cpu / seconds) * 100).toFixed(0)} % of one core`;
        return {
          name: `${title}: processor time of ${name}`,
          value: (cpu / readings) * 1e6,
          unit: 'µs per reading',
          limit: load,
        };
      }),
      { name: `${title}: requests of pages, p50`, value: percentile(tookMs, 0.5), unit: 'ms' },
      {
        name: `${title}: requests of pages, p99`,
        value: percentile(tookMs, 0.99),
        unit: 'ms',
        limit: `of ${tookMs.length}`,
      },
    ];
  } finally {
    reader.close();
  }
}

/** Units that measure 16 values every 5 s, on PostgreSQL with two ingest and two api processes, and on SQLite: `fleet`, or `fleet=1000`. */
export async function fleetBench(part: string): Promise<Figure[]> {
  const units = Array.from({ length: part === '' ? 100 : Number(part) }, (_, index) => `unit${index + 1}`);
  const figures: Figure[] = [];
  for (const start of [onPostgres, onSqlite]) {
    const folder = await mkdtemp(join(tmpdir(), 'lcs-bench-'));
    try {
      await using ground = await start(folder);
      figures.push(...(await measure(ground, units)));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return figures;
}
