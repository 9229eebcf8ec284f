import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure } from './figures.ts';
import { fillOutboxes } from './fill-outboxes.ts';
import { startLeaderUnderLoad } from './leader-under-load.ts';
import { createMembers, untilMembers } from './members.ts';
import { processorSeconds } from './process-figures.ts';
import { inProcesses, startUnitFarm, type UnitFarm } from './unit-farm.ts';

const experiment = 'bench';
const units = ['u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', 'u8'];
const processes = 2;
const channels = 2;
const intervalMs = 5_000;
const limitMs = 120_000;

interface Prepared {
  readonly port: number;
  readonly ports: readonly number[];
  readonly experimentUid: string;
}

/** Leader and units have met once, so that each knows the other's address; then all are ended. */
async function prepare(leaderFolder: string, folder: string): Promise<Prepared> {
  await using leader = await startLeaderUnderLoad(leaderFolder);
  await createMembers(leader.url, experiment, units);
  await using farm = await startUnitFarm({
    leaderUrl: leader.url,
    mqttUrl: leader.mqttUrl,
    folder,
    units: units.map((name) => ({ name, port: 0 })),
  });
  await untilMembers(leader.url, units);
  const database = new DatabaseSync(leader.databasePath, { readOnly: true });
  const row = database.prepare('select uid from experiments').get();
  database.close();
  return { port: Number(new URL(leader.url).port), ports: farm.ports, experimentUid: String(row?.uid) };
}

/** Starts the leader and watches its table; seconds from the last look without a row to the one with the last row. */
async function followed(leaderFolder: string, { port, experimentUid }: Prepared, newestAt: number, farms: UnitFarm[]) {
  const database = new DatabaseSync(join(leaderFolder, 'storage', 'leader.sqlite'), { readOnly: true });
  // Counting millions of rows again and again would cost what is measured; the newest row of a series is found at once.
  const look = database.prepare(
    `select count(*) as begun, count(*) filter (where newest = ?2) as complete from
     (select (select max(at) from samples where series_id = id) as newest from series
       where experiment_uid = ?1 and source = 'od')`,
  );
  const count = database.prepare("select count(*) as n from samples join series on id = series_id where source = 'od'");
  await using leader = await startLeaderUnderLoad(leaderFolder, port);
  const used = () => [leader.pid, ...farms.map(({ pid }) => pid)].map(processorSeconds);
  const endMs = performance.now() + limitMs;
  let startedMs = performance.now();
  let usedBefore = used();
  try {
    for (;;) {
      const { begun, complete } = look.get(experimentUid, newestAt) ?? {};
      if (complete === units.length * channels) break;
      if (begun === 0) {
        startedMs = performance.now();
        usedBefore = used();
      }
      if (performance.now() > endMs) throw new Error('the readings were not stored in time');
      await sleep(10);
    }
    const seconds = (performance.now() - startedMs) / 1_000;
    const [leaderSeconds = 0, ...unitSeconds] = used().map((after, index) => after - (usedBefore[index] ?? 0));
    const { eventLoopDelayP99Ms } = await leader.measure();
    const processor = { leader: leaderSeconds, units: unitSeconds.reduce((sum, each) => sum + each, 0) };
    return { seconds, stored: Number(count.get()?.n), eventLoopDelayP99Ms, processor };
  } finally {
    database.close();
  }
}

/** How quickly a leader stores what units have kept for it while it was away. */
export async function ingestBench(readingsPerUnit = 250_000): Promise<Figure[]> {
  const root = await mkdtemp(join(tmpdir(), 'lcs-bench-'));
  const leaderFolder = join(root, 'leader');
  const folder = join(root, 'units');
  const farms: UnitFarm[] = [];
  try {
    const prepared = await prepare(leaderFolder, folder);
    const { experimentUid, ports, port } = prepared;
    const endMs = Math.floor(Date.now() / 1_000) * 1_000;
    await fillOutboxes({ folder, units, experimentUid, channels, intervalMs, readingsPerUnit, endMs });
    const places = units.map((name, index) => ({ name, port: ports[index] ?? 0 }));
    for (const group of inProcesses(places, processes)) {
      farms.push(await startUnitFarm({ leaderUrl: `http://127.0.0.1:${port}`, folder, units: group }));
    }
    const expected = units.length * readingsPerUnit;
    const result = await followed(leaderFolder, prepared, endMs - intervalMs, farms);
    const { seconds, stored, eventLoopDelayP99Ms, processor } = result;
    if (stored !== expected) throw new Error(`${stored} readings are stored, ${expected} were in the outboxes`);
    const what = `${expected / 1e6} M readings of ${units.length} units in ${processes} other processes`;
    const each = (processorS: number) => `${((processorS / expected) * 1e6).toFixed(1)} µs`;
    return [
      {
        name: 'readings stored from pre-filled outboxes, first to last row in the table',
        value: expected / seconds,
        unit: '/s',
        aim: { atLeast: 150_000 },
        limit: `${what}; processor time a reading: leader ${each(processor.leader)}, units ${each(processor.units)}, on ${cpus().length} cores`,
      },
      {
        name: 'event-loop delay p99 of the leader meanwhile, its start included',
        value: eventLoopDelayP99Ms,
        unit: 'ms',
        limit: what,
      },
    ];
  } finally {
    for (const farm of farms) await farm[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  }
}
