import { addToyUnit, startLeader, startUnit, type ToyUnit, type UnitRequest } from '@lcs/testkit';
import { describe, expect, it, vi } from 'vitest';
import { observe } from '../../observe.ts';
import {
  assign,
  beginRun,
  experiment,
  orders,
  profileLog,
  profileOf,
  putProfile,
  runningProfiles,
  runProfile,
} from './profile-fixture.ts';

const minute = 60_000;
const hour = 60 * minute;
const params = { experiment };

/** What a fake unit publishes, and the changes of settings that it has received. */
class Publishing {
  settings: Readonly<Record<string, number | string>> | undefined;

  readonly answer = ({ method, path }: UnitRequest) => {
    if (method !== 'GET' || !path.startsWith('/unit_api/jobs/settings/job_name/')) return undefined;
    const { settings } = this;
    if (settings !== undefined) return { status: 200, body: { settings, job_id: 1 } };
    const cause = 'It does not run.';
    return { status: 404, body: { error: cause, cause, remediation: 'None.', status: 404, code: 'job_not_running' } };
  };
}

/** The options or settings of each start and change, in order. */
const sent = ({ requests }: ToyUnit): readonly unknown[] =>
  requests.flatMap(({ method, path, body }) =>
    /^\/unit_api\/jobs\/(run|settings)/.test(path) && method !== 'GET' && typeof body === 'object' && body !== null
      ? [('options' in body && body.options) || ('settings' in body && body.settings)]
      : [],
  );

async function leaderAndUnit(publishing: Publishing) {
  const leader = await startLeader({ observe });
  await leader.client.createExperiment({ body: { experiment } });
  const unit = await addToyUnit(leader, 'rx01', { answer: publishing.answer });
  await assign(leader, ['rx01']);
  return {
    leader,
    unit,
    [Symbol.asyncDispose]: async () => {
      await leader[Symbol.asyncDispose]();
      await unit[Symbol.asyncDispose]();
    },
  };
}

it('waits for a condition, and evaluates values when they are due', async () => {
  const publishing = new Publishing();
  await using both = await leaderAndUnit(publishing);
  const { leader, unit } = both;
  const { clock } = leader;
  const text = profileOf(
    [
      `{type: when, t: 1h, wait_until: "::growth_rate_calculating:od_filtered.od_filtered > target", actions: [${[
        `{type: start, t: 0s, options: {target_rpm: "\${{ target * 100 }}", unit: "\${{ unit() }}"}, config_overrides: {gain: "\${{ 1 + 1 }}"}}`,
        `{type: log, t: 1m, options: {message: "\${{ unit() }} after \${{ hours_elapsed() > 2 }} at \${{ target }}"}}`,
        `{type: update, t: 2m, if: "::stirring:x == 1", options: {target_rpm: 1}}`,
        `{type: update, t: 3m, if: "::stirring:target_rpm == 2", options: {target_rpm: "\${{ ::stirring:target_rpm + 1 }}"}}`,
      ].join(', ')}]}`,
    ],
    'inputs: {target: 1.8}\n',
  );
  await putProfile(leader, 'p.yaml', text);
  await runProfile(leader, 'p.yaml');
  await clock.advance(2 * hour);
  expect(sent(unit)).toEqual([]);
  publishing.settings = { od_filtered: '{"od_filtered": 1.7}' };
  await clock.advance(10 * minute);
  expect(sent(unit)).toEqual([]);
  publishing.settings = { od_filtered: '{"od_filtered": 1.9}', target_rpm: 2 };
  await clock.advance(25_000);
  expect(sent(unit)).toEqual([{ target_rpm: 180, unit: 'rx01' }]);
  expect(unit.requests.find(({ path }) => path.includes('/run/'))?.body).toMatchObject({
    config_overrides: [['stirring.config', 'gain', '2']],
  });
  await clock.advance(4 * minute);
  expect(sent(unit).slice(1)).toEqual([{ target_rpm: 3 }]);
  const log = profileLog(leader);
  expect(log).toContain('NOTICE rx01 rx01 after true at 1.8');
  // An hour of failed attempts, every 15 to 25 s, is reported at the first and at each 45th.
  const reports = log.filter((line) => line.includes('counts as false')).length;
  expect(reports).toBeGreaterThanOrEqual(4);
  expect(reports).toBeLessThanOrEqual(6);
  expect(log).toContainEqual(expect.stringMatching(/^ERROR rx01 Error in update .*does not exist/));
  expect(await leader.client.listRecentProfileRuns({ params })).toMatchObject([{ outcome: 'finished' }]);
}, 60_000);

