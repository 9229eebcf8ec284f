import { addToyUnit, type LeaderUnderTest, startLeader, startUnit, type ToyUnit } from '@lcs/testkit';
import { describe, expect, it, vi } from 'vitest';
import {
  assign,
  beginRun,
  experiment,
  gone,
  leaderWith,
  orders,
  profileLog,
  profileOf,
  putProfile,
  resultOf,
  runningProfiles,
  runProfile,
} from './profile-fixture.ts';

const minute = 60_000;
const hour = 60 * 60_000;
const params = { experiment };

it('does its steps on a real unit at their times, and leaves the jobs running at its end', async () => {
  await using leader = await startLeader();
  const { client, clock } = leader;
  await using unit = await startUnit({ leaderUrl: leader.url, clock });
  await client.createExperiment({ body: { experiment } });
  await client.registerWorker({ body: { reactor_unit: 'unit1', model_name: 'reactor_40ml', model_version: '1.5' } });
  await assign(leader, ['unit1']);
  await vi.waitFor(
    async () => expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
    10_000,
  );
  const text = profileOf(
    [
      '{type: start, t: 1m, options: {target_rpm: 400}}',
      '{type: update, t: 2m, options: {target_rpm: 450}}',
      '{type: pause, t: 3m}',
      '{type: resume, t: 4m}',
      '{type: stop, t: 5m}',
      '{type: log, t: 5m, options: {message: half time, level: warning}}',
      '{type: start, t: 6m}',
    ],
    'reactors:\n  unit1: {label: light, jobs: {monitor: {actions: []}}}\n  rx99: {jobs: {stirring: {actions: [{type: start, t: 0}]}}}\n',
  );
  await putProfile(leader, 'steps.yaml', text);
  const id = await runProfile(leader, 'steps.yaml');
  const job = async () =>
    (await unit.client.listRunningJobs()).filter(({ job_name }) => job_name === 'stirring').map(({ state }) => state);
  expect(await client.getUnitLabels({ params })).toEqual({ unit1: 'light' });
  expect(await job()).toEqual([]);
  await clock.advance(minute + 5_000);
  expect(await job()).toEqual(['ready']);
  expect((await unit.client.listRunningJobs()).map(({ job_source }) => job_source)).toContain(
    `experiment_profile/${id}`,
  );
  await clock.advance(minute);
  expect(await unit.client.getJobSettings({ params: { job_name: 'stirring' } })).toMatchObject({
    settings: { target_rpm: 450 },
  });
  await clock.advance(minute);
  expect(await job()).toEqual(['sleeping']);
  await clock.advance(minute);
  expect(await job()).toEqual(['ready']);
  expect(await runningProfiles(leader)).toMatchObject([{ job_id: id, settings: { action_count: 4 } }]);
  await clock.advance(minute);
  expect(await job()).toEqual([]);
  await clock.advance(2 * minute);
  expect(await job()).toEqual(['ready']);
  expect(await runningProfiles(leader)).toEqual([]);
  expect(await client.listRecentProfileRuns({ params })).toMatchObject([{ outcome: 'finished', dry_run: false }]);
  const timeline = await client.getTimeline({ params, query: { kinds: 'profile' } });
  expect(timeline.map(({ text, reactor_unit }) => [text, reactor_unit]).reverse()).toEqual([
    ['Profile “steps” started', null],
    ['Profile “steps”: start stirring', 'unit1'],
    ['Profile “steps”: update stirring', 'unit1'],
    ['Profile “steps”: pause stirring', 'unit1'],
    ['Profile “steps”: resume stirring', 'unit1'],
    ['Profile “steps”: stop stirring', 'unit1'],
    ['Profile “steps”: log stirring', 'unit1'],
    ['Profile “steps”: start stirring', 'unit1'],
    ['Profile “steps” finished', null],
  ]);
  expect(profileLog(leader)).toEqual([
    expect.stringMatching(/^WARNING lead rx99 is not assigned/),
    expect.stringMatching(/^NOTICE lead steps begins: 7 steps/),
    'INFO unit1 Done: start of stirring on unit1 (target_rpm=400).',
    'INFO unit1 Done: update of stirring on unit1 (target_rpm=450).',
    'INFO unit1 Done: pause of stirring on unit1.',
    'INFO unit1 Done: resume of stirring on unit1.',
    'INFO unit1 Done: stop of stirring on unit1.',
    'WARNING unit1 half time',
    'INFO unit1 Done: start of stirring on unit1.',
    // The job that the last step has started.
    expect.stringMatching(/^NOTICE lead steps is finished\..* stirring on unit1 continues\.$/),
  ]);
}, 60_000);

