import type { RawBuilder } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { startAuditDatabase, startTestLeader } from '../testing/test-leader.ts';
import { actionsQuery, stoppedPumpsQuery } from './actions.ts';
import { pumpRunQuery } from './doses.ts';
import { itemQuery, runQuery } from './profile-steps.ts';
import { settingsQuery } from './settings.ts';
import type { TimelineFilter } from './timeline-source.ts';

const filter: TimelineFilter = {
  experimentId: 1,
  experimentUid: 'e',
  experiment: 'e',
  createdAt: 1,
  endedAt: null,
  before: { at: 5, id: 6 },
  limit: 100,
};
const runs = { experimentUid: 'e', since: 0, until: 9, before: { at: 5, id: 6 }, limit: 100 };

it.each<[string, RawBuilder<unknown>]>([
  ['doses', pumpRunQuery(runs)],
  ['doses of a unit and a person', pumpRunQuery({ ...runs, unit: 'u', by: 'ada' })],
  ['settings', settingsQuery(filter)],
  ['settings of a unit', settingsQuery({ ...filter, unit: 'u', since: 1, until: 9 })],
  ['units of a stop of all pumps', stoppedPumpsQuery('e', 5)],
  ['runs of profiles', runQuery(filter, { from: 0, to: 9 })],
  ['steps of profiles', itemQuery(1, 'u', { from: 0, to: 9 }, 100)],
])('%s of the timeline are found by indexes', async (_, query) => {
  await using leader = await startTestLeader();
  const { database } = leader.context;
  const compiled = query.compile(database.read);
  const { rows } = await database.read.executeQuery<{ detail: string }>({
    ...compiled,
    sql: `explain query plan ${compiled.sql}`,
  });
  const plan = rows.map(({ detail }) => detail);
  expect(
    plan.filter((step) => /^SCAN (v|d|n|s|events|i|c|r|profile_\w+)\b/.test(step)),
    plan.join('\n'),
  ).toEqual([]);
  expect(plan.join('\n')).toMatch(/SEARCH \w+ USING INDEX/);
});

it.each<[string, RawBuilder<unknown>]>([
  ['of an experiment', actionsQuery(filter, 'experiment')],
  ['of a unit and a person', actionsQuery({ ...filter, unit: 'u', by: 'ada' }, 'experiment')],
  ['of callers without an account', actionsQuery({ ...filter, by: 'user' }, 'experiment')],
  ['in all experiments', actionsQuery({ ...filter, endedAt: 9, by: 'ada' }, 'all')],
])('actions %s are found by indexes of the audit', async (_, query) => {
  await using leader = await startTestLeader();
  const audit = await startAuditDatabase(leader.context.dataFolder);
  onTestFinished(() => audit.stop());
  const compiled = query.compile(audit.read);
  const { rows } = await audit.read.executeQuery<{ detail: string }>({
    ...compiled,
    sql: `explain query plan ${compiled.sql}`,
  });
  const plan = rows.map(({ detail }) => detail).join('\n');
  expect(plan).toMatch(/SEARCH audit USING INDEX audit_by_\w+ \(\w+=\? AND \(?at/);
  expect(plan).not.toMatch(/SCAN audit|TEMP B-TREE/);
});