it('repeats while a condition holds, and leaves out iterations whose condition has no value', async () => {
  const publishing = new Publishing();
  await using both = await leaderAndUnit(publishing);
  const { leader, unit } = both;
  const loop = `{type: repeat, t: 1m, every: 10m, while: "::stirring:target_rpm < 400", actions: [{type: update, t: 1m, options: {target_rpm: "\${{ ::stirring:target_rpm + 100 }}"}}]}`;
  await putProfile(leader, 'p.yaml', profileOf([loop]));
  publishing.settings = { target_rpm: 200 };
  await runProfile(leader, 'p.yaml');
  await leader.clock.advance(5 * minute);
  publishing.settings = undefined;
  await leader.clock.advance(10 * minute);
  publishing.settings = { target_rpm: 300 };
  await leader.clock.advance(10 * minute);
  publishing.settings = { target_rpm: 400 };
  await leader.clock.advance(10 * minute);
  expect(sent(unit)).toEqual([{ target_rpm: 300 }, { target_rpm: 400 }]);
  expect(await runningProfiles(leader)).toEqual([]);
  expect(leader.storedRows('profile_items').filter(({ outcome }) => outcome !== 'done')).toMatchObject([
    { outcome: 'entered', iteration: 0 },
    { outcome: 'failed', iteration: 1 },
    { outcome: 'entered', iteration: 2 },
    { outcome: 'ended', iteration: 3, planned_ms: 31 * minute },
  ]);
}, 60_000);

describe('after a restart of the leader', () => {
  it('a command whose answer was not recorded is sent again with the same values and the same key', async () => {
    const publishing = new Publishing();
    const text = profileOf([`{type: update, t: 1m, options: {target_rpm: "\${{ ::stirring:target_rpm + 1 }}"}}`]);
    publishing.settings = { target_rpm: 10 };
    await using begun = await beginRun(text, { answer: publishing.answer });
    const { first, unit } = begun;
    await first.clock.advance(2 * minute);
    expect(sent(unit)).toEqual([{ target_rpm: 11 }]);
    // As if it was killed before the outcome was on disk; the unit has the new value by then.
    await first.editStore((database) =>
      database.exec(
        'update profile_items set outcome = null, settled_ms = null; update profile_runs set ended_at = null, outcome = null',
      ),
    );
    publishing.settings = { target_rpm: 11 };
    await first[Symbol.asyncDispose]();
    await using again = await begun.again();
    await expect.poll(() => sent(unit)).toEqual([{ target_rpm: 11 }, { target_rpm: 11 }]);
    const keys = unit.requests.flatMap(({ method, headers }) =>
      method === 'PATCH' ? [headers['idempotency-key']] : [],
    );
    expect(new Set(keys).size).toBe(1);
    await expect.poll(() => runningProfiles(again)).toEqual([]);
  }, 60_000);

  it('a loop continues with the iteration that is under way, and a wait with its condition', async () => {
    const publishing = new Publishing();
    const text = profileOf([
      '{type: repeat, t: 0, every: 1h, actions: [{type: update, t: 30m, options: {target_rpm: 1}}]}',
      '{type: when, t: 0, wait_until: "::stirring:go == 1", actions: [{type: stop, t: 1m}]}',
    ]);
    publishing.settings = { go: 0 };
    await using begun = await beginRun(text, { answer: publishing.answer });
    const { first, unit } = begun;
    await first.clock.advance(1.75 * hour);
    expect(sent(unit)).toHaveLength(2);
    await first[Symbol.asyncDispose]();
    await first.clock.advance(2.5 * hour);
    publishing.settings = { go: 1 };
    await using again = await begun.again();
    await again.clock.advance(2 * minute);
    expect(orders(unit).filter((order) => order.startsWith('POST stop'))).toHaveLength(1);
    expect(sent(unit)).toHaveLength(2);
    await again.clock.advance(0.5 * hour);
    expect(sent(unit)).toHaveLength(3);
    expect(profileLog(again)).toContainEqual(expect.stringMatching(/^WARNING rx01 Missed: 2 iterations/));
  }, 60_000);

  it('a run that an earlier version began does no step a second time', async () => {
    const text = profileOf(['{type: start, t: 0}', '{type: stop, t: 1h}', '{type: start, t: 2h}']);
    await using begun = await beginRun(text);
    const { first, unit } = begun;
    await first.clock.advance(minute);
    await first.editStore((database) =>
      database.exec(
        'insert into profile_steps select run_id, 0, at, outcome from profile_items; delete from profile_items',
      ),
    );
    await first[Symbol.asyncDispose]();
    await using again = await begun.again();
    await again.clock.advance(3 * hour);
    expect(orders(unit).map((order) => order.split(' ')[1])).toEqual([
      'run/job_name/stirring',
      'stop',
      'run/job_name/stirring',
    ]);
    expect(await again.client.listRecentProfileRuns({ params })).toMatchObject([{ outcome: 'finished' }]);
  }, 60_000);
});