describe('a stopped run', () => {
  const text = profileOf(['{type: start, t: 0}', '{type: update, t: 1h, options: {target_rpm: 1}}']);
  const stopSource = (id: number) => `POST stop {"job_source":"experiment_profile/${id}","experiment":"${experiment}"}`;

  it('by its ID does no further steps, and its jobs are stopped', async () => {
    const { leader, units } = await leaderWith(2);
    try {
      await putProfile(leader, 'p.yaml', text);
      const id = await runProfile(leader, 'p.yaml');
      await leader.clock.advance(minute);
      expect(await resultOf(leader, await leader.client.stopJobs({ body: { job_id: id } }))).toEqual({
        stopped: [{ job_name: 'experiment_profile', job_id: id }],
        still_running: [],
      });
      await leader.clock.advance(2 * hour);
      for (const unit of units) expect(orders(unit).slice(1)).toEqual([stopSource(id)]);
      expect(await leader.client.listRecentProfileRuns({ params })).toMatchObject([{ outcome: 'stopped' }]);
      expect(profileLog(leader).at(-1)).toMatch(/^NOTICE lead steps was stopped after 2 of 4 steps/);
    } finally {
      await gone(leader, units);
    }
  }, 30_000);

  it.each(['workers', 'units'] as const)(
    'with all jobs of its experiment is in the outcome: %s',
    async (surface) => {
      const { leader, units } = await leaderWith(1);
      try {
        await putProfile(leader, 'p.yaml', text);
        const id = await runProfile(leader, 'p.yaml');
        await leader.clock.advance(minute);
        const everywhere = { params: { reactor_unit: '$broadcast', experiment } };
        const profile = { job_name: 'experiment_profile', job_id: id };
        const { client } = leader;
        const stopped =
          surface === 'workers'
            ? await client.stopWorkerJobsOfExperiment(everywhere)
            : await client.stopUnitJobsOfExperiment(everywhere);
        expect(await resultOf(leader, stopped)).toMatchObject(
          surface === 'workers'
            ? { profiles_stopped: [profile] }
            : { lead: { ok: true, value: { stopped: [profile], still_running: [] } } },
        );
        expect(await runningProfiles(leader)).toEqual([]);
      } finally {
        await gone(leader, units);
      }
    },
    30_000,
  );

  it('with everything on all units does no further steps; a stop of the pumps leaves it running', async () => {
    const { leader, units } = await leaderWith(1);
    try {
      await putProfile(leader, 'p.yaml', text);
      await runProfile(leader, 'p.yaml');
      await leader.clock.advance(minute);
      await resultOf(leader, await leader.client.stopEverywhere({ body: { what: 'pumps' } }));
      expect(await runningProfiles(leader)).toHaveLength(1);
      await resultOf(leader, await leader.client.stopEverywhere({ body: { what: 'everything' } }));
      expect(await runningProfiles(leader)).toEqual([]);
      await leader.clock.advance(2 * hour);
      for (const unit of units) expect(orders(unit).join()).not.toContain('target_rpm');
    } finally {
      await gone(leader, units);
    }
  }, 30_000);

  it('by deleting its experiment does no further steps', async () => {
    const { leader, units } = await leaderWith(1);
    try {
      await putProfile(leader, 'p.yaml', text);
      const id = await runProfile(leader, 'p.yaml');
      await leader.clock.advance(minute);
      expect(await resultOf(leader, await leader.client.deleteExperiment({ params }))).toMatchObject({ result: true });
      await leader.clock.advance(2 * hour);
      expect(await leader.client.listRunningJobsByName({ params: { job: 'experiment_profile' } })).toEqual([]);
      expect(leader.storedRows('profile_runs')).toEqual([]);
      for (const unit of units) expect(orders(unit)).toContain(stopSource(id));
      for (const unit of units) expect(orders(unit).join()).not.toContain('target_rpm');
    } finally {
      await gone(leader, units);
    }
  }, 30_000);

  it('while a start is in flight stops that job, too, once it runs', async () => {
    const leader = await startLeader();
    await leader.client.createExperiment({ body: { experiment } });
    let arrived = false;
    let isDone = false;
    const unit = await addToyUnit(leader, 'rx01', {
      answer: ({ path }) => {
        if (path.includes('/jobs/run/')) arrived = true;
        if (path.endsWith('task_results/start') && !isDone)
          return {
            status: 202,
            body: { task_id: 'start', result_url_path: '/unit_api/task_results/start', status: 'running' },
          };
        return undefined;
      },
    });
    try {
      await assign(leader, ['rx01']);
      await putProfile(leader, 'p.yaml', text);
      const id = await runProfile(leader, 'p.yaml');
      await vi.waitFor(() => expect(arrived).toBe(true), 5_000);
      const stopping = await leader.client.stopJobs({ body: { job_id: id } });
      await vi.waitFor(() => expect(orders(unit)).toContain(stopSource(id)), 5_000);
      isDone = true;
      await resultOf(leader, stopping);
      await vi.waitFor(() => expect(orders(unit).filter((order) => order === stopSource(id))).toHaveLength(2), 5_000);
      expect(await leader.client.listRecentProfileRuns({ params })).toMatchObject([{ outcome: 'stopped' }]);
    } finally {
      await gone(leader, [unit]);
    }
  }, 30_000);
});

