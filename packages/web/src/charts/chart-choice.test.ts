import { chartDescriptors } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { configuredCharts, toggledCharts, visibleCharts } from './chart-choice.ts';
import { isByChannel, lineOfReading, partsOfLine } from './chart-source.ts';
import { parseTransformation } from './y-transformation.ts';

const descriptors = chartDescriptors({ filteredOdLookbackHours: 50_000, rawOdLookbackHours: 50_000 });
const keysOf = (charts: readonly { readonly chart_key: string }[]) => charts.map(({ chart_key }) => chart_key);
const config =
  '[ui.overview.charts]\n; shown: 1\ntemperature=1\noptical_density = yes\nraw_optical_density=0\n[other]\ncurrent_volume_ml=1\n';

describe('the charts of an experiment', () => {
  it('are those of the configuration until some are chosen, the OD first', () => {
    const shown = visibleCharts(
      descriptors,
      { overview_chart_keys: null, reactor_chart_keys: null },
      configuredCharts(config),
    );
    expect(keysOf(shown)).toEqual(['optical_density', 'temperature']);
    expect(configuredCharts('[ui]\n')).toBeNull();
    const all = keysOf(visibleCharts(descriptors, undefined, null));
    expect(all[0]).toBe('optical_density');
    expect(all.slice(1)).toEqual(keysOf(descriptors).filter((key) => key !== 'optical_density'));
  });

  it('are the chosen ones in their order, without those that no longer exist', () => {
    const preferences = { overview_chart_keys: ['temperature', 'gone', 'optical_density'], reactor_chart_keys: null };
    expect(keysOf(visibleCharts(descriptors, preferences, []))).toEqual(['temperature', 'optical_density']);
    expect(visibleCharts(descriptors, { ...preferences, overview_chart_keys: [] }, ['temperature'])).toEqual([]);
  });

  it('get another chart at its place, or lose one', () => {
    const shown = visibleCharts(descriptors, undefined, ['temperature', 'implied_growth_rate']);
    expect(toggledCharts(descriptors, shown, 'optical_density')).toEqual([
      'implied_growth_rate',
      'optical_density',
      'temperature',
    ]);
    expect(toggledCharts(descriptors, shown, 'temperature')).toEqual(['implied_growth_rate']);
  });
});

describe('every built-in chart', () => {
  it('has a transformation that is parsed without being executed', () => {
    for (const { y_transformation } of descriptors)
      expect(parseTransformation(y_transformation), y_transformation).not.toBeNull();
    expect(parseTransformation('(y) => y * 24')?.(2)).toBe(48);
    expect(parseTransformation('(y) => fetch(y)')).toBeNull();
    expect(parseTransformation('(y) => x')).toBeNull();
  });

  it('gets live readings on the line that the leader names', () => {
    const base = { experiment: 'a', reactor_unit: 'rx-1', angle: null, x: '', y: 0, backfill: false };
    const labels = descriptors.map((descriptor) => {
      const byChannel = isByChannel(descriptor);
      const live = [
        'growth_rate',
        'temperature',
        'od',
        'raw_od',
        'od_fused',
        'od_filtered',
        'alt_media_fraction',
        'liquid_volume',
      ];
      const lines = live.flatMap(
        (source) => lineOfReading(descriptor, { ...base, source, channel: byChannel ? '2' : null }) ?? [],
      );
      return lines.map((line) => partsOfLine(line, byChannel));
    });
    for (const parts of labels) expect(parts).toMatchObject([{ unit: 'rx-1' }]);
  });
});
