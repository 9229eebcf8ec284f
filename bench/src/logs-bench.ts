import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient, leaderApi } from '@lcs/contract';
import autocannon from 'autocannon';
import type { Figure } from './figures.ts';
import { filledLogs } from './filled-folder.ts';
import { type LeaderUnderLoad, startLeaderUnderLoad } from './leader-under-load.ts';
import { processorSeconds } from './process-figures.ts';

const experiment = 'bench';
const clients = 8;
const seconds = 4;
const entriesStored = 50_000;
/** Entries added meanwhile, a second: a cluster of 200 units in trouble. */
const addedPerSecond = 100;

const pages = [
  { name: 'logs', path: `/api/experiments/${experiment}/logs` },
  { name: 'recent_logs', path: `/api/experiments/${experiment}/recent_logs` },
  { name: 'logs of the cluster', path: '/api/logs' },
  { name: 'logs with a search', path: `/api/experiments/${experiment}/logs?search=target` },
] as const;

interface Load {
  readonly perSecond: number;
  readonly processorMs: number;
}

/** Requests a second that 8 clients get together, and the leader's processor time for each. */
async function load(leader: LeaderUnderLoad, path: string): Promise<Load> {
  const before = processorSeconds(leader.pid);
  const { requests, errors, non2xx } = await autocannon({
    url: leader.url + path,
    connections: clients,
    duration: seconds,
  });
  if (errors + non2xx > 0) throw new Error('some requests failed');
  const used = processorSeconds(leader.pid) - before;
  return { perSecond: requests.average, processorMs: (used * 1_000) / requests.total };
}

/** Adds entries at a steady rate until it is aborted. */
async function addEntries(leader: LeaderUnderLoad, signal: AbortSignal): Promise<void> {
  const client = createClient(leaderApi, { baseUrl: leader.url });
  const startedMs = performance.now();
  for (let added = 0; !signal.aborted; added += 1) {
    await client.postUnitLog({
      params: { reactor_unit: 'unit1', experiment },
      body: { message: `target ${added}`, level: 'INFO', source: 'bench' },
    });
    await wait(Math.max(0, startedMs + ((added + 1) * 1_000) / addedPerSecond - performance.now()));
  }
}

/** Figures of pages of the event log, with the leader in a process of its own. */
export async function logsBench(): Promise<Figure[]> {
  const folder = await filledLogs(experiment, entriesStored);
  try {
    await using leader = await startLeaderUnderLoad(folder);
    const figures: Figure[] = [];
    const figure = (name: string, { perSecond, processorMs }: Load, atLeast: number) =>
      figures.push({
        name: `${name}, ${clients} clients (${entriesStored.toLocaleString('en')} entries)`,
        value: perSecond,
        unit: '/s',
        aim: { atLeast },
        limit: `${processorMs.toFixed(3)} ms of processor time each`,
      });
    for (const { name, path } of pages) {
      await autocannon({ url: leader.url + path, connections: clients, duration: 1 });
      figure(`GET …/${name}, unchanged`, await load(leader, path), 10_000);
    }
    for (const { name, path } of pages) {
      const ending = new AbortController();
      const adding = addEntries(leader, ending.signal);
      figure(`GET …/${name}, while ${addedPerSecond} entries a second are added`, await load(leader, path), 4_000);
      ending.abort();
      await adding;
    }
    return figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
