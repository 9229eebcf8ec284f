import { startedDatabase, temporaryFolder, testWriter } from '@lcs/platform/testing';
import { expect, it } from 'vitest';
import { JobRegistry, type NewJob } from './job-registry.ts';
import { type JobTables, jobMigrations } from './job-tables.ts';

const newJob: NewJob = {
  unit: 'rx01',
  experiment: 'e',
  experimentUid: 'e1',
  jobName: 'monitor',
  jobSource: 'user',
  isLongRunning: true,
  body: { options: {}, args: [], env: {} },
  settings: {},
  startedAtMs: 0,
};

it('keeps the record of the last 10,000 jobs, and of older ones that run or wait to be resumed', async () => {
  await using folder = await temporaryFolder();
  await using database = await startedDatabase<JobTables>({
    path: folder.file('s.sqlite'),
    migrations: jobMigrations,
    writer: testWriter(),
  });
  const registry = new JobRegistry(database);
  const ended = { job_id: 1, unit: 'rx01', experiment: 'e', experiment_uid: 'e1', job_name: 'stirring' };
  const row = {
    ...ended,
    job_source: 'user',
    is_long_running: 0,
    request: '{}',
    started_at_ms: 0,
    ended_at_ms: 1,
    state: 'disconnected',
    reason: null,
    error: null,
    resume_pending: 0,
  };
  await database.write(async (transaction) => {
    const rows = [
      row,
      { ...row, job_id: 2, ended_at_ms: null, state: 'ready' },
      { ...row, job_id: 3, state: 'lost', resume_pending: 1 },
      { ...row, job_id: 4 },
      { ...row, job_id: 5 },
      { ...row, job_id: 10_003 },
    ];
    await transaction.insertInto('jobs').values(rows).execute();
    const setting = { setting: 'target_rpm', value: '500', updated_at_ms: 0 };
    await transaction
      .insertInto('job_settings')
      .values([
        { ...setting, job_id: 1 },
        { ...setting, job_id: 2 },
      ])
      .execute();
  });
  expect(await registry.insert(newJob)).toBe(10_004);
  const ids = await database.read.selectFrom('jobs').select('job_id').orderBy('job_id').execute();
  expect(ids.map(({ job_id }) => job_id)).toEqual([2, 3, 5, 10_003, 10_004]);
  expect(await database.read.selectFrom('job_settings').select('job_id').execute()).toEqual([{ job_id: 2 }]);
});

it('keeps the settings that a job had at its last end for each automation, also over an interruption', async () => {
  await using folder = await temporaryFolder();
  await using database = await startedDatabase<JobTables>({
    path: folder.file('s.sqlite'),
    migrations: jobMigrations,
    writer: testWriter(),
  });
  const registry = new JobRegistry(database);
  const run = async (jobName: string, settings: NewJob['settings'], jobSource = newJob.jobSource): Promise<number> => {
    const jobId = await registry.insert({ ...newJob, jobName, jobSource, settings });
    await registry.saveState(jobId, { kind: 'ready', sinceMs: 1 });
    return jobId;
  };
  const end = (jobId: number, sinceMs: number) =>
    registry.end(jobId, { kind: 'disconnected', sinceMs, reason: 'stopped' }, false);

  const stirring = await run('stirring', { target_rpm: 500, measured: { rpm: 1 } });
  await registry.saveSettings(stirring, { target_rpm: 610 }, 2);
  await end(stirring, 3);
  await end(await run('dosing_automation', { automation_name: 'chemostat', duration: 20 }, 'experiment_profile/1'), 4);
  const turbidostat = await run('dosing_automation', { automation_name: 'turbidostat', target_biomass: 0.4 });
  // A start that failed was never used.
  await end(await registry.insert({ ...newJob, jobName: 'stirring', settings: { target_rpm: 9 } }), 5);
  await registry.recordInterrupted(await registry.interrupted([], 6), 6);

  expect(turbidostat).toBe(3);
  expect(await new JobRegistry(database).lastUsed()).toEqual([
    {
      jobName: 'dosing_automation',
      automation: 'chemostat',
      settings: { automation_name: 'chemostat', duration: 20 },
      experiment: newJob.experiment,
      jobSource: 'experiment_profile/1',
      endedAtMs: 4,
    },
    {
      jobName: 'dosing_automation',
      automation: 'turbidostat',
      settings: { automation_name: 'turbidostat', target_biomass: 0.4 },
      experiment: newJob.experiment,
      jobSource: newJob.jobSource,
      endedAtMs: 6,
    },
    {
      jobName: 'stirring',
      automation: undefined,
      settings: { target_rpm: 610 },
      experiment: newJob.experiment,
      jobSource: newJob.jobSource,
      endedAtMs: 3,
    },
  ]);
});
