import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import {
  profileAccountsMigration,
  profileControlsMigration,
  profileItemsMigration,
  profilesMigration,
} from './profiles-migration.ts';

it('a run of an older version stays, without what was not recorded then', () => {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec(`create table experiments (id integer primary key, name text, deleting_at integer);
      create view experiment_profile_runs as select 1 as experiment;`);
    for (const { up } of [profilesMigration, profileAccountsMigration, profileItemsMigration]) database.exec(up);
    database.exec(`insert into experiments values (1, 'e1', null);
      insert into profile_runs (uid, experiment_id, started_at, experiment_profile_name, profile_filename, profile_text,
        is_dry_run, common_units, own_units, first_job_id, paused_for)
      values ('a', 1, 1, 'p', 'p.yaml', 'text', 0, '["rx01"]', '[]', 1, 500)`);
    database.exec(profileControlsMigration.up);
    expect(database.prepare('select * from profile_runs').all()).toMatchObject([
      { uid: 'a', paused_for: 500, asks_about: null, skipped_to: null, skipped_by: null, began_with: null },
    ]);
    expect(database.prepare('select experiment, experiment_profile_name from experiment_profile_runs').all()).toEqual([
      { experiment: 'e1', experiment_profile_name: 'p' },
    ]);
  } finally {
    database.close();
  }
});
