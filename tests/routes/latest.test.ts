import { hourMs, leaderApi, minuteMs } from '@lcs/contract';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  for (const experiment of ['a', 'b']) await leader.client.createExperiment({ body: { experiment } });
  for (const [reactor_unit, experiment] of [
    ['rx1', 'a'],
    ['rx2', 'b'],
    ['rx3', null],
  ] as const) {
    await leader.client.registerWorker({ body: { reactor_unit } });
    if (experiment !== null) await leader.client.assignWorker({ params: { experiment }, body: { reactor_unit } });
  }
});
afterEach(() => leader[Symbol.asyncDispose]());

interface Stored {
  readonly experiment: string;
  readonly unit: string;
  readonly source: string;
  readonly channel?: string;
  readonly flags?: number;
  readonly values: readonly (readonly [agoMs: number, value: number])[];
}

const rollups = [
  ['rollup_1m', minuteMs],
  ['rollup_10m', 10 * minuteMs],
  ['rollup_1h', hourMs],
] as const;

/** Stores readings with their roll-ups, as the ingest does. */
const store = (...all: readonly Stored[]): Promise<void> =>
  leader.editStore((database) => {
    const uidOf = database.prepare('select uid from experiments where name = ?');
    const series = database.prepare(
      'insert into series (experiment_uid, unit, source, channel) values (?, ?, ?, ?) returning id',
    );
    const sample = database.prepare('insert into samples (series_id, at, value) values (?, ?, ?)');
    const flag = database.prepare('insert into sample_flags (series_id, at, flags) values (?, ?, ?)');
    const buckets = rollups.map(([table, widthMs]) =>
      database.prepare(
        `insert into ${table} (series_id, bucket, n, sum, min, at_min, max, at_max, first_at, first, last_at, last)
         select series_id, at / ${widthMs} * ${widthMs}, count(*), sum(value), min(value), min(at), max(value), max(at),
           min(at), min(value), max(at), max(value)
         from samples where series_id = ? group by series_id, at / ${widthMs}`,
      ),
    );
    for (const { experiment, unit, source, channel = null, flags, values } of all) {
      const id = Number(series.get(String(uidOf.get(experiment)?.uid), unit, source, channel)?.id);
      for (const [agoMs, value] of values) {
        sample.run(id, leader.clock.now() - agoMs, value);
        if (flags !== undefined) flag.run(id, leader.clock.now() - agoMs, flags);
      }
      for (const bucket of buckets) bucket.run(id);
    }
  });

const dose = (
  experiment: string,
  unit: string,
  event: string,
  ml: number,
  agoMs: number,
  job_id?: number,
): Promise<void> =>
  leader.editStore((database) => {
    const { uid } = database.prepare('select uid from experiments where name = ?').get(experiment) ?? {};
    database
      .prepare(
        `insert into events (experiment_uid, reactor_unit, at, name, source, data, machine_id, boot, mono)
         values (?, ?, ?, 'dosing', null, ?, 'm', 1, (select count(*) from events))`,
      )
      .run(String(uid), unit, leader.clock.now() - agoMs, JSON.stringify({ event, volume_change_ml: ml, job_id }));
  });

const at = (agoMs: number): string => new Date(leader.clock.now() - agoMs).toISOString();
const latest = () => leader.client.listLatest();

