import { type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
  await leader.client.createExperiment({ body: { experiment: 'a' } });
});
afterEach(() => leader[Symbol.asyncDispose]());

const read = (experiment = 'a') => leader.api.call('getChartPreferences', { params: { experiment } });
const choose = (body: unknown, experiment = 'a') =>
  leader.api.call('updateChartPreferences', { params: { experiment }, body });

describe('chart descriptors', () => {
  it('are in the order of the screen, with the configured lookback rounded up', async () => {
    const before = await leader.client.listChartDescriptors();
    (await leader.api.call('listChartDescriptors')).expect(200);
    expect(before.map(({ chart_key }) => chart_key)).toEqual([
      'implied_growth_rate',
      'implied_daily_growth_rate',
      'fraction_of_volume_that_is_alternative_media',
      'normalized_optical_density',
      'optical_density',
      'temperature',
      'current_volume_ml',
      'raw_optical_density',
      'fused_optical_density',
    ]);
    expect(before[3]?.lookback).toBe(50_000);
    expect(before[8]?.mqtt_topic).toBe('od_reading/od_fused');
    const code = (await leader.client.getSharedConfig()).replace(/(filtered_od_lookback_hours)=.*/, '$1=12.2');
    await leader.client.saveSharedConfig({ body: { code } });
    expect((await leader.client.listChartDescriptors())[3]?.lookback).toBe(13);
  });

  it('have one live topic, unless several photodiodes are connected', async () => {
    const topics = async () => {
      const charts = await leader.client.listChartDescriptors();
      return charts
        .filter(({ chart_key }) => chart_key.endsWith('optical_density'))
        .map(({ mqtt_topic }) => mqtt_topic);
    };
    const [filtered, fused] = ['growth_rate_calculating/od_filtered', 'od_reading/od_fused'];
    expect(await topics()).toEqual([filtered, 'od_reading/od2', 'od_reading/raw_od2', fused]);

    const shared = await leader.client.getSharedConfig();
    const save = (code: string) => leader.client.saveSharedConfig({ body: { code } });
    await save(shared.replace('\n3=\n', '\n3=45\n'));
    const two = ['od2', 'od3'];
    const both = (prefix: string) => two.map((name) => `od_reading/${prefix}${name}`);
    expect(await topics()).toEqual([filtered, both(''), both('raw_'), fused]);

    // A unit with a wiring of its own.
    await save(shared);
    const params = { reactor_unit: 'rx01' };
    await leader.client.registerWorker({ body: params });
    await leader.client.saveSpecificConfig({ params, body: { code: '[od_config.photodiode_channel]\n2=\n4=135\n' } });
    const all = ['od1', 'od2', 'od3', 'od4'];
    const every = (prefix: string) => all.map((name) => `od_reading/${prefix}${name}`);
    expect(await topics()).toEqual([filtered, every(''), every('raw_'), fused]);
    await leader.client.saveSpecificConfig({ params, body: { code: '' } });
    expect(await topics()).toEqual([filtered, 'od_reading/od2', 'od_reading/raw_od2', fused]);
  });
});

describe('chart preferences', () => {
  it('are null until someone chooses', async () => {
    expect((await read()).expect(200)).toEqual({ overview_chart_keys: null, reactor_chart_keys: null });
  });

  it('keep omitted fields, the difference of [] and null, and the order', async () => {
    const overview_chart_keys = ['temperature', 'optical_density'];
    expect((await choose({ overview_chart_keys })).expect(200)).toEqual({
      overview_chart_keys,
      reactor_chart_keys: null,
    });
    expect((await choose({ reactor_chart_keys: [] })).expect(200)).toEqual({
      overview_chart_keys,
      reactor_chart_keys: [],
    });
    expect((await choose({ overview_chart_keys: null })).expect(200)).toEqual({
      overview_chart_keys: null,
      reactor_chart_keys: [],
    });
    expect((await choose({ pioreactor_chart_keys: ['temperature'] })).expect(200)).toMatchObject({
      reactor_chart_keys: ['temperature'],
    });
    expect((await read()).expect(200)).toEqual({ overview_chart_keys: null, reactor_chart_keys: ['temperature'] });
  });

  it('check shape, then emptiness, then the experiment, then the keys', async () => {
    (await choose({ overview_chart_keys: 'temperature' }, 'nobody')).expect(400, 'invalid_body');
    (await choose({ colour: 1, overview_chart_keys: [] }, 'nobody')).expect(400, 'invalid_body');
    (await choose({}, 'nobody')).expect(400, 'nothing_to_change');
    (await choose({ overview_chart_keys: ['nothing'] }, 'nobody')).expect(404, 'experiment_not_found');
    (await choose({ overview_chart_keys: ['nothing'] })).expect(400, 'chart_keys_invalid');
    (await choose({ reactor_chart_keys: ['temperature', 'temperature'] })).expect(400, 'chart_keys_invalid');
    (await read('nobody')).expect(404, 'experiment_not_found');
    expect((await read()).expect(200)).toEqual({ overview_chart_keys: null, reactor_chart_keys: null });
  });

  it('are deleted with their experiment', async () => {
    (await choose({ overview_chart_keys: ['temperature'] })).expect(200);
    await leader.finished(await leader.client.deleteExperiment({ params: { experiment: 'a' } }));
    await leader.client.createExperiment({ body: { experiment: 'a' } });
    expect((await read()).expect(200)).toEqual({ overview_chart_keys: null, reactor_chart_keys: null });
  });
});
