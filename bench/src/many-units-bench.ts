import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type LiveSnapshot, leaderApi, type Reading, waitForTask } from '@lcs/contract';
import { readEvents } from '../../packages/cli/src/live-events.ts';
import type { Figure } from './figures.ts';
import { startLeaderUnderLoad } from './leader-under-load.ts';
import { createMembers, pause, until, untilMembers } from './members.ts';
import { processorSeconds } from './process-figures.ts';
import { inProcesses, startUnitFarm, type UnitFarm } from './unit-farm.ts';

const experiment = 'bench';
const processes = 4;
/** Until jobs have begun everywhere and the first readings are through. */
const settleMs = 15_000;
const startAttempts = 4;
const broadcast = { reactor_unit: '$broadcast', experiment } as const;
const jobs: readonly { readonly job: string; readonly options?: Readonly<Record<string, string>> }[] = [
  { job: 'stirring' },
  { job: 'od_reading' },
  { job: 'growth_rate_calculating' },
  { job: 'temperature_automation', options: { automation_name: 'only_record_temperature' } },
];

/** Starts all jobs everywhere; the start of a unit that did not answer in time is asked for again. */
export async function startJobs(url: string): Promise<void> {
  const client = createClient(leaderApi, { baseUrl: url });
  for (const { job, options = {} } of jobs) {
    let targets: readonly string[] = [broadcast.reactor_unit];
    for (let attempt = 0; targets.length > 0; attempt += 1) {
      if (attempt === startAttempts) throw new Error(`${job} did not start on ${targets.join(', ')}`);
      const tasks: string[] = [];
      for (const reactor_unit of targets) {
        const accepted = await client.runWorkerJob({ params: { ...broadcast, reactor_unit, job }, body: { options } });
        tasks.push(JSON.stringify(await waitForTask(url, accepted, { sleep: pause })));
      }
      targets = tasks.flatMap((task) =>
        [...task.matchAll(/"ok":false,"unit":"([^"]+)"/g)].map(([, unit = '']) => unit),
      );
      const running = targets.length === 0 ? new Set() : await unitsThatRun(url, job);
      targets = targets.filter((unit) => !running.has(unit));
    }
  }
}

/** As the leader knows it, which is what pages see when they begin. */
async function unitsThatRun(url: string, job: string): Promise<ReadonlySet<string>> {
  await pause(2_000);
  const { body } = await fetch(`${url}/api/live`);
  if (body === null) throw new Error('the live stream is empty');
  for await (const { event, data } of readEvents(body)) {
    if (event !== 'snapshot') continue;
    const snapshot: LiveSnapshot = JSON.parse(data);
    return new Set(snapshot.jobs.filter(({ job_name }) => job_name === job).map(({ reactor_unit }) => reactor_unit));
  }
  return new Set();
}