describe('the latest readings of all units', () => {
  it('are empty for units without any', async () => {
    const answer = await leader.api.call('listLatest', {});
    expect(answer.expect(200)).toMatchObject([
      { reactor_unit: 'rx1', readings: [], last_dose: null },
      { reactor_unit: 'rx2', readings: [], last_dose: null },
    ]);
  });

  it('are the newest of each series of the present experiment, with flags and labels', async () => {
    await leader.client.putUnitLabel({ params: { experiment: 'b' }, body: { unit: 'rx2', label: 'Control' } });
    const od = { source: 'od', channel: '2' } as const;
    await store(
      {
        ...od,
        experiment: 'a',
        unit: 'rx1',
        flags: 8,
        values: [
          [60_000, 0.25],
          [5_000, 0.5],
        ],
      },
      // Of an earlier experiment of the unit, and of one that is not shown.
      { ...od, experiment: 'b', unit: 'rx1', values: [[1_000, 9]] },
      { experiment: 'a', unit: 'rx1', source: 'supply_voltage', values: [[1_000, 5]] },
      { experiment: 'b', unit: 'rx2', source: 'growth_rate', values: [[9 * 24 * hourMs, 0.123456]] },
      { ...od, experiment: 'a', unit: 'rx3', values: [[1_000, 9]] },
    );
    expect(await latest()).toEqual([
      {
        reactor_unit: 'rx1',
        experiment: 'a',
        label: null,
        readings: [{ ...od, x: at(5_000), y: 0.5, flags: ['outlier'] }],
        last_dose: null,
      },
      {
        reactor_unit: 'rx2',
        experiment: 'b',
        label: 'Control',
        readings: [{ source: 'growth_rate', channel: null, x: at(9 * 24 * hourMs), y: 0.12346 }],
        last_dose: null,
      },
    ]);
  });

  it('have the last dose into the vial, not waste and not a correction', async () => {
    await dose('a', 'rx1', 'add_media', 1, 60_000);
    // A dose of two pieces.
    await dose('a', 'rx1', 'add_alt_media', 0.25, 50_500);
    await dose('a', 'rx1', 'add_alt_media', 0.5, 50_000);
    await dose('a', 'rx1', 'add_alt_media', -0.5, 40_000);
    await dose('a', 'rx1', 'remove_waste', 1, 30_000);
    await dose('b', 'rx1', 'add_media', 3, 1_000);
    expect((await latest()).map(({ last_dose }) => last_dose)).toEqual([
      { at: at(50_000), event: 'add_alt_media', volume_ml: 0.75 },
      null,
    ]);
  });

  it('are of one job: two doses by hand that follow each other are two', async () => {
    await dose('a', 'rx1', 'add_media', 0.25, 33_000, 7);
    await dose('a', 'rx1', 'add_media', 0.0625, 32_000, 7);
    await dose('a', 'rx1', 'add_media', 0.25, 30_000, 8);
    await dose('a', 'rx1', 'add_media', 0.0625, 29_500, 8);
    const [{ last_dose } = { last_dose: null }] = await latest();
    expect(last_dose).toEqual({ at: at(29_500), event: 'add_media', volume_ml: 0.3125, job_id: 8 });
  });

  it('have of a dose that was stopped what was pumped', async () => {
    await dose('a', 'rx1', 'add_media', 1, 60_000);
    await dose('a', 'rx1', 'add_media', 0.25, 31_000);
    await dose('a', 'rx1', 'add_media', -0.125, 30_800);
    // Announced, and not pumped at all.
    await dose('a', 'rx1', 'add_media', 0.25, 20_000);
    await dose('a', 'rx1', 'add_media', -0.25, 19_900);
    const [{ last_dose } = { last_dose: null }] = await latest();
    expect(last_dose).toEqual({ at: at(30_800), event: 'add_media', volume_ml: 0.125 });
  });
});

describe('sparklines', () => {
  it('are means of equal intervals up to now, of the present experiment of each unit', async () => {
    const od = { source: 'od', channel: '1' } as const;
    await store(
      {
        ...od,
        experiment: 'a',
        unit: 'rx1',
        values: [
          [2 * hourMs, 9],
          [31 * minuteMs, 0.2],
          [30 * minuteMs, 0.4],
          [0, 0.5],
        ],
      },
      { ...od, experiment: 'b', unit: 'rx1', values: [[0, 9]] },
      { experiment: 'b', unit: 'rx2', source: 'temperature', values: [[0, 37]] },
    );
    const asked = { params: { source: 'od' }, query: { lookback: 1, points: 6 } };
    const { from, interval_s, lines } = await leader.client.getSparklines(asked);
    expect(interval_s).toBe(600);
    const endMs = Date.parse(from) + 6 * 600_000;
    expect(endMs - leader.clock.now()).toBeLessThanOrEqual(600_000);
    const slotOf = (agoMs: number) => Math.floor((leader.clock.now() - agoMs - Date.parse(from)) / 600_000);
    const means: (number | null)[] = new Array<null>(6).fill(null);
    for (const [agoMs, value] of [
      [31 * minuteMs, 0.2],
      [30 * minuteMs, 0.4],
      [0, 0.5],
    ] as const) {
      const before = means[slotOf(agoMs)] ?? null;
      means[slotOf(agoMs)] = before === null ? value : 0.3;
    }
    expect(lines).toEqual([{ reactor_unit: 'rx1', experiment: 'a', channel: '1', means }]);
  });

  it('have no lines for an unknown source', async () => {
    const answer = await leader.api.call('getSparklines', { params: { source: 'none' } });
    expect(answer.expect(200)).toMatchObject({ lines: [] });
  });

  it('refuse windows and numbers of points that mean nothing', async () => {
    for (const query of ['lookback=0', 'lookback=x', 'points=1', 'points=501']) {
      const response = await fetch(`${leader.url}/api/sparklines/od?${query}`);
      observe(leaderApi.getSparklines, response.status, 'asserted');
      expect([query, response.status]).toEqual([query, 400]);
    }
  });
});
