import { initialBioreactorValues } from '@lcs/domain';
import { NodeDescriptors } from '@lcs/node';
import type { IniView } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { createExperiment } from '../experiments/create-experiment.ts';
import { bodyOf, errorOf, request, startTestLeader } from '../testing/test-leader.ts';
import { allCharts, chartHandlers, chartLookbacks } from './chart-handlers.ts';

async function startCharts(view: IniView = {}) {
  const leader = await startTestLeader();
  await createExperiment(leader.context, { experiment: 'a' });
  const files = new NodeDescriptors({
    dataFolder: leader.context.dataFolder,
    log: leader.log,
    initialValues: () => initialBioreactorValues(),
  });
  const handlers = chartHandlers(leader.context, allCharts(leader.context, { view: () => view }, files));
  return {
    ...leader,
    descriptors: async () => bodyOf(await handlers.listChartDescriptors(request({}, undefined))),
    read: async (experiment: string) => bodyOf(await handlers.getChartPreferences(request({ experiment }, undefined))),
    choose: async (
      experiment: string,
      body: { overview_chart_keys?: string[] | null; reactor_chart_keys?: string[] | null },
    ) => bodyOf(await handlers.updateChartPreferences(request({ experiment }, body))),
  };
}

describe('chart descriptors', () => {
  it('have the lookbacks of the shared configuration, as whole hours', async () => {
    await using leader = await startCharts({
      'ui.overview.settings': { filtered_od_lookback_hours: '0.5', raw_od_lookback_hours: ' 12 ' },
    });
    const descriptors = await leader.descriptors();
    expect(descriptors).toHaveLength(9);
    expect(descriptors).toContainEqual(
      expect.objectContaining({ chart_key: 'normalized_optical_density', lookback: 1 }),
    );
    expect(descriptors).toContainEqual(expect.objectContaining({ chart_key: 'optical_density', lookback: 12 }));
  });

  it.each(['', 'soon', '-5', '1e999', '0x'])('do not suffer from a lookback of %j', (text) => {
    const view = { 'ui.overview.settings': { filtered_od_lookback_hours: text } };
    expect(chartLookbacks(view)).toEqual({ filteredOdLookbackHours: 50_000, rawOdLookbackHours: 50_000 });
  });
});

describe('chart preferences', () => {
  it('are null until something is chosen', async () => {
    await using leader = await startCharts();
    expect(await leader.read('a')).toEqual({ overview_chart_keys: null, reactor_chart_keys: null });
  });

  it('keep the order, distinguish an empty choice from none, and do not change absent lists', async () => {
    await using leader = await startCharts();
    const overview = ['temperature', 'optical_density'];
    expect(await leader.choose('a', { overview_chart_keys: overview })).toEqual({
      overview_chart_keys: overview,
      reactor_chart_keys: null,
    });
    const both = { overview_chart_keys: overview, reactor_chart_keys: [] };
    expect(await leader.choose('a', { reactor_chart_keys: [] })).toEqual(both);
    expect(await leader.read('a')).toEqual(both);
    expect(leader.announced.at(-1)).toEqual({
      live: 'chart_preferences',
      key: 'a',
      data: { experiment: 'a', ...both },
    });
    expect(await leader.choose('a', { overview_chart_keys: null })).toEqual({
      overview_chart_keys: null,
      reactor_chart_keys: [],
    });
  });

  it('refuse an empty change before an unknown experiment, and that before bad keys', async () => {
    await using leader = await startCharts();
    const unknown = { overview_chart_keys: ['nothing'] };
    expect(await errorOf(leader.choose('nobody', {}))).toMatchObject({ status: 400, code: 'nothing_to_change' });
    expect(await errorOf(leader.choose('nobody', unknown))).toMatchObject({
      status: 404,
      code: 'experiment_not_found',
    });
    expect(await errorOf(leader.choose('a', unknown))).toMatchObject({
      status: 400,
      code: 'chart_keys_invalid',
      cause: "overview_chart_keys: there is no chart 'nothing'.",
    });
    const twice = { overview_chart_keys: ['temperature'], reactor_chart_keys: ['temperature', 'temperature'] };
    expect(await errorOf(leader.choose('a', twice))).toMatchObject({
      code: 'chart_keys_invalid',
      cause: "reactor_chart_keys: 'temperature' occurs twice.",
    });
    expect(await leader.read('a')).toEqual({ overview_chart_keys: null, reactor_chart_keys: null });
    expect(await errorOf(leader.read('nobody'))).toMatchObject({ status: 404, code: 'experiment_not_found' });
  });

  it('still return a chosen key whose chart was removed, and accept a change of the other list', async () => {
    await using leader = await startCharts();
    await leader.context.database.write((transaction) =>
      transaction
        .insertInto('chart_preferences')
        .values({ experiment_id: 1, overview_chart_keys: '["gone"]', reactor_chart_keys: null, updated_at: 0 })
        .execute(),
    );
    expect(await leader.choose('a', { reactor_chart_keys: ['temperature'] })).toEqual({
      overview_chart_keys: ['gone'],
      reactor_chart_keys: ['temperature'],
    });
  });
});
