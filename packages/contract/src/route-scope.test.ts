import { expect, it } from 'vitest';
import { needsMembership, routeScopes } from './route-scope.ts';
import { leaderApi, nodeApi } from './routes/index.ts';

const scopes = routeScopes();

it('every route of a leader has a source of its scope', () => {
  const operations = [...Object.keys(leaderApi), ...Object.keys(nodeApi)];
  expect(operations.filter((operation) => !scopes.has(operation))).toEqual([]);
  expect(scopes.size).toBe(operations.length);
});

it.each([
  ['updateExperiment', 'path'],
  ['takeStill', 'path'],
  ['assignWorker', 'body'],
  ['unassignAllWorkers', 'body'],
  ['runJob', 'node'],
  ['getTaskResult', 'caller'],
  ['getSession', 'caller'],
  ['listExperiments', 'cluster'],
])('%s has its scope in: %s', (operation, source) => {
  expect(scopes.get(operation)).toBe(source);
});

it('reading and stopping do not depend on the protection of an experiment', () => {
  expect((['jobs.read', 'jobs.stop', 'jobs.run', 'experiments.delete'] as const).map(needsMembership)).toEqual([
    false,
    false,
    true,
    true,
  ]);
});
