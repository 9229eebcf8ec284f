import { expect, it } from 'vitest';
import { startTestLeader } from '../testing/test-leader.ts';
import { type InterruptionFilter, interruptionQuery } from './interruption-store.ts';

it.each<[string, InterruptionFilter]>([
  ['of an experiment', { experimentId: 1, limit: 100 }],
  ['of a unit of it', { experimentId: 1, unit: 'u', before: { at: 5, table: 1, id: 6 }, limit: 100 }],
  ['of all workers', { since: 3, until: 9, kind: 'unit_off', limit: 100 }],
])('interruptions %s are found by indexes', async (_, filter) => {
  await using leader = await startTestLeader();
  const { database } = leader.context;
  const compiled = interruptionQuery(filter).compile(database.read);
  const { rows } = await database.read.executeQuery<{ detail: string }>({
    ...compiled,
    sql: `explain query plan ${compiled.sql}`,
  });
  const plan = rows.map(({ detail }) => detail);
  const scanned = plan.filter((step) => /^SCAN (v|g|r|events|gaps|assignment_history)\b/.test(step));
  expect(scanned, plan.join('\n')).toEqual([]);
  expect(plan.join('\n')).toMatch(
    /SEARCH v USING INDEX events_by_experiment \(experiment_uid=\? AND name=\? AND reactor_unit=\? AND at>\?/,
  );
});
