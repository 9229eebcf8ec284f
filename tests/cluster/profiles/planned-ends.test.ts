import { type LeaderUnderTest, startLeader, startUnit, temporaryFolder, type UnitUnderTest } from '@lcs/testkit';
import { expect, it, vi } from 'vitest';
import { observe } from '../../observe.ts';
import { assign, beginRun, experiment, profileLog, profileOf, putProfile, runProfile } from './profile-fixture.ts';

const minute = 60_000;
const params = { experiment };

async function joined(leader: LeaderUnderTest, unit: UnitUnderTest): Promise<void> {
  await leader.client.createExperiment({ body: { experiment } });
  const worker = { reactor_unit: 'unit1', model_name: 'reactor_40ml', model_version: '1.5' };
  await leader.client.registerWorker({ body: worker });
  await assign(leader, ['unit1']);
  await vi.waitFor(
    async () => expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
    10_000,
  );
}

/** The job of the profile on its unit. */
const stirring = async (unit: UnitUnderTest) =>
  (await unit.client.listRunningJobs()).find(({ job_name }) => job_name === 'stirring');
const endsAt = async (unit: UnitUnderTest) => (await stirring(unit))?.ends_at;
/** A pause or a skip reaches the unit afterwards. */
const eventuallyEndsAt = (unit: UnitUnderTest, expected: string | undefined) =>
  vi.waitFor(async () => expect(await endsAt(unit)).toBe(expected), 10_000);

const steps = profileOf(['{type: start, t: 0, options: {target_rpm: 400}}', '{type: stop, t: 10m}']);

it('a job whose leader is away ends in time; pauses and skips move its end', async () => {
  await using folder = await temporaryFolder('ends');
  const leader = await startLeader({ dataFolder: folder.path, observe });
  const { clock, client } = leader;
  await using unit = await startUnit({ leaderUrl: leader.url, clock, observe });
  await joined(leader, unit);
  const startedMs = clock.now();
  await putProfile(leader, 'p.yaml', steps);
  await runProfile(leader, 'p.yaml');
  await clock.advance(minute);
  const planned = async () => {
    const [{ run_id = '' } = {}] = await client.listRecentProfileRuns({ params });
    const { waiting } = await client.getProfileRun({ params: { experiment, run_id } });
    return { run_id, at: Date.parse(waiting[0]?.planned_at ?? '') };
  };
  const { run_id, at } = await planned();
  expect(at - startedMs).toBeGreaterThan(9 * minute);
  // The leader's own stop comes first.
  const end = (ms: number) => new Date(ms + 2_000).toISOString();
  expect(await endsAt(unit)).toBe(end(at));
  expect((await unit.client.getJobSettings({ params: { job_name: 'stirring' } })).settings.$ends_at).toBe(end(at));
  const of = { params: { experiment, run_id } };
  await client.pauseProfileRun(of);
  await eventuallyEndsAt(unit, undefined);
  await clock.advance(30 * minute);
  expect(await stirring(unit)).toMatchObject({ state: 'ready' });
  await client.resumeProfileRun(of);
  await eventuallyEndsAt(unit, end(at + 30 * minute));
  await leader[Symbol.asyncDispose]();
  await clock.advance(9 * minute);
  expect(await stirring(unit)).toMatchObject({ state: 'ready' });
  await clock.advance(minute);
  expect(await stirring(unit)).toBeUndefined();
  await using again = await startLeader({ dataFolder: folder.path, clock, observe });
  await clock.advance(minute);
  expect(await again.client.listRecentProfileRuns({ params })).toMatchObject([{ outcome: 'finished' }]);
  expect(profileLog(again)).toContainEqual(expect.stringContaining('INFO unit1 Done: stop of stirring'));
}, 60_000);

it('a unit that starts again after the planned end leaves the job off; invalid ends are refused', async () => {
  await using folder = await temporaryFolder('ends');
  await using leader = await startLeader({ observe });
  const { clock } = leader;
  const unit = await startUnit({ leaderUrl: leader.url, clock, dataFolder: folder.path, observe });
  await joined(leader, unit);
  const job = { params: { job: 'stirring' } };
  const other = { params: { job: 'od_reading' } };
  const passed = { ...other, body: { ends_at: new Date(clock.now()).toISOString() } };
  (await unit.api.call('runJob', passed)).expect(400, 'job_options_invalid');
  (await unit.api.call('runJob', { ...other, body: { ends_at: 'soon' } })).expect(400, 'invalid_body');
  const ends_at = new Date(clock.now() + 5 * minute).toISOString();
  await unit.finished(await unit.client.runJob({ ...job, body: { ends_at } }));
  const change = (value: unknown) =>
    unit.api.call('updateJobSettings', { params: { job_name: 'stirring' }, body: { settings: { $ends_at: value } } });
  (await change('later')).expect(400, 'job_setting_invalid');
  const later = new Date(clock.now() + 6 * minute).toISOString();
  expect((await change(later)).expect(202)).toMatchObject({ settings: { $ends_at: later } });
  await unit[Symbol.asyncDispose]();
  await clock.advance(2 * minute);
  const back = await startUnit({ leaderUrl: leader.url, clock, dataFolder: folder.path, observe });
  await eventuallyEndsAt(back, later);
  await back[Symbol.asyncDispose]();
  await clock.advance(5 * minute);
  await using last = await startUnit({ leaderUrl: leader.url, clock, dataFolder: folder.path, observe });
  await vi.waitFor(
    () =>
      expect(
        leader
          .storedRows('logs')
          .map(({ message }) => message)
          .join(),
      ).toContain('planned end has passed'),
    10_000,
  );
  expect(await stirring(last)).toBeUndefined();
}, 60_000);

it('the event log names a unit whose planned end could not be changed', async () => {
  const refusal = { error: 'Busy.', cause: 'A test.', remediation: 'Wait.', status: 503, code: 'shutting_down' };
  await using begun = await beginRun(steps, {
    answer: ({ path }) => (path.includes('/settings/job_name/') ? { status: 503, body: refusal } : undefined),
  });
  await using leader = begun.first;
  await leader.clock.advance(minute);
  const [{ run_id = '' } = {}] = await leader.client.listRecentProfileRuns({ params });
  await leader.client.pauseProfileRun({ params: { experiment, run_id } });
  await vi.waitFor(
    () =>
      expect(profileLog(leader)).toContainEqual(expect.stringMatching(/^WARNING rx01 rx01 ends stirring at the time/)),
    10_000,
  );
}, 30_000);
