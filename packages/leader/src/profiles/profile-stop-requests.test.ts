import { expect, it } from 'vitest';
import { requestedStop } from './profile-stop-requests.ts';

const topic = (who: string, experiment: string, id: string) =>
  `reactor/${who}/${experiment}/experiment_profile/${id}/$state/set`;
const run = { jobName: 'experiment_profile', jobId: 7 };

it.each([
  ['its leader', topic('lead', 'exp 1', '7'), { ...run, experiment: 'exp 1' }],
  ['all', topic('$broadcast', 'exp 1', '7'), { ...run, experiment: 'exp 1' }],
  ['whatever its experiment', topic('lead', '$experiment', '7'), run],
])('a wish to stop a run is for %s', (_, from, filter) => {
  expect(requestedStop('lead', from, 'disconnected')).toEqual(filter);
});

it.each([
  ['another unit', topic('rx01', 'exp 1', '7'), 'disconnected'],
  ['no number', topic('lead', 'exp 1', '0'), 'disconnected'],
  ['another wish', topic('lead', 'exp 1', '7'), 'sleeping'],
])('anything else means nothing: %s', (_, from, payload) => {
  expect(requestedStop('lead', from, payload)).toBeUndefined();
});
