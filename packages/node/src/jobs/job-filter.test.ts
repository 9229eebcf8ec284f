import { describe, expect, it } from 'vitest';
import { matchesJob } from './job-filter.ts';

const job = {
  jobId: 1,
  jobName: 'stirring_calibration',
  experiment: '_testing_ramp',
  experimentUid: null,
  jobSource: 'user',
  isLongRunning: false,
  servesCluster: false,
  stopGroup: 'rest',
} as const;

describe('jobs of an experiment', () => {
  it('are also those that the unit does in its scratch experiment, so that they are stopped with it', () => {
    expect(matchesJob({ experiment: 'ramp' }, job)).toBe(true);
    expect(matchesJob({ experiment: '_testing_ramp' }, job)).toBe(true);
    expect(matchesJob({ experiment: 'amp' }, job)).toBe(false);
    expect(matchesJob({ experiment: '_testing_ramp' }, { ...job, experiment: 'ramp' })).toBe(false);
  });

  it('are not those that serve the whole cluster, where these are excepted', () => {
    const profile = { ...job, experiment: 'ramp', isLongRunning: true, servesCluster: true };
    expect(matchesJob({ experiment: 'ramp', servesCluster: false }, profile)).toBe(false);
    expect(matchesJob({ experiment: 'ramp' }, profile)).toBe(true);
  });
});

it('jobs that run pumps are stopped together', () => {
  expect(matchesJob({ stopGroup: 'pumps' }, { ...job, stopGroup: 'pumps' })).toBe(true);
  expect(matchesJob({ stopGroup: 'pumps' }, job)).toBe(false);
});