it('reads jobs of a real unit: what they publish, their state, and the vial', async () => {
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
  const text = profileOf([
    '{type: start, t: 0, options: {target_rpm: 400}}',
    `{type: when, t: 1m, wait_until: "::stirring:$state == ready and ::stirring:measured_rpm.measured_rpm > 300", actions: [${[
      `{type: log, t: 0, options: {message: "\${{ ::bioreactor:current_volume_ml > 0 and unit1:stirring:target_rpm == 400 }}"}}`,
      '{type: stop, t: 1m}',
    ].join(', ')}]}`,
  ]);
  await putProfile(leader, 'real.yaml', text);
  await runProfile(leader, 'real.yaml');
  await clock.advance(10 * minute);
  expect(profileLog(leader)).toContain('NOTICE unit1 true');
  expect(await leader.client.listRecentProfileRuns({ params })).toMatchObject([{ outcome: 'finished' }]);
}, 60_000);

it('runs beside another profile of the experiment only when no job is changed by both', async () => {
  await using both = await leaderAndUnit(new Publishing());
  const { leader } = both;
  const start = async (file: string, options: object = {}) => {
    const body = { args: ['execute', file, experiment], options };
    const request = () => leader.api.call('runJob', { params: { job: 'experiment_profile' }, body });
    let answer = await request();
    while (answer.status === 429) answer = await request();
    const task = await leader.finished(answer.expect(202));
    return [task.status, task.status === 'failed' ? task.code : undefined];
  };
  const waiting = profileOf(['{type: when, t: 1h, wait_until: true, actions: [{type: stop, t: 1h}]}']);
  await putProfile(leader, 'a.yaml', waiting);
  await putProfile(leader, 'same.yaml', waiting);
  await putProfile(leader, 'other.yaml', waiting.replace('stirring:', 'od_reading:'));
  await putProfile(leader, 'says.yaml', profileOf(['{type: log, t: 1h, options: {message: m}}']));
  expect(await start('a.yaml')).toEqual(['succeeded', undefined]);
  expect(await start('same.yaml')).toEqual(['failed', 'profile_conflict']);
  expect(await start('same.yaml', { dry_run: true })).toEqual(['succeeded', undefined]);
  expect(await start('other.yaml')).toEqual(['succeeded', undefined]);
  expect(await start('says.yaml')).toEqual(['succeeded', undefined]);
  await leader.clock.advance(3 * hour);
  expect(await runningProfiles(leader)).toEqual([]);
  // On other units the same job is another one.
  await using _other = await addToyUnit(leader, 'rx02', { answer: new Publishing().answer });
  await assign(leader, ['rx02']);
  expect(await start('same.yaml', { units: 'rx99' })).toEqual(['failed', 'job_options_invalid']);
  expect(await start('same.yaml', { units: 'rx01' })).toEqual(['succeeded', undefined]);
  expect(await start('a.yaml', { units: 'rx02' })).toEqual(['succeeded', undefined]);
  expect(await start('same.yaml')).toEqual(['failed', 'profile_conflict']);
}, 60_000);

