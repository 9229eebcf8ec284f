import { createClient, leaderApi, nodeApi } from '@lcs/contract';
import { type LeaderUnderTest, signIn, startLeader, startUnit, type UnitUnderTest } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { profileOf, putProfile } from '../profiles/profile-fixture.ts';

const password = 'three brown horses';
const experiment = 'exp 1';
const worker = { reactor_unit: 'unit1', model_name: 'reactor_20ml', model_version: '1.5' };

let leader: LeaderUnderTest;
let unit: UnitUnderTest;
const sessions = new Map<string, Readonly<Record<string, string>>>();
const as = (name: string) =>
  createClient({ ...leaderApi, ...nodeApi }, { baseUrl: leader.url, headers: sessions.get(name) ?? {} });
const finished = async (name: string, taskId: string) =>
  vi.waitFor(
    async () => {
      const task = await as(name).getTaskResult({ params: { task_id: taskId } });
      expect(task.status).toBe('succeeded');
      return task;
    },
    { timeout: 10_000, interval: 20 },
  );

/** Entries of the event log of this job, oldest first. */
const entriesOf = (job: string): readonly unknown[] =>
  leader
    .storedRows('logs')
    .filter(({ task }) => task === job)
    .map(({ message }) => message);
const hasEntry = (job: string, message: unknown) =>
  vi.waitFor(() => expect(entriesOf(job)).toContainEqual(message), { timeout: 10_000, interval: 20 });

beforeAll(async () => {
  leader = await startLeader();
  unit = await startUnit({ leaderUrl: leader.url, clock: leader.clock });
  await vi.waitFor(() => expect(JSON.stringify(unit.log.lines)).toContain('Enrolled'), { timeout: 10_000 });
  await leader.client.registerWorker({ body: worker });
  await leader.client.createExperiment({ body: { experiment } });
  await leader.client.assignWorker({ params: { experiment }, body: { reactor_unit: 'unit1' } });
  await vi.waitFor(
    async () => {
      const [status] = await leader.client.listUnits();
      expect([status?.liveness, status?.applied_version === status?.desired_version]).toEqual(['online', true]);
    },
    { timeout: 10_000, interval: 50 },
  );
  await leader.client.createPerson({ body: { name: 'anna', role: 'administrator', password } });
  sessions.set('anna', await signIn(leader.url, 'anna', password));
  await as('anna').createPerson({ body: { name: 'ben', role: 'operator', password } });
  sessions.set('ben', await signIn(leader.url, 'ben', password));
});
afterAll(async () => {
  await unit[Symbol.asyncDispose]();
  await leader[Symbol.asyncDispose]();
});

const stirring = { reactor_unit: 'unit1', job: 'stirring', experiment };

describe('the person who acts is named', () => {
  it('by the task of the leader, and in the event log of the unit for start, change and stop', async () => {
    const started = await as('anna').runWorkerJob({ params: stirring, body: { options: { target_rpm: 400 } } });
    expect(await finished('ben', started.task_id)).toMatchObject({ started_by: 'anna' });
    await hasEntry('stirring', 'Ready. Requested by anna.');
    await leader.clock.advance(10_000);
    const changed = await as('ben').updateWorkerJob({ params: stirring, body: { settings: { target_rpm: 500 } } });
    await finished('ben', changed.task_id);
    await hasEntry('stirring', 'ben has set target_rpm = 500.');
    const stopping = { reactor_unit: 'unit1', job_name: 'stirring', experiment };
    await finished('ben', (await as('ben').stopWorkerJob({ params: stopping })).task_id);
    await hasEntry('stirring', 'Ended. Requested by ben.');
  });

  it('by the record of what its outputs did', async () => {
    const actuations = await vi.waitFor(
      async () => {
        const found = await as('ben').listExperimentActuations({
          params: { experiment },
          query: { output: 'stirrer' },
        });
        expect(found.length).toBeGreaterThan(0);
        return found;
      },
      { timeout: 10_000, interval: 20 },
    );
    expect(actuations.at(-1)).toMatchObject({ started_by: 'anna', why: expect.stringContaining('for anna') });
  });

  it('by the run of a profile, and on units by what the run does', async () => {
    await putProfile(
      leader,
      'steps.yaml',
      profileOf(['{ type: start, hours_elapsed: 0, options: { target_rpm: 450 } }']),
    );
    await as('ben').runJob({
      params: { job: 'experiment_profile' },
      body: { args: ['execute', 'steps.yaml', experiment] },
    });
    await hasEntry('experiment_profile', 'steps begins: 1 steps. Requested by ben.');
    await hasEntry('stirring', 'Ready. Requested by ben.');
    const runs = await as('anna').listRecentProfileRuns({ params: { experiment } });
    expect(runs).toMatchObject([{ started_by: 'ben' }]);
    await vi.waitFor(
      async () => {
        const entries = await as('anna').listAudit({ query: { experiment, unit: 'unit1', caller: 'ben' } });
        expect(entries.find(({ channel }) => channel === 'profile')).toMatchObject({
          caller_kind: 'leader',
          operation: 'runJob',
          job: 'stirring',
          status: 200,
          body: expect.stringContaining('450'),
        });
      },
      { timeout: 10_000, interval: 20 },
    );
  });

  it('and nobody can name another: neither at the leader, nor at the unit', async () => {
    const forged = { 'x-lcs-caller': 'anna' };
    const body = { target_rpm: 400 };
    const headers = { ...sessions.get('ben'), ...forged };
    const params = { reactor_unit: 'unit1' };
    const accepted = (await leader.api.call('listUnitRunningJobs', { params, headers })).expect(202);
    expect(await finished('ben', Reflect.get(Object(accepted), 'task_id'))).toMatchObject({ started_by: 'ben' });
    const run = `${unit.url}/unit_api/jobs/run/job_name/stirring`;
    for (const authorization of ['', 'Bearer of-somebody-else']) {
      const sent = { method: 'POST', headers: { ...forged, authorization }, body: JSON.stringify(body) };
      expect((await fetch(run, sent)).status).toBe(401);
    }
  });

  it('by versions of the configuration, and by entries that people write', async () => {
    const params = { reactor_unit: 'unit1', experiment };
    const entry = { message: 'Fed the vials.', level: 'INFO', source: 'somebody else' };
    await as('ben').postWorkerLog({ params, body: entry });
    const written = { message: 'Fed the vials.', source: 'ben' };
    expect(leader.storedRows('logs')).toContainEqual(expect.objectContaining(written));
    await as('anna').saveSpecificConfig({
      params: { reactor_unit: 'unit1' },
      body: { code: '[stirring.config]\ntarget_rpm=500\n', author: 'ben' },
    });
    const versions = await as('ben').listSpecificConfigHistory({
      params: { reactor_unit: 'unit1' },
      query: { authors: true },
    });
    expect(versions[0]).toMatchObject({ author: 'anna' });
  });
});
