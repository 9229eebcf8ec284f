import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hourMs, minuteMs } from '@lcs/contract';
import { VirtualClock } from '@lcs/platform';
import { isPostgresInstalled } from '@lcs/platform/testing';
import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';
import { exporting } from './exporting.ts';

const engines = ['sqlite', ...(isPostgresInstalled ? (['postgres'] as const) : [])] as const;
const month = '2026-08';
const endMs = Date.UTC(2026, 8);
const nowMs = Date.UTC(2026, 8, 8, 9, 30);
const experiments = ['exp 1', 'süd, "7"'];

const lines: readonly (readonly [unit: string, source: string, channel: string | null])[] = [
  ['rx01', 'od', '1'],
  ['rx02', 'od', '1'],
  ['rx01', 'od', '2'],
  ['rx01', 'raw_od', '1'],
  ['rx01', 'od_filtered', null],
  ['rx01', 'od_fused', null],
  ['rx01', 'growth_rate', null],
  ['rx01', 'temperature', null],
  ['rx01', 'liquid_volume', null],
  ['rx02', 'stirring_rpm', null],
  ['rx02', 'pwm_duty', '1'],
  ['rx02', 'od_blank', '1'],
];

/** A leader with readings of two experiments, of the last day of August and the first of September. */
async function filled(engine: (typeof engines)[number]): Promise<LeaderUnderTest> {
  const leader = await startLeader({ observe, engine, clock: new VirtualClock({ startMs: nowMs }) });
  for (const experiment of experiments) await leader.client.createExperiment({ body: { experiment } });
  await leader.editStore((database) => {
    for (const { uid } of database.prepare('select uid from experiments').all()) {
      for (const [unit, source, channel] of lines) {
        const { id } =
          database
            .prepare('insert into series (experiment_uid, unit, source, channel) values (?, ?, ?, ?) returning id')
            .get(String(uid), unit, source, channel) ?? {};
        const insert = database.prepare('insert into samples (series_id, at, value) values (?, ?, ?)');
        const flag = database.prepare('insert into sample_flags (series_id, at, flags) values (?, ?, 8)');
        for (let n = 0; n < 80; n += 1) {
          const at = endMs - 20 * hourMs + n * 20 * minuteMs + Number(id);
          insert.run(Number(id), at, n % 7 === 0 ? n : 1 + Math.sin(n + Number(id)) / 3);
          if (n % 31 === 5) flag.run(Number(id), at);
        }
      }
    }
  });
  return leader;
}

const fixed = [
  'getGrowthRates',
  'getTemperatureReadings',
  'getFilteredOdReadings',
  'getOdReadings',
  'getFusedOdReadings',
  'getRawOdReadings',
] as const;

/** Charts and a preview, as they are sent. */
async function answers({ api }: LeaderUnderTest): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const experiment of experiments) {
    for (const operation of fixed)
      for (const query of [{ lookback: 240 }, { lookback: 240, target_points: 12 }, { lookback: 180 }]) {
        const answer = await api.call(operation, { params: { experiment }, query });
        answer.expect(200);
        texts.push(Buffer.from(answer.bytes).toString());
      }
  }
  const preview = await api.call('previewExportableDataset', {
    params: { target_dataset: 'od_readings' },
    query: { n_rows: 100 },
  });
  preview.expect(200);
  return [...texts, Buffer.from(preview.bytes).toString()];
}

type Files = readonly (readonly [string, string])[];

/** The files of exports and of a run capsule, without their moments. */
async function exportedFiles(leader: LeaderUnderTest): Promise<Files> {
  const { exported, downloaded } = exporting(() => leader);
  const datasets = (await leader.client.listExportableDatasets())
    .map(({ dataset_name }) => dataset_name)
    .filter((name) => name !== 'growth_curve_fits');
  const files: (readonly [string, string])[] = [];
  for (const format of ['csv', 'parquet'])
    for (const [name, text] of await downloaded((await exported({ datasets, format })).filename))
      if (!name.startsWith('manifest')) files.push([name.replace(/\d{14}/, 'moment'), text]);
  const params = { experiment: experiments[0] ?? '' };
  const made = await leader.finished((await leader.api.call('makeCapsule', { params, body: {} })).expect(202));
  if (made.status !== 'succeeded') throw new Error(`${made.error} ${made.cause}`);
  const capsule = await downloaded(String(Reflect.get(Object(made.result), 'filename')));
  return [...files, ['samples', capsule.get('data/samples.parquet') ?? '']];
}

/** Names of the files that are not the same. */
const differing = (found: Files, expected: Files): readonly string[] => {
  expect(found.map(([name]) => name)).toEqual(expected.map(([name]) => name));
  return found.flatMap(([name, text], place) => (expected[place]?.[1] === text ? [] : [name]));
};

