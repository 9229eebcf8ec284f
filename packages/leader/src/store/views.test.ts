import { namedSources } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { answerWith, feedSeries, record, startMs, testIngest } from '../testing/test-ingest.ts';

const instant = (seq: number) => new Date(startMs + seq * 1_000).toISOString();
const of = (seq: number) => ({ experiment: 'e1', reactor_unit: 'rx01', timestamp: instant(seq) });
const plain = { channel: null, angle: null };

/** An experiment with one record of each sort, and one that is being deleted. */
async function filledStore() {
  const store = await testIngest();
  await store.addExperiments('e1', 'e2');
  const series = [
    feedSeries({ channel: '2', angle: 135 }),
    feedSeries({ ...plain, source: 'growth_rate' }),
    feedSeries({ ...plain, source: 'pwm_duty', channel: '1' }),
    feedSeries({ ...plain, source: 'pwm_duty', channel: '5' }),
    feedSeries({ experiment_uid: 'e2' }),
  ];
  const at = startMs + 3_000;
  const automation = { kind: 'temperature', automation_name: 'thermostat' };
  const interval = { ...automation, started_at: startMs, settings: { target: 30 } };
  const records = [
    record.sample(1, { value: 0.5 }),
    record.sample(2, { series: 1, value: 0.25 }),
    record.sample(3, { series: 2, value: 10, at }),
    record.sample(4, { series: 3, value: 50, at }),
    record.sample(5, { series: 4, value: 9 }),
    record.event(6, { source: 'dosing_automation:turbidostat' }),
    record.event(7, { name: 'led_change', data: { channel: 'B', intensity: 12 } }),
    record.event(8, {
      name: 'automation',
      message: 'm',
      data: { ...automation, event_name: 'changed', data: { a: 1 } },
    }),
    record.event(9, { name: 'automation_settings', data: { ...interval, ended_at: null } }),
    record.event(10, { name: 'automation_settings', data: { ...interval, ended_at: startMs + 1 } }),
    record.log(11),
  ];
  await store.take('rx01', answerWith(records, series));
  await store.database.write((transaction) =>
    transaction
      .insertInto('profile_runs')
      .values(
        [1, 2].map((experiment_id) => ({
          experiment_id,
          uid: `run ${experiment_id}`,
          started_at: startMs + 11_000,
          first_job_id: 1,
          experiment_profile_name: 'ramp',
          profile_filename: 'ramp.yaml',
          profile_text: '',
          is_dry_run: 0,
          common_units: '[]',
          own_units: '[]',
          stopping_at: null,
          ended_at: null,
          outcome: null,
        })),
      )
      .execute(),
  );
  await store.database.write((transaction) =>
    transaction.updateTable('experiments').set({ deleting_at: 1 }).where('uid', '=', 'e2').execute(),
  );
  return store;
}

describe('the classic views', () => {
  it('show readings and events with names and instants, and nothing of an experiment that is being deleted', async () => {
    await using store = await filledStore();
    const view = (name: string) => store.all(`select * from ${name}`);
    expect(await view('od_readings')).toEqual([{ ...of(1), od_reading: 0.5, angle: 135, channel: 2 }]);
    expect(await view('growth_rates')).toEqual([{ ...of(2), rate: 0.25 }]);
    expect(await view('pwm_dcs')).toEqual([
      { ...of(3), channel_1: 10, channel_2: null, channel_3: null, channel_4: null, channel_5: 50 },
    ]);
    expect(await view('dosing_events')).toEqual([
      {
        ...of(6),
        event: 'add_media',
        volume_change_ml: 0.5,
        source_of_event: 'dosing_automation:turbidostat',
        correction: null,
      },
    ]);
    expect(await view('led_change_events')).toMatchObject([{ ...of(7), channel: 'B', intensity: 12 }]);
    expect(await view('temperature_automation_events')).toEqual([
      { ...of(8), event_name: 'changed', message: 'm', data: '{"a":1}' },
    ]);
    expect(await view('dosing_automation_events')).toEqual([]);
    expect(await view('experiment_profile_runs')).toEqual([
      { experiment: 'e1', started_at: instant(11), experiment_profile_name: 'ramp' },
    ]);
    expect(await view('event_logs')).toMatchObject([{ ...of(11), level: 'INFO', message: 'log 11' }]);
    expect(await view('latest_experiment')).toMatchObject([
      { experiment: 'e1', created_at: '1970-01-01T00:00:00.000Z' },
    ]);
  });

  it('have the table and columns of each reading source of the catalogue', async () => {
    await using store = await filledStore();
    for (const [, { table }] of namedSources) {
      if (table === undefined) continue;
      const columns = await store.all(`select name from pragma_table_info('${table.name}')`);
      expect(columns.map(({ name }) => name)).toEqual(
        expect.arrayContaining([table.column, ...(table.channelColumns ?? [])]),
      );
    }
  });

  it('show an interval of settings once, with its end when it has one', async () => {
    await using store = await filledStore();
    expect(await store.all('select * from temperature_automation_settings')).toEqual([
      {
        experiment: 'e1',
        reactor_unit: 'rx01',
        started_at: instant(0),
        ended_at: new Date(startMs + 1).toISOString(),
        automation_name: 'thermostat',
        settings: '{"target":30}',
      },
    ]);
  });

  it('put all of a moment into one row, and of a minute into another', async () => {
    await using store = await filledStore();
    const wide = await store.all('select * from reactor_unit_activity_data order by timestamp');
    expect(wide).toMatchObject([
      { ...of(1), od_reading: 0.5, growth_rate: null },
      { ...of(2), growth_rate: 0.25 },
      { ...of(6), add_media_ml: 0.5, remove_waste_ml: null },
      { ...of(7), led_b_intensity_update: 12, led_a_intensity_update: null },
    ]);
    expect(await store.all('select * from reactor_unit_activity_data_rollup')).toMatchObject([
      { ...of(0), avg_od_reading: 0.5, avg_growth_rate: 0.25, sum_add_media_ml: 0.5 },
    ]);
  });

  it('find the readings of one unit by index', async () => {
    await using store = await filledStore();
    const plan = await store.all(
      "explain query plan select * from od_readings where experiment = 'e1' and reactor_unit = 'rx01'",
    );
    expect(plan.map(({ detail }) => detail).filter((step) => /^SCAN/.test(String(step)))).toEqual([]);
  });

  it('can all be read', async () => {
    await using store = await filledStore();
    const views = await store.all("select name from sqlite_schema where type = 'view'");
    expect(views.length).toBeGreaterThan(25);
    for (const { name } of views) await expect(store.all(`select * from ${name}`)).resolves.toBeInstanceOf(Array);
  });
});