it('shows what a run has done, why, and what is next', async () => {
  const publishing = new Publishing();
  await using both = await leaderAndUnit(publishing);
  const { leader } = both;
  publishing.settings = { go: 0 };
  const loop = '{type: repeat, t: 1h, every: 1h, max_time: 3h, actions: [{type: pause, t: 10m}]}';
  const wait = '{type: when, t: 0, wait_until: "::stirring:go == 1", actions: [{type: stop, t: 1m}]}';
  const text = profileOf(['{type: start, t: 0}', loop, wait]);
  await putProfile(leader, 'p.yaml', text);
  const job = await runProfile(leader, 'p.yaml');
  await leader.clock.advance(1.5 * hour);
  const [recent] = await leader.client.listRecentProfileRuns({ params });
  const of = { params: { experiment, run_id: recent?.run_id ?? '' } };
  const run = (await leader.api.call('getProfileRun', of)).expect(200);
  expect(run).toMatchObject({ ...recent, profile_text: text, is_paused: false, common_units: ['rx01'] });
  const startedMs = Date.parse(recent?.started_at ?? '');
  const { waiting } = await leader.client.getProfileRun(of);
  expect(waiting.map(({ action }) => action)).toEqual(['when', 'repeat']);
  expect(waiting[1]).toMatchObject({ iteration: 1, planned_at: new Date(startedMs + 2 * hour).toISOString() });
  const [next] = waiting;
  for (const query of [{ waiting_per_unit: 1 }, { waiting_limit: 1 }])
    expect(await leader.client.getProfileRun({ ...of, query })).toMatchObject({ waiting: [next], waiting_count: 2 });
  for (const query of [{ waiting_per_unit: 0 }, { waiting_limit: 0 }])
    (await leader.api.call('getProfileRun', { ...of, query })).expect(400, 'invalid_query');
  publishing.settings = { go: 1 };
  await leader.clock.advance(5 * minute);
  const actions = (await leader.api.call('listProfileRunActions', of)).expect(200);
  expect(actions).toMatchObject([
    { action: 'stop', outcome: 'done', path: 'common.jobs.stirring.actions[2].actions[0]' },
    { action: 'when', outcome: 'held', reason: expect.stringContaining('::stirring:go == 1') },
    { action: 'pause', outcome: 'done', planned_at: new Date(startedMs + 70 * minute).toISOString() },
    { action: 'repeat', outcome: 'entered', reason: null },
    { action: 'start', outcome: 'done', job_name: 'stirring', reactor_unit: 'rx01' },
  ]);
  const paged = { ...of, query: { skip: 1, limit: 1 } };
  expect((await leader.api.call('listProfileRunActions', paged)).expect(200)).toMatchObject([{ action: 'when' }]);
  await leader.client.updateJobSettings({
    params: { job_name: 'experiment_profile' },
    body: { settings: { $state: 'sleeping' } },
  });
  expect(await leader.client.getProfileRun(of)).toMatchObject({
    is_paused: true,
    waiting: [{ action: 'repeat', planned_at: null }],
  });
  await leader.finished(await leader.client.stopJobs({ body: { job_id: job } }));
  expect(await leader.client.getProfileRun(of)).toMatchObject({ outcome: 'stopped', waiting: [] });
  const none = { params: { experiment, run_id: 'none' } };
  (await leader.api.call('getProfileRun', none)).expect(404, 'profile_run_not_found');
  (await leader.api.call('listProfileRunActions', none)).expect(404, 'profile_run_not_found');
  (await leader.api.call('listProfileRunActions', { ...of, query: { limit: 0 } })).expect(400, 'invalid_query');
}, 60_000);
