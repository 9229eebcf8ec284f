import { rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import autocannon from 'autocannon';
import { type Figure, median } from './figures.ts';
import { filledFolder } from './filled-folder.ts';
import { type LeaderUnderLoad, startLeaderUnderLoad } from './leader-under-load.ts';
import { tenDays } from './ten-days.ts';

const experiment = 'bench';
const clients = 8;
const seconds = 4;

/** Hours back; a number that was not asked for before makes a question whose answer nobody has kept. */
const lookbacks = [
  { name: 'default lookback', hours: 4 },
  { name: 'full lookback', hours: 100_000 },
] as const;

const pathOf = (hours: number) => `/api/experiments/${experiment}/time_series/od_readings?lookback=${hours}`;

interface Answered {
  readonly ms: number;
  readonly bytes: number;
  readonly etag: string;
}

/** One request on a connection that stays open; timed until the last byte is here. */
async function timed(url: string, agent: Agent): Promise<Answered> {
  const startedMs = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  get(url, { agent }, (response) => {
    buffer(response).then((body) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      resolve({ ms: performance.now() - startedMs, bytes: body.byteLength, etag: response.headers.etag ?? '' });
    }, reject);
  }).on('error', reject);
  return promise;
}

async function oneClient(leader: LeaderUnderLoad, hours: number, fresh: () => number): Promise<Answered> {
  using agent = Object.assign(new Agent({ keepAlive: true, maxSockets: 1 }), {
    [Symbol.dispose]: () => agent.destroy(),
  });
  const answers: Answered[] = [];
  for (let run = 0; run < 60; run += 1) answers.push(await timed(leader.url + pathOf(hours + fresh()), agent));
  const [first = { ms: 0, bytes: 0, etag: '' }] = answers;
  return { ...first, ms: median(answers.map(({ ms }) => ms)) };
}

/** Requests a second that 8 clients get together. */
async function manyClients(leader: LeaderUnderLoad, path: () => string, headers: Record<string, string> = {}) {
  const { requests, errors, non2xx, statusCodeStats } = await autocannon({
    url: leader.url,
    connections: clients,
    duration: seconds,
    requests: [{ method: 'GET', headers, setupRequest: (request) => ({ ...request, path: path() }) }],
  });
  const notModified = statusCodeStats?.['304']?.count ?? 0;
  if (errors > 0 || non2xx > notModified) throw new Error('some requests failed');
  return requests.average;
}

async function figuresOf(leader: LeaderUnderLoad, { name, hours }: (typeof lookbacks)[number]): Promise<Figure[]> {
  let asked = 0;
  const fresh = () => {
    asked += 1;
    return asked * 1e-7;
  };
  await oneClient(leader, hours, fresh);
  const alone = await oneClient(leader, hours, fresh);
  await leader.measure();
  const uncached = await manyClients(leader, () => pathOf(hours + fresh()));
  const { eventLoopDelayP99Ms, residentBytes } = await leader.measure();
  const unchanged = await manyClients(leader, () => pathOf(hours));
  const { etag } = await timed(leader.url + pathOf(hours), new Agent());
  const notModified = await manyClients(leader, () => pathOf(hours), { 'if-none-match': etag });
  const what = `od_readings over HTTP, ${name}`;
  const size = `${Math.round(alone.bytes / 1_000)} kB an answer`;
  return [
    { name: `${what}: one client, nothing kept, p50`, value: alone.ms, unit: 'ms', aim: { atMost: 20 }, limit: size },
    { name: `${what}: ${clients} clients, nothing kept`, value: uncached, unit: '/s', aim: { atLeast: 80 } },
    { name: `${what}: event-loop delay p99 meanwhile`, value: eventLoopDelayP99Ms, unit: 'ms', aim: { atMost: 20 } },
    { name: `${what}: resident memory after that`, value: residentBytes / 1e6, unit: 'MB' },
    { name: `${what}: ${clients} clients, unchanged data`, value: unchanged, unit: '/s', aim: { atLeast: 200 } },
    {
      name: `${what}: ${clients} clients, unchanged, if-none-match`,
      value: notModified,
      unit: '/s',
      aim: { atLeast: 200 },
    },
  ];
}

const largeTarget = 100_000;

/** One answer of as many points as are allowed at all. */
async function largeAnswer(leader: LeaderUnderLoad): Promise<Figure[]> {
  using agent = Object.assign(new Agent({ keepAlive: true, maxSockets: 1 }), {
    [Symbol.dispose]: () => agent.destroy(),
  });
  const url = `${leader.url}${pathOf(100_000)}&target_points=${largeTarget}`;
  await timed(url, agent);
  await leader.measure();
  const answers: Answered[] = [];
  for (let run = 0; run < 5; run += 1) answers.push(await timed(url, agent));
  const { eventLoopDelayP99Ms, residentBytes } = await leader.measure();
  const what = `od_readings over HTTP, full lookback, target_points=${largeTarget}`;
  const bytes = answers[0]?.bytes ?? 0;
  return [
    {
      name: `${what}: one client, p50`,
      value: median(answers.map(({ ms }) => ms)),
      unit: 'ms',
      aim: { atMost: 1_000 },
      limit: `${(bytes / 1e6).toFixed(0)} MB an answer`,
    },
    { name: `${what}: event-loop delay p99 meanwhile`, value: eventLoopDelayP99Ms, unit: 'ms', aim: { atMost: 20 } },
    { name: `${what}: resident memory after that`, value: residentBytes / 1e6, unit: 'MB' },
  ];
}

/** Figures of reading time series over HTTP, with the leader in a process of its own. */
export async function seriesReadBench(): Promise<Figure[]> {
  const folder = await filledFolder(experiment);
  try {
    await using leader = await startLeaderUnderLoad(folder);
    const figures: Figure[] = [];
    for (const lookback of lookbacks) figures.push(...(await figuresOf(leader, lookback)));
    figures.push(...(await largeAnswer(leader)));
    const readings = (tenDays.units * tenDays.channels * tenDays.days * 86_400_000) / tenDays.intervalMs;
    return figures.map((figure) => ({ ...figure, name: `${figure.name} (${(readings / 1e6).toFixed(1)} M readings)` }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
