import { expect, it } from 'vitest';
import { metered } from '../../testing/test-dosing.ts';
import { biomassSignals } from './biomass-signals.ts';

it('a growth rate is not known while its standard deviation is above 0.1 per hour', async () => {
  const { unit, meters } = await metered();
  await using _unit = unit;
  const { runtime, clock, devices } = unit;
  const growthRate = () =>
    biomassSignals({ topics: runtime.topics, clock, config: {} }, devices, { volumeMl: 14, mediaLeftMl: undefined })
      .culture?.growth_rate;
  expect(growthRate()).toBeNull();
  const reads = (rate: number, sd: number): void => {
    meters.reads(rate, 'growth_rate');
    meters.reads(sd, 'growth_rate_sd');
  };
  // Some minutes after the start of the filter.
  reads(0.4, 0.101);
  expect(growthRate()).toBeNull();
  reads(0.3, 0.1);
  expect(growthRate()).toBe(0.3);
  reads(0.2, 0.15);
  expect(growthRate()).toBeNull();
});

it('the interval of readings is that of the job that runs, else that of the configuration', async () => {
  const config = { 'od_reading.config': { samples_per_second: '0.05' } };
  const { unit } = await metered({ config });
  await using _unit = unit;
  const { runtime, clock, devices } = unit;
  const everyS = () =>
    biomassSignals({ topics: runtime.topics, clock, config }, devices, { volumeMl: 14, mediaLeftMl: undefined }).culture
      ?.reading_every_s;
  expect(everyS()).toBe(20);
  await unit.run('od_reading', { options: { interval: 60 } });
  expect(everyS()).toBe(60);
  await unit.stop('od_reading');
  expect(everyS()).toBe(20);
});