const params = { month };

describe.each(engines)('a sealed month of a leader on %s', (engine) => {
  it('is answered, exported and listed as before, until it is unsealed', async () => {
    await using leader = await filled(engine);
    const { api } = leader;
    const before = await answers(leader);
    const files = await exportedFiles(leader);
    const to = join(leader.dataFolder, 'months');
    const sealed = await leader.finished((await api.call('sealMonth', { params, body: { to } })).expect(202));
    const rows = 2 * lines.length * 60;
    expect(sealed).toMatchObject({ status: 'succeeded', result: { month, files: 2, rows } });
    expect(leader.storedRows('samples').length).toBeLessThan(2 * lines.length * 80 - rows / 2);
    expect(await answers(leader)).toEqual(before);
    expect(differing(await exportedFiles(leader), files)).toEqual([]);
    const list = (await api.call('listArchive')).expect(200);
    expect(list).toMatchObject({
      files: [
        {
          month,
          place: to,
          rows: rows / 2,
          is_complete: true,
          first_at: expect.stringMatching(/^2026-08-31T04:00:00/),
        },
        { month, place: to, rows: rows / 2, is_complete: true },
      ],
    });
    const recomputed = await api.call('recomputeGrowth', { params: { experiment: 'exp 1' }, body: {} });
    recomputed.expect(409, 'experiment_sealed');
    const verified = await leader.finished((await api.call('verifyMonth', { params })).expect(202));
    expect(verified).toMatchObject({ status: 'succeeded', result: { month, files: 2, faulty: [] } });
    const unsealed = await leader.finished((await api.call('unsealMonth', { params })).expect(202));
    expect(unsealed).toMatchObject({ status: 'succeeded', result: { month, files: 2, rows } });
    expect(leader.storedRows('samples')).toHaveLength(2 * lines.length * 80);
    expect((await api.call('listArchive')).expect(200)).toEqual({ files: [] });
    expect(await answers(leader)).toEqual(before);
    expect(await readdir(join(to, month))).toEqual([]);
  });
});

describe('months', () => {
  it('are refused with a reason: not a month, not closed, not sealed, no place', async () => {
    await using leader = await filled('sqlite');
    const { api } = leader;
    const of = (name: string) => ({ params: { month: name } });
    (await api.call('sealMonth', { ...of('2026-13'), body: {} })).expect(400, 'month_invalid');
    (await api.call('sealMonth', { ...of('2026-09'), body: {} })).expect(409, 'month_not_closed');
    (await api.call('sealMonth', { ...of(month), body: { to: 'months' } })).expect(400, 'archive_place_invalid');
    (await api.call('verifyMonth', of('x'))).expect(400, 'month_invalid');
    (await api.call('verifyMonth', of(month))).expect(404, 'month_not_sealed');
    (await api.call('unsealMonth', of('x'))).expect(400, 'month_invalid');
    (await api.call('unsealMonth', of(month))).expect(404, 'month_not_sealed');
  });

  it('stay sealed when a file is damaged: the verification names it, and nothing is unsealed', async () => {
    await using leader = await filled('sqlite');
    const { api } = leader;
    await leader.finished((await api.call('sealMonth', { params, body: {} })).expect(202));
    const folder = join(leader.dataFolder, 'archive', 'sealed', month);
    const [file = ''] = await readdir(folder);
    const path = join(folder, file);
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(0, -1));
    const verified = await leader.finished((await api.call('verifyMonth', { params })).expect(202));
    expect(verified).toMatchObject({ result: { files: 2, faulty: [{ file: `${month}/${file}` }] } });
    const unsealed = await leader.finished((await api.call('unsealMonth', { params })).expect(202));
    expect(unsealed).toMatchObject({ status: 'failed', code: 'archive_failed' });
    await writeFile(path, bytes);
    const again = await leader.finished((await api.call('unsealMonth', { params })).expect(202));
    expect(again).toMatchObject({ status: 'succeeded' });
  });

  it('lose the file of an experiment that is deleted', async () => {
    await using leader = await filled('sqlite');
    const { api } = leader;
    await leader.finished((await api.call('sealMonth', { params, body: {} })).expect(202));
    const folder = join(leader.dataFolder, 'archive', 'sealed', month);
    expect(await readdir(folder)).toHaveLength(2);
    const accepted = await api.call('deleteExperiment', { params: { experiment: 'exp 1' } });
    await leader.finished(accepted.expect(202));
    expect(await readdir(folder)).toHaveLength(1);
    const { files } = await leader.client.listArchive({});
    expect(files.map(({ experiment }) => experiment)).toEqual([experiments[1]]);
  });
});
