import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClient, leaderApi } from '@lcs/contract';
import { startLeaderProcess, temporaryFolder } from '@lcs/testkit';
import { expect, it } from 'vitest';
import { eventually } from './eventually.ts';
import { startToyUnit, type ToyUnit } from './toy-unit.ts';

const reactor_unit = 'rx01';
const experiment = 'ramp';
const hourMs = 3_600_000;
const offsetMs = -3 * hourMs;
/** More than two transactions of a correction hold. */
const readings = 1_300;
const rightMs = Date.UTC(2026, 4, 2, 9);
/** The true time of a reading. */
const trueAt = (index: number) => rightMs + index * 5_000;

/** Readings and doses that are three hours ahead. */
function appendWrongRecords(unit: ToyUnit, experiment_uid: string): void {
  unit.series = [
    { experiment_uid, source: 'od', channel: '1', angle: 90, derivation: null, context: null },
    { experiment_uid, source: 'temperature', channel: null, angle: null, derivation: null, context: null },
  ];
  for (let index = 0; index < readings; index += 1) {
    const at = trueAt(index) - offsetMs;
    unit.append({ kind: 'sample', at, series: 0, value: index }, { kind: 'sample', at, series: 1, value: -index });
    if (index % 100 !== 0) continue;
    const data = { event: 'add_media', volume_change_ml: 0.5, volume_before_ml: 14 };
    unit.append({ kind: 'event', at, experiment_uid, name: 'dosing', source: 'UI', message: null, data });
  }
}

/** The correction, and a reading with the right time. */
function appendCorrection(unit: ToyUnit): void {
  const cluster = { experiment_uid: '$experiment', message: null } as const;
  const last = trueAt(readings);
  const step = { from_ms: last - offsetMs, to_ms: last, offset_ms: offsetMs, source: 'leader', is_correction: true };
  unit.append({ kind: 'event', at: last, ...cluster, name: 'clock_step', source: 'leader', data: step });
  unit.append({ kind: 'sample', at: last, series: 0, value: readings });
}

it('are corrected once, at any time of a kill during the correction', async () => {
  await using folder = await temporaryFolder('corrected');
  await using unit = await startToyUnit(reactor_unit);
  const rowsOf = (sql: string) => {
    const database = new DatabaseSync(join(folder.path, 'storage/leader.sqlite'), { readOnly: true });
    try {
      return database.prepare(sql).all();
    } finally {
      database.close();
    }
  };
  const crashAt = 'clock_correction.samples_moved:2';
  const first = await startLeaderProcess({ dataFolder: folder.path, crashAt });
  const client = createClient(leaderApi, { baseUrl: first.url });
  await client.createExperiment({ body: { experiment } });
  await client.registerWorker({ body: { reactor_unit } });
  expect((await unit.enrol(first.url)).status).toBe(200);
  await client.assignWorker({ params: { experiment }, body: { reactor_unit } });
  await eventually(() => expect(unit.document?.experiment?.name).toBe(experiment));
  appendWrongRecords(unit, unit.document?.experiment?.uid ?? '');
  const remaining = `select count(*) as n from samples where at > ${trueAt(readings)}`;
  await eventually(() => expect(rowsOf(remaining)).toMatchObject([{ n: 2 * readings }]), 60_000);
  appendCorrection(unit);
  expect(await first.ended).toMatchObject({ signal: 'SIGKILL' });
  const [half] = rowsOf(remaining);
  expect(Number(half?.n)).toBeGreaterThan(0);
  expect(Number(half?.n)).toBeLessThan(2 * readings);

  // It continues the correction during its start: the end may come before it is ready.
  const second = startLeaderProcess({ dataFolder: folder.path, crashAt });
  const end = second.then(({ ended }) => ended).catch((error: unknown) => String(error));
  expect(JSON.stringify(await end)).toContain('SIGKILL');
  const third = await startLeaderProcess({ dataFolder: folder.path });
  try {
    expect((await unit.enrol(third.url)).status).toBe(200);
    const corrections = `select message from logs where task = 'clock_correction'`;
    await eventually(() => expect(rowsOf(corrections)).toHaveLength(1));
    expect(rowsOf(remaining)).toMatchObject([{ n: 0 }]);
    expect(rowsOf(corrections)).toMatchObject([{ message: expect.stringContaining(`${2 * readings} readings`) }]);

    const all = Array.from({ length: readings + 1 }, (_, index) => ({ at: trueAt(index), value: index }));
    const samplesOf = (source: string) =>
      rowsOf(`select at, value from samples join series on id = series_id where source = '${source}' order by at`);
    await eventually(() => expect(samplesOf('od')).toHaveLength(all.length));
    expect(samplesOf('od')).toEqual(all);
    expect(samplesOf('temperature')).toEqual(
      all.slice(0, readings).map(({ at, value }) => ({ at, value: value === 0 ? 0 : -value })),
    );
    for (const table of ['rollup_1m', 'rollup_10m', 'rollup_1h']) {
      const sums = `select sum(n) as n, min(first_at) as first, max(last_at) as last from ${table}`;
      expect(rowsOf(sums)).toMatchObject([{ n: 2 * readings + 1, first: trueAt(0), last: trueAt(readings) }]);
    }
    const doses = rowsOf(`select at from events where name = 'dosing' order by at`);
    expect(doses).toEqual(Array.from({ length: readings / 100 }, (_, index) => ({ at: trueAt(index * 100) })));
  } finally {
    await third.kill('SIGKILL');
  }
}, 120_000);