it('runs twice at once on twenty units, and neither a hanging nor a refusing unit delays the others', async () => {
  const leader = await startLeader();
  await leader.client.createExperiment({ body: { experiment } });
  let isHanging = true;
  const hanging = {
    answer: ({ path }: { readonly path: string }) =>
      path.endsWith('task_results/start') && isHanging
        ? {
            status: 202,
            body: { task_id: 'start', result_url_path: '/unit_api/task_results/start', status: 'running' },
          }
        : undefined,
  };
  const refusing = {
    answer: ({ path }: { readonly path: string }) =>
      path.includes('/jobs/run/')
        ? {
            status: 400,
            body: { error: 'No.', cause: 'It is so.', remediation: 'None.', status: 400, code: 'job_options_invalid' },
          }
        : undefined,
  };
  const units: ToyUnit[] = [];
  for (let i = 1; i <= 20; i += 1) {
    const options = i === 1 ? hanging : i === 2 ? refusing : {};
    units.push(await addToyUnit(leader, `rx${String(i).padStart(2, '0')}`, options));
  }
  try {
    await assign(
      leader,
      units.map(({ name }) => name),
    );
    const [hung, refuser, ...others] = units;
    if (hung === undefined || refuser === undefined) throw new Error('There are twenty.');
    await putProfile(leader, 'a.yaml', profileOf(['{type: start, t: 0}', '{type: stop, t: 1s}']));
    await putProfile(
      leader,
      'b.yaml',
      profileOf([], `reactors:\n  rx03: {jobs: {od_reading: {actions: [{type: start, t: 2h}]}}}\n`),
    );
    const first = await runProfile(leader, 'a.yaml');
    const second = await runProfile(leader, 'b.yaml');
    expect((await runningProfiles(leader)).map(({ job_id }) => job_id)).toEqual([first, second]);
    await vi.waitFor(() => expect(others.filter((unit) => orders(unit).length === 1)).toHaveLength(18), 10_000);
    isHanging = false;
    await leader.clock.advance(minute);
    for (const unit of others) expect(orders(unit)).toHaveLength(2);
    expect(profileLog(leader)).toContain('ERROR rx02 Failed: start of stirring on rx02. No. It is so.');
    await leader.clock.advance(30_000);
    const alarms = await leader.client.listAlarms({});
    expect(alarms.filter(({ rule }) => rule === 'profile_action_failed')).toMatchObject([
      { reactor_unit: 'rx02', experiment, detail: 'stirring', severity: 'error' },
    ]);
    expect(profileLog(leader)).toContain('INFO rx01 Done: stop of stirring on rx01.');
    expect((await runningProfiles(leader)).map(({ job_id }) => job_id)).toEqual([second]);
    expect((await leader.client.listRecentProfileRuns({ params })).at(-1)).toMatchObject({
      outcome: 'finished',
      failed_actions: 1,
    });
    expect(profileLog(leader)).toContainEqual(
      expect.stringMatching(/^ERROR lead steps is finished with 1 failure\..* no job continues\.$/),
    );
    await leader.clock.advance(2 * hour);
    expect(orders(others[0] ?? hung).at(-1)).toContain('run/job_name/od_reading');
    expect(await runningProfiles(leader)).toEqual([]);
  } finally {
    await gone(leader, units);
  }
}, 60_000);

