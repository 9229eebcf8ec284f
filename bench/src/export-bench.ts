import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient, leaderApi, nodeApi } from '@lcs/contract';
import { open as openZip } from 'yauzl';
import type { Figure } from './figures.ts';
import { filledFolder } from './filled-folder.ts';
import { type LeaderUnderLoad, startLeaderUnderLoad } from './leader-under-load.ts';
import { memoryOf, processorSeconds } from './process-figures.ts';
import { tenDays } from './ten-days.ts';

const experiment = 'bench';
const requestEveryMs = 10;
const lookEveryMs = 20;

const rowsStored = (tenDays.units * tenDays.channels * tenDays.days * 86_400_000) / tenDays.intervalMs;

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

/** Milliseconds of one request, to the last byte. */
function timed(url: string, agent: Agent): Promise<number> {
  const startedMs = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  get(url, { agent }, (response) => {
    response.resume();
    response.on('end', () => resolve(performance.now() - startedMs));
  }).on('error', reject);
  return promise;
}

/** Calls `look` again and again until the work is done. */
async function whileWorking(work: Promise<unknown>, everyMs: number, look: () => Promise<void> | void): Promise<void> {
  let isDone = false;
  const end = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await look();
    await wait(everyMs);
  }
  await end;
}

interface Run {
  readonly seconds: number;
  readonly processorSeconds: number;
  readonly idleBytes: number;
  readonly peakBytes: number;
  readonly latencies: readonly number[];
  readonly filename: string;
  readonly sha256: string;
}

/** One export from request to end, with what it does to the leader meanwhile. */
async function exportOnce(leader: LeaderUnderLoad, agent: Agent): Promise<Run> {
  const client = {
    ...createClient(leaderApi, { baseUrl: leader.url }),
    ...createClient(nodeApi, { baseUrl: leader.url }),
  };
  const experiments = `${leader.url}/api/experiments`;
  for (let request = 0; request < 50; request += 1) await timed(experiments, agent);
  await wait(1_000);
  const idleBytes = memoryOf(leader.pid).resident;
  const processorBefore = processorSeconds(leader.pid);
  const startedMs = performance.now();
  const { task_id } = await client.exportDatasets({
    body: { datasets: ['od_readings'], experiment, partition_by_experiment: true, partition_by_unit: false },
  });
  const task = async () => client.getTaskResult({ params: { task_id } });
  const work = (async () => {
    for (;;) {
      const { status } = await task();
      if (status === 'succeeded' || status === 'failed') return;
      await wait(100);
    }
  })();
  let peakBytes = 0;
  const latencies: number[] = [];
  await Promise.all([
    whileWorking(work, lookEveryMs, () => {
      peakBytes = Math.max(peakBytes, memoryOf(leader.pid).resident);
    }),
    whileWorking(work, requestEveryMs, async () => {
      latencies.push(await timed(experiments, agent));
    }),
  ]);
  const seconds = (performance.now() - startedMs) / 1_000;
  const ended = await task();
  if (ended.status !== 'succeeded') throw new Error(`the export failed: ${JSON.stringify(ended)}`);
  const { filename, sha256 }: { filename: string; sha256: string } = JSON.parse(JSON.stringify(ended.result));
  const used = processorSeconds(leader.pid) - processorBefore;
  return { seconds, processorSeconds: used, idleBytes, peakBytes, latencies, filename, sha256 };
}

/** SHA-256 and ends of lines of the files in a zip, read piece by piece. */
function filesOf(path: string): Promise<ReadonlyMap<string, { sha256: string; lines: number; text: string }>> {
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof filesOf>>>();
  const files = new Map<string, { sha256: string; lines: number; text: string }>();
  openZip(path, { lazyEntries: true }, (failure, zip) => {
    if (failure) return reject(failure);
    zip.on('entry', (entry) => {
      if (entry.fileName.endsWith('/')) return zip.readEntry();
      zip.openReadStream(entry, (unreadable, stream) => {
        if (unreadable) return reject(unreadable);
        const hash = createHash('sha256');
        let lines = 0;
        let text = '';
        stream.on('data', (piece: Buffer) => {
          hash.update(piece);
          for (const byte of piece) if (byte === 10) lines += 1;
          if (entry.fileName.endsWith('.json')) text += piece.toString('utf8');
        });
        stream.on('end', () => {
          files.set(entry.fileName, { sha256: hash.digest('hex'), lines, text });
          zip.readEntry();
        });
      });
    });
    zip.on('error', reject);
    zip.on('end', () => resolve(files));
    zip.readEntry();
  });
  return promise;
}

interface Manifest {
  readonly datasets: readonly { readonly csv_files: readonly { path: string; row_count: number; sha256: string }[] }[];
}

/** Fetches the file and holds it against its manifest. @throws Error when they differ */
async function check(leader: LeaderUnderLoad, folder: string, { filename, sha256 }: Run): Promise<number> {
  const path = join(folder, 'downloaded.zip');
  const response = await fetch(`${leader.url}/exports/${filename}`);
  await writeFile(path, new Uint8Array(await response.arrayBuffer()));
  const bytes = await readFile(path);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new Error('the file is not the one that was made');
  const unzip = spawnSync('unzip', ['-t', path]);
  if (unzip.error === undefined && unzip.status !== 0) throw new Error(`unzip -t: ${unzip.stdout}`);
  process.stderr.write(unzip.error === undefined ? 'unzip -t: no errors\n' : 'unzip is not installed here\n');
  const files = await filesOf(path);
  const manifest: Manifest = JSON.parse(files.get('manifest.json')?.text ?? '');
  const [data] = manifest.datasets.flatMap(({ csv_files }) => csv_files);
  const found = files.get(data?.path ?? '');
  if (data === undefined || found?.sha256 !== data.sha256) throw new Error('the checksum of the data differs');
  if (found.lines !== data.row_count + 1 || data.row_count !== rowsStored) throw new Error('rows are missing');
  return bytes.length;
}

/** An export of ten days of readings as a zipped CSV, with the leader in a process of its own. */
export async function exportBench(): Promise<Figure[]> {
  const folder = await filledFolder(experiment);
  using agent = Object.assign(new Agent({ keepAlive: true }), { [Symbol.dispose]: () => agent.destroy() });
  try {
    await using leader = await startLeaderUnderLoad(folder);
    const run = await exportOnce(leader, agent);
    const bytes = await check(leader, folder, run);
    const what = `export of ${(rowsStored / 1e6).toFixed(2)} M od_readings as zipped CSV`;
    const above = (run.peakBytes - run.idleBytes) / 1e6;
    return [
      {
        name: `${what}: time`,
        value: run.seconds,
        unit: 's',
        aim: { atMost: 4 },
        limit: `${(bytes / 1e6).toFixed(0)} MB; ${run.processorSeconds.toFixed(1)} s of processor time`,
      },
      {
        name: `${what}: peak memory above idle`,
        value: above,
        unit: 'MB',
        aim: { atMost: 50 },
        limit: `idle ${(run.idleBytes / 1e6).toFixed(0)} MB`,
      },
      {
        name: `${what}: GET /api/experiments meanwhile, p99`,
        value: quantile(run.latencies, 0.99),
        unit: 'ms',
        aim: { atMost: 50 },
        limit: `${run.latencies.length} requests`,
      },
      { name: `${what}: the same, p50`, value: quantile(run.latencies, 0.5), unit: 'ms' },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
