import { describe, expect, it } from 'vitest';
import { builtInAlarmRules } from '../alarms/built-in-alarm-rules.ts';
import { seriesColumn, seriesColumnNames } from '../charts/data-sources.ts';
import { expectedReadings, jobOfSource, namedSources, readingSource, sourcesOf } from './reading-sources.ts';

describe('the catalogue of reading sources', () => {
  it('has tables with names of their own, and one thinning order', () => {
    const tables = namedSources.flatMap(([, { table }]) => (table === undefined ? [] : [table.name]));
    expect(new Set(tables).size).toBe(tables.length);
    const ranks = new Set(namedSources.flatMap(([, { thinning = [] }]) => thinning));
    expect([...ranks].toSorted((a, b) => a - b)).toEqual(Array.from({ length: ranks.size }, (_, index) => index + 1));
  });

  it('makes each table a data source of charts', () => {
    for (const [source, { table }] of namedSources)
      if (table !== undefined) expect(seriesColumn(table.name, table.column)).toEqual({ source });
    expect(seriesColumn('growth_rates', 'rate_sd')).toEqual({ source: 'growth_rate_sd' });
    expect(seriesColumn('reactor_unit_activity_data', 'measured_rpm')).toEqual({ source: 'stirring_rpm' });
    expect(seriesColumnNames()).toContain('od_blanks.od_reading');
  });

  it('lets people chart the source of a plugin, with the usual format', () => {
    expect(seriesColumn('readings', 'bubble_rate')).toEqual({ source: 'bubble_rate' });
    expect(seriesColumn('readings', 'a b')).toBeUndefined();
    expect(readingSource('bubble_rate')).toMatchObject({ decimals: 7, byChannel: false });
    expect(readingSource('constructor').table).toBeUndefined();
    expect(jobOfSource('bubble_rate')).toBeUndefined();
  });

  it('knows the sources of a job, and which of them it must record while it is ready', () => {
    expect(sourcesOf('growth_rate_calculating').toSorted()).toEqual(['growth_rate', 'growth_rate_sd', 'od_filtered']);
    expect(expectedReadings('od_reading')).toEqual({ sources: ['od', 'raw_od'], onlyAfterFirst: false });
    expect(expectedReadings('temperature_automation')).toEqual({ sources: ['temperature'], onlyAfterFirst: false });
    expect(expectedReadings('stirring')).toEqual({ sources: ['stirring_rpm'], onlyAfterFirst: true });
    expect(expectedReadings('growth_rate_calculating')?.onlyAfterFirst).toBe(true);
    expect(expectedReadings('monitor')).toBeUndefined();
  });

  it('gives the sources of the alarm rule for any value', () => {
    const rule = builtInAlarmRules.find(({ rule }) => rule === 'value_out_of_range');
    const [choices = []] = (rule?.parameters ?? []).flatMap((one) => (one.type === 'choice' ? [one.choices] : []));
    expect([...choices].toSorted()).toEqual([
      'alt_media_fraction',
      'cpu_temperature',
      'growth_rate',
      'heater_duty',
      'ir_led_relative_intensity',
      'liquid_volume',
      'od',
      'od_filtered',
      'od_fused',
      'raw_od',
      'stirring_rpm',
      'supply_voltage',
      'temperature',
    ]);
  });
});