describe('a paused run', () => {
  const text = profileOf(['{type: start, t: 1h}']);
  const requestState = (leader: LeaderUnderTest, $state: string) =>
    leader.client.updateJobSettings({ params: { job_name: 'experiment_profile' }, body: { settings: { $state } } });

  it('does nothing until it is resumed, and is later by the pause', async () => {
    const { leader, units } = await leaderWith(1);
    const [unit] = units;
    if (unit === undefined) throw new Error('There is one.');
    try {
      await putProfile(leader, 'p.yaml', text);
      await runProfile(leader, 'p.yaml');
      await leader.clock.advance(30 * minute);
      await requestState(leader, 'sleeping');
      await leader.clock.advance(10 * hour);
      expect(await runningProfiles(leader)).toMatchObject([{ settings: { $state: 'sleeping' } }]);
      expect(orders(unit)).toEqual([]);
      await requestState(leader, 'ready');
      await leader.clock.advance(29 * minute);
      expect(orders(unit)).toEqual([]);
      await leader.clock.advance(2 * minute);
      expect(orders(unit)).toHaveLength(1);
      expect(await leader.client.listRecentProfileRuns({ params })).toMatchObject([{ outcome: 'finished' }]);
    } finally {
      await gone(leader, units);
    }
  }, 30_000);

  it('stays paused when the leader starts again, and misses no step', async () => {
    await using begun = await beginRun(text);
    const { first, unit } = begun;
    const { clock } = first;
    await clock.advance(30 * minute);
    await requestState(first, 'sleeping');
    await clock.advance(hour);
    await first[Symbol.asyncDispose]();
    await clock.advance(hour);
    await using leader = await begun.again();
    await clock.advance(hour);
    expect(await runningProfiles(leader)).toMatchObject([{ settings: { $state: 'sleeping' } }]);
    await requestState(leader, 'ready');
    await clock.advance(31 * minute);
    expect(orders(unit)).toHaveLength(1);
    expect(profileLog(leader).join()).not.toContain('Missed');
  }, 30_000);
});

it('stopped by its name through the leader: an unreachable unit receives the stop when it returns', async () => {
  await using leader = await startLeader();
  const { client, clock } = leader;
  await client.createExperiment({ body: { experiment } });
  await client.registerWorker({ body: { reactor_unit: 'unit1', model_name: 'reactor_40ml', model_version: '1.5' } });
  const unit = await startUnit({ leaderUrl: leader.url, clock });
  await assign(leader, ['unit1']);
  await vi.waitFor(
    async () => expect((await unit.client.getDesired()).parts).toMatchObject({ experiment: { state: 'applied' } }),
    10_000,
  );
  await putProfile(leader, 'p.yaml', profileOf(['{type: start, t: 0}', '{type: stop, t: 9h}']));
  // By the route of the leader that names a unit: the leader itself.
  const at = { reactor_unit: 'lead', experiment };
  const started = await client.runUnitJob({
    params: { ...at, job: 'experiment_profile' },
    body: { args: ['execute', 'p.yaml', experiment] },
  });
  expect(await resultOf(leader, started)).toMatchObject({ lead: { ok: true, value: { ok: true, state: 'ready' } } });
  await clock.advance(minute);
  await unit[Symbol.asyncDispose]();
  const stopped = await client.stopUnitJob({ params: { ...at, job_name: 'experiment_profile' } });
  expect(await resultOf(leader, stopped)).toMatchObject({
    lead: { ok: true, value: { stopped: [{ job_name: 'experiment_profile' }], still_running: [] } },
  });
  await vi.waitFor(
    () =>
      expect(leader.storedRows('desired').flatMap(({ document }) => JSON.parse(String(document)).stop)).toMatchObject([
        { job_name: 'stirring' },
      ]),
    10_000,
  );
  await vi.waitFor(
    async () => expect(await client.listRecentProfileRuns({ params })).toMatchObject([{ outcome: 'stopped' }]),
    10_000,
  );
}, 60_000);

it('does not begin in an experiment that has ended', async () => {
  const { leader, units } = await leaderWith(1);
  try {
    await putProfile(leader, 'p.yaml', profileOf(['{type: start, t: 0}']));
    await leader.client.updateExperiment({ params, body: { ended_at: true } });
    // The end stops what is under way in the background; that may meet the first attempts.
    await vi.waitFor(() => expect(runProfile(leader, 'p.yaml')).rejects.toThrow('has ended'), {
      timeout: 20_000,
      interval: 300,
    });
  } finally {
    await gone(leader, units);
  }
}, 30_000);
