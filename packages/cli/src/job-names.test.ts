import { expect, it } from 'vitest';
import { jobNames } from './job-names.ts';

const descriptor = { job_name: 'gas_mixer', display_name: 'Gas mixer' };

it('jobs have the names of the web UI; the leader is asked only for those of plugins', async () => {
  let asked = 0;
  const listJobDescriptors = () => {
    asked += 1;
    return Promise.resolve([descriptor]);
  };
  const builtIn = await jobNames({ listJobDescriptors }, ['od_reading', 'growth_rate_calculating']);
  expect(['od_reading', 'growth_rate_calculating'].map(builtIn)).toEqual(['OD reading', 'Growth rate']);
  expect(asked).toBe(0);
  const nameOf = await jobNames({ listJobDescriptors }, ['od_reading', 'gas_mixer', 'gone_plugin']);
  expect(['od_reading', 'gas_mixer', 'gone_plugin'].map(nameOf)).toEqual(['OD reading', 'Gas mixer', 'Gone plugin']);
  expect(asked).toBe(1);
});
