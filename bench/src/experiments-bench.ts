import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createClient, leaderApi } from '@lcs/contract';
import autocannon from 'autocannon';
import { type Figure, median } from './figures.ts';
import { startLeaderUnderLoad } from './leader-under-load.ts';

const seconds = 5;
const connections = 20;
const experimentsStored = 100;

/** What the same runtime does on this machine with a bare HTTP server sending the same bytes: the limit for any answer. */
async function bareServerRate(payload: string): Promise<number> {
  const server = fork(fileURLToPath(new URL('./bare-server.ts', import.meta.url)));
  server.send(payload);
  const [port]: number[] = await once(server, 'message');
  const { requests } = await autocannon({ url: `http://127.0.0.1:${port}/`, connections, duration: seconds });
  server.disconnect();
  await once(server, 'exit');
  return requests.average;
}

async function startUp(): Promise<Figure[]> {
  const times: number[] = [];
  for (let run = 0; run < 5; run += 1) {
    await using leader = await startLeaderUnderLoad();
    times.push(leader.startUpMs);
  }
  return [
    { name: 'start-up, process to ready line (median of 5)', value: median(times), unit: 'ms', aim: { atMost: 1500 } },
  ];
}

async function idleMemory(): Promise<Figure> {
  await using leader = await startLeaderUnderLoad();
  await new Promise((resolve) => setTimeout(resolve, 10_000));
  const { residentBytes } = await leader.measure();
  return {
    name: 'resident memory of an idle leader, 10 s after start',
    value: residentBytes / 1e6,
    unit: 'MB',
    aim: { atMost: 120 },
  };
}

async function requests(): Promise<Figure[]> {
  await using leader = await startLeaderUnderLoad();
  const client = createClient(leaderApi, { baseUrl: leader.url });
  for (let index = 0; index < experimentsStored; index += 1) {
    await client.createExperiment({
      body: {
        experiment: `experiment ${index}`,
        description: 'a sentence about what it is for',
        tags: ['yeast', 'ramp'],
      },
    });
  }
  const payload = JSON.stringify(await client.listExperiments());
  const bare = await bareServerRate(payload);
  await leader.measure();
  const reads = await autocannon({ url: `${leader.url}/api/experiments`, connections, duration: seconds });
  const underReads = await leader.measure();
  const writes = await autocannon({
    url: `${leader.url}/api/experiments/experiment%2050`,
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ description: 'another sentence' }),
    connections,
    duration: seconds,
  });
  const underWrites = await leader.measure();
  if (reads.non2xx + writes.non2xx + reads.errors + writes.errors > 0) throw new Error('some requests failed');
  const limit = `${Math.round(bare).toLocaleString('en')}/s: a bare node:http server sending the same ${payload.length} bytes`;
  return [
    {
      name: `GET /api/experiments, ${experimentsStored} experiments`,
      value: reads.requests.average,
      unit: '/s',
      aim: { atLeast: 5000 },
      limit,
    },
    { name: 'GET /api/experiments, p99', value: reads.latency.p99, unit: 'ms' },
    {
      name: 'event-loop delay p99 under these reads',
      value: underReads.eventLoopDelayP99Ms,
      unit: 'ms',
      aim: { atMost: 20 },
    },
    { name: 'PATCH /api/experiments/{experiment} (on disk when answered)', value: writes.requests.average, unit: '/s' },
    { name: 'PATCH /api/experiments/{experiment}, p99', value: writes.latency.p99, unit: 'ms' },
    {
      name: 'event-loop delay p99 under these writes',
      value: underWrites.eventLoopDelayP99Ms,
      unit: 'ms',
      aim: { atMost: 20 },
    },
  ];
}

/** Figures of a leader with experiments and no units. */
export async function experimentsBench(): Promise<Figure[]> {
  return [...(await startUp()), await idleMemory(), ...(await requests())];
}
