import { explain } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { storedPreferences } from '../charts/chart-preferences.ts';
import { configVersions } from '../config/config-history.ts';
import { notesOf, staysOf } from '../notes/stored-notes.ts';
import { volumeNotesOf } from '../notes/volume-notes.ts';
import { historyOfExperiment, historyOfName } from '../queries/assignment-history.ts';
import { allExperiments, experimentKey, experimentNamed, latestExperimentKey } from '../queries/experiments.ts';
import { labelsOf } from '../queries/unit-labels.ts';
import { groupVersions } from '../replicate-groups/replicate-groups.ts';
import { startTestLeader } from '../testing/test-leader.ts';
import { countRows, largeTables, removeSomeRows } from './remove-rows.ts';

/** Reading a whole table, or sorting what was read: both grow with the table. */
const slow = /^SCAN (?!CONSTANT)(?!.*USING (COVERING )?INDEX)|TEMP B-TREE/;

describe('the plans of the queries', () => {
  it('use an index, and none sorts', async () => {
    await using leader = await startTestLeader();
    const { read } = leader.context.database;
    const queries = {
      allExperiments: allExperiments(read),
      experimentNamed: experimentNamed(read, 'a'),
      experimentKey: experimentKey(read, 'a'),
      historyOfExperiment: historyOfExperiment(read, 1),
      historyOfName: historyOfName(read, 'a'),
      labelsOf: labelsOf(read, 1),
      storedPreferences: storedPreferences(read, 1),
      configVersions: configVersions(read, 'config.ini'),
      notesOf: notesOf(read, 1).limit(100),
      staysOf: staysOf(read, 1, 'rx01'),
      volumeNotesOf: volumeNotesOf(read, 1, 'rx01'),
      groupVersions: groupVersions(read, 1).limit(1),
    };
    for (const [name, query] of Object.entries(queries)) {
      const plan = await explain(read, query);
      expect(plan, name).not.toEqual([]);
      // Tags are few for each experiment; putting them in order is not what would be slow.
      const steps = plan.filter((step) => !step.includes('json_group_array'));
      expect(
        steps.filter((step) => slow.test(step)),
        `${name}: ${plan.join('; ')}`,
      ).toEqual([]);
    }
  });

  it('find the latest experiment from the end of the table', async () => {
    await using leader = await startTestLeader();
    const { read } = leader.context.database;
    expect(await explain(read, latestExperimentKey(read))).toEqual(['SCAN experiments']);
    const compiled = latestExperimentKey(read).compile().sql;
    expect(compiled).toMatch(/order by "id" desc limit \?$/);
  });

  it('remove rows by index', async () => {
    await using leader = await startTestLeader();
    const { read } = leader.context.database;
    for (const large of largeTables) {
      for (const query of [removeSomeRows(large, 1).compile(read), countRows(large, 1).compile(read)]) {
        const text = query.sql.replaceAll('?', '1');
        const plan = await explain(read, text);
        expect(
          plan.filter((step) => step.includes(large.table) && !step.includes('INDEX') && !step.includes('PRIMARY')),
          plan.join('; '),
        ).toEqual([]);
      }
    }
  });
});
