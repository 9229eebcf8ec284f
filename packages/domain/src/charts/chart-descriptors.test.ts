import { describe, expect, it } from 'vitest';
import { initialBioreactorValues } from '../bioreactor/bioreactor-values.ts';
import { builtInSettings } from '../descriptors/built-in-settings.ts';
import { readingSources } from '../readings/reading-sources.ts';
import { chartDescriptors } from './chart-descriptors.ts';

const charts = chartDescriptors({ filteredOdLookbackHours: 50_000, rawOdLookbackHours: 12.2 });
const chart = (key: string) => charts.find(({ chart_key }) => chart_key === key);

describe('chartDescriptors', () => {
  it('lists nine charts in the order of the screen', () => {
    expect(charts.map(({ chart_key }) => chart_key)).toEqual([
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
  });

  it('has the words of the vial for the share of the alternative medium', () => {
    const { title } = readingSources.alt_media_fraction.table;
    expect(chart('fraction_of_volume_that_is_alternative_media')?.title).toBe(title);
    const settings = builtInSettings(initialBioreactorValues()).flatMap(({ published_settings }) => published_settings);
    expect(settings.find(({ key }) => key === 'alt_media_fraction')?.label).toBe(title);
  });

  it('takes the lookbacks from the configuration, rounded up to whole hours', () => {
    expect(chart('normalized_optical_density')?.lookback).toBe(50_000);
    expect(chart('optical_density')?.lookback).toBe(13);
    expect(chart('raw_optical_density')?.lookback).toBe(13);
    expect(chart('fused_optical_density')?.lookback).toBe(13);
    expect(chart('temperature')?.lookback).toBe(100_000);
    expect(charts.filter(({ lookback }) => !Number.isInteger(lookback))).toEqual([]);
  });

  it('has several live topics only where each channel has its own', () => {
    expect(charts.filter(({ mqtt_topic }) => Array.isArray(mqtt_topic)).map(({ chart_key }) => chart_key)).toEqual([
      'optical_density',
      'raw_optical_density',
    ]);
    expect(chart('raw_optical_density')?.mqtt_topic).toEqual([
      'od_reading/raw_od1',
      'od_reading/raw_od2',
      'od_reading/raw_od3',
      'od_reading/raw_od4',
    ]);
    expect(chart('fused_optical_density')?.mqtt_topic).toBe('od_reading/od_fused');
    const ofOne = chartDescriptors({ filteredOdLookbackHours: 1, rawOdLookbackHours: 1 }, ['2']);
    expect(ofOne.flatMap(({ mqtt_topic }) => (Array.isArray(mqtt_topic) ? [mqtt_topic] : []))).toEqual([]);
    expect(ofOne.map(({ mqtt_topic }) => mqtt_topic)).toContain('od_reading/raw_od2');
  });

  it('shows the daily rate as 24 times the hourly one', () => {
    expect(chart('implied_daily_growth_rate')?.y_transformation).toBe('(y) => y * 24');
    expect(chart('implied_growth_rate')?.y_transformation).toBe('(y) => y');
  });

  it('draws a measured quantity straight from reading to reading, and what only doses change in steps', () => {
    expect(charts.filter(({ interpolation }) => interpolation !== 'linear').map(({ chart_key }) => chart_key)).toEqual([
      'fraction_of_volume_that_is_alternative_media',
      'current_volume_ml',
    ]);
  });
});