/** How old each reading is, in milliseconds, when a page is told that it is stored; by source. */
async function watchLags(url: string, signal: AbortSignal, lags: Map<string, number[]>): Promise<void> {
  const response = await fetch(`${url}/api/live`, { signal });
  if (response.body === null) throw new Error('the live stream is empty');
  try {
    for await (const { event, data } of readEvents(response.body)) {
      if (event !== 'reading') continue;
      const reading: Reading = JSON.parse(data);
      const ofSource = lags.get(reading.source) ?? [];
      ofSource.push(Date.now() - Date.parse(reading.x));
      lags.set(reading.source, ofSource);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

const share = (sorted: readonly number[], part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN;

function lagFigure(name: string, lags: readonly number[] = []): Figure {
  const sorted = lags.toSorted((a, b) => a - b);
  const limit = `shortest ${sorted[0]} ms, p99 ${share(sorted, 0.99)} ms, longest ${sorted.at(-1)} ms, of ${sorted.length}`;
  return { name, value: share(sorted, 0.5), unit: 'ms', limit };
}

async function untilCaughtUp(url: string): Promise<void> {
  const client = createClient(leaderApi, { baseUrl: url });
  await until('the leader has all records', async () =>
    (await client.listUnits()).every(({ liveness, backlog }) => liveness === 'online' && backlog === 0),
  );
}

/** Readings in the outboxes, and how many of them the leader's table has not, or not with the same value. */
function compare(leaderPath: string, outboxPaths: readonly { readonly name: string; readonly path: string }[]) {
  const leader = new DatabaseSync(leaderPath);
  let written = 0;
  let lost = 0;
  for (const { name, path } of outboxPaths) {
    leader.prepare('attach ? as unit').run(path);
    const row = leader
      .prepare(
        `select count(*) as written, count(*) filter (where not exists (
           select 1 from series join samples on samples.series_id = series.id
           where series.unit = ?1 and experiment_uid = key ->> 'experiment_uid' and source = key ->> 'source'
             and channel is key ->> 'channel' and angle is key ->> 'angle'
             and samples.at = r.at and samples.value = r.value)) as lost
         from unit.outbox_records r join unit.outbox_series s on s.id = r.series_id`,
      )
      .get(name);
    written += Number(row?.written);
    lost += Number(row?.lost);
    leader.exec('detach unit');
  }
  const stored = Number(leader.prepare('select count(*) as n from samples').get()?.n);
  leader.close();
  return { written, lost, stored };
}

/** A leader with many units at work, each a complete node, all on this machine. */
export async function manyUnitsBench(count = 200, seconds = 45): Promise<Figure[]> {
  const root = await mkdtemp(join(tmpdir(), 'lcs-bench-'));
  const leaderFolder = join(root, 'leader');
  const folder = join(root, 'units');
  const names = Array.from({ length: count }, (_, index) => `unit${index + 1}`);
  const farms: UnitFarm[] = [];
  const lags = new Map<string, number[]>();
  const watching = new AbortController();
  try {
    await using leader = await startLeaderUnderLoad(leaderFolder);
    const { url: leaderUrl, mqttUrl } = leader;
    await createMembers(leaderUrl, experiment, names);
    const groups = inProcesses(names, processes);
    const starting = groups.map((group) =>
      startUnitFarm({ leaderUrl, mqttUrl, folder, units: group.map((name) => ({ name, port: 0 })) }),
    );
    farms.push(...(await Promise.all(starting)));
    await untilMembers(leaderUrl, names);
    await startJobs(leaderUrl);
    await sleep(settleMs);
    await leader.measure();
    const watched = watchLags(leaderUrl, watching.signal, lags);
    const usedBefore = processorSeconds(leader.pid);
    await sleep(seconds * 1_000);
    const used = processorSeconds(leader.pid) - usedBefore;
    const { eventLoopDelayP99Ms, residentBytes } = await leader.measure();
    watching.abort();
    await watched;
    const client = createClient(leaderApi, { baseUrl: leaderUrl });
    for (const { job } of jobs) {
      const accepted = await client.stopWorkerJob({ params: { ...broadcast, job_name: job } });
      await waitForTask(leaderUrl, accepted, { sleep: pause });
    }
    await untilCaughtUp(leaderUrl);
    for (const farm of farms.splice(0)) await farm[Symbol.asyncDispose]();
    const paths = names.map((name) => ({ name, path: join(folder, name, 'storage', 'outbox.sqlite') }));
    const { written, lost, stored } = compare(leader.databasePath, paths);
    const heard = [...lags.values()].flat().length;
    const load = `${count} units in ${processes} processes beside it, ${Math.round(heard / seconds)} readings/s, leader at ${Math.round((used / seconds) * 100)} % of one core`;
    return [
      {
        name: `${count} units: event-loop delay p99 of the leader`,
        value: eventLoopDelayP99Ms,
        unit: 'ms',
        aim: { atMost: 20 },
        limit: load,
      },
      lagFigure(
        `${count} units: from a reading of stirring_rpm to its arrival in a page, p50`,
        lags.get('stirring_rpm'),
      ),
      lagFigure(`${count} units: the same for od, whose moment is the beginning of its measurement`, lags.get('od')),
      {
        name: `${count} units: readings lost`,
        value: lost,
        unit: '',
        aim: { atMost: 0 },
        limit: `${written.toLocaleString('en')} in the outboxes, ${stored.toLocaleString('en')} in the table`,
      },
      { name: `${count} units: resident memory of the leader`, value: residentBytes / 1e6, unit: 'MB' },
    ];
  } finally {
    watching.abort();
    for (const farm of farms) await farm[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  }
}
