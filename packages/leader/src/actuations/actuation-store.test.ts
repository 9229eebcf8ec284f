import { expect, it } from 'vitest';
import { startTestLeader } from '../testing/test-leader.ts';
import { type ActuationFilter, actuationQuery } from './actuation-store.ts';

const limit = 100;
const before = { at: 5, id: 6 };

it.each<[string, ActuationFilter]>([
  ['actuations_by_time', { limit }],
  ['actuations_by_unit', { unit: 'u', before, limit }],
  ['actuations_by_unit_output', { unit: 'u', output: 'heater', since: 3, until: 9, limit }],
  ['actuations_by_experiment', { experimentUid: 'e', since: 3, limit }],
  ['actuations_by_experiment_output', { experimentUid: 'e', output: 'heater', before, limit }],
])('%s leads to a page, in its order', async (index, filter) => {
  await using leader = await startTestLeader();
  const { database } = leader.context;
  const compiled = actuationQuery(filter).compile(database.read);
  const { rows } = await database.read.executeQuery<{ detail: string }>({
    ...compiled,
    sql: `explain query plan ${compiled.sql}`,
  });
  const plan = rows.map(({ detail }) => detail).join('; ');
  expect(plan).toMatch(new RegExp(`USING INDEX ${index}(\\s|;|$)`));
  expect(plan).not.toContain('TEMP B-TREE');
});
