import { createHash } from 'node:crypto';
import { addToyUnit, type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import { describe, expect, it } from 'vitest';
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
const path = (index: number, job = 'stirring') => `common.jobs.${job}.actions[${index}]`;
const at = (index: number, iteration = 0) => ({ reactor_unit: 'rx01', path: path(index), iteration });

/** The newest run. */
async function runOf(leader: LeaderUnderTest) {
  const [{ run_id = '' } = {}] = await leader.client.listRecentProfileRuns({ params });
  return { params: { experiment, run_id } };
}
const details = async (leader: LeaderUnderTest) => leader.client.getProfileRun(await runOf(leader));
/** What became of each item of the stirrer: `index iteration outcome`. */
const outcomes = async (leader: LeaderUnderTest) =>
  (await leader.client.listProfileRunActions(await runOf(leader)))
    .map(({ path: of, iteration, outcome }) => `${of.replace(/^.*\[(\d+)]$/, '$1')} ${iteration} ${outcome}`)
    .sort();
const updates = (rpm: number) => `PATCH settings/job_name/stirring {"settings":{"target_rpm":${rpm}}}`;
const shownOrders = (unit: Parameters<typeof orders>[0]) =>
  orders(unit).map((order) => order.replace(/ \{"options".*/, '').replace(`,"experiment":"${experiment}"`, ''));

/** A heater that is stopped, and a stirrer that changes, while the leader is off from 1 min to 150 min. */
const missing = (policy: string) =>
  profileOf(
    [
      '{type: start, t: 0}',
      '{type: update, t: 1h, options: {target_rpm: 1}}',
      '{type: update, t: 2h, options: {target_rpm: 2}}',
      '{type: update, t: 3h, options: {target_rpm: 3}}',
    ],
    `    temperature_automation:\n      actions:\n        - {type: start, t: 1h}\n        - {type: stop, t: 2h}\n${policy}`,
  );

async function afterAbsence(policy: string) {
  const begun = await beginRun(missing(policy));
  const { first, unit } = begun;
  const { clock } = first;
  await clock.advance(minute);
  await first[Symbol.asyncDispose]();
  await clock.advance(149 * minute);
  const leader = await begun.again();
  await clock.advance(minute);
  return {
    leader,
    clock,
    unit,
    again: () => begun.again(),
    [Symbol.asyncDispose]: async () => {
      await leader[Symbol.asyncDispose]();
      await begun[Symbol.asyncDispose]();
    },
  };
}

const heaterStop = 'POST stop {"job_name":"temperature_automation"}';
const begin = 'POST run/job_name/stirring';

describe('missed actions are', () => {
  it('carried out late and in order with late_actions: run', async () => {
    await using after = await afterAbsence('late_actions: run');
    expect(shownOrders(after.unit)).toEqual([
      ...[begin, 'POST run/job_name/temperature_automation', updates(1), heaterStop, updates(2)],
    ]);
  }, 30_000);

  it('left out with late_actions: skip, except for stops', async () => {
    await using after = await afterAbsence('late_actions: skip');
    expect(shownOrders(after.unit)).toEqual([begin, heaterStop]);
    expect(await details(after.leader)).toMatchObject({ asks_about: null, is_paused: false });
  }, 30_000);

  it('asked about with late_actions: ask; what makes safer comes first; resume carries them out', async () => {
    await using after = await afterAbsence('late_actions: ask');
    const { leader, clock, unit } = after;
    expect(shownOrders(unit)).toEqual([begin, heaterStop]);
    expect(await details(leader)).toMatchObject({ is_paused: true, asks_about: at(1) });
    expect(await runningProfiles(leader)).toMatchObject([{ asks_about: at(1), settings: { $state: 'sleeping' } }]);
    expect(profileLog(leader)).toContainEqual(expect.stringMatching(/^WARNING rx01 Missed: update of stirring/));
    await clock.advance(5 * hour);
    expect(orders(unit)).toHaveLength(2);
    const resumed = (await leader.api.call('resumeProfileRun', await runOf(leader))).expect(200);
    expect(resumed).toMatchObject({ is_paused: false, asks_about: null });
    await clock.advance(minute);
    expect(shownOrders(unit).slice(2)).toEqual([updates(1), updates(2)]);
    await clock.advance(hour);
    expect(shownOrders(unit).slice(4)).toEqual([updates(3)]);
    expect(leader.storedRows('profile_changes')).toMatchObject([{ kind: 'asked' }, { kind: 'resumed' }]);
  }, 30_000);

  it('left out one by one by a skip, also after another restart', async () => {
    await using after = await afterAbsence('late_actions: ask');
    const { clock, unit } = after;
    await after.leader[Symbol.asyncDispose]();
    await clock.advance(hour);
    await using leader = await after.again();
    await clock.advance(minute);
    const of = await runOf(leader);
    expect(await details(leader)).toMatchObject({ is_paused: true, asks_about: at(1) });
    (await leader.api.call('skipProfileItem', { ...of, body: at(1) })).expect(200);
    await clock.advance(minute);
    expect(await details(leader)).toMatchObject({ is_paused: true, asks_about: at(2) });
    // To the next action: what is asked about is skipped, too.
    const skipped = (await leader.api.call('skipProfileItem', { ...of, body: at(3) })).expect(200);
    expect(skipped).toMatchObject({ is_paused: false, asks_about: null });
    await clock.advance(minute);
    expect(shownOrders(unit)).toEqual([begin, heaterStop, updates(3)]);
    expect(await runningProfiles(leader)).toEqual([]);
  }, 30_000);
});

describe('a run is', () => {
  const steps = profileOf([
    '{type: start, t: 0}',
    '{type: update, t: 1h, options: {target_rpm: 1}}',
    '{type: pause, t: 2h}',
    '{type: repeat, t: 1h, every: 1h, max_time: 10h, actions: [{type: log, t: 30m, options: {message: m}}]}',
    '{type: when, t: 4h, wait_until: false, actions: [{type: stop, t: 1h}]}',
    '{type: update, t: 9h, options: {target_rpm: 9}}',
  ]);

  const body = at(1);
  it.each([['pauseProfileRun'], ['skipProfileItem']] as const)(
    'stopped while a %s is under way, which is carried out before it or refused',
    async (operation) => {
      await using begun = await beginRun(steps);
      await using leader = begun.first;
      await leader.clock.advance(minute);
      const of = await runOf(leader);
      const [changed, stopped] = await Promise.all([
        operation === 'skipProfileItem' ? leader.api.call(operation, { ...of, body }) : leader.api.call(operation, of),
        leader.api.call('stopProfileRun', of),
      ]);
      stopped.expect(200);
      if (changed.status === 200) expect(changed.expect(200)).toMatchObject({ outcome: 'stopped' });
      else changed.expect(409, 'profile_run_ended');
    },
    30_000,
  );

  it('paused and resumed; requests that have no effect are refused', async () => {
    await using begun = await beginRun(steps);
    await using leader = begun.first;
    await leader.clock.advance(minute);
    const of = await runOf(leader);
    (await leader.api.call('resumeProfileRun', of)).expect(409, 'profile_run_not_paused');
    expect((await leader.api.call('pauseProfileRun', of)).expect(200)).toMatchObject({ is_paused: true });
    (await leader.api.call('pauseProfileRun', of)).expect(409, 'profile_run_paused');
    expect(await runningProfiles(leader)).toMatchObject([{ ...of.params, settings: { $state: 'sleeping' } }]);
    await leader.clock.advance(3 * hour);
    expect(orders(begun.unit)).toHaveLength(1);
    expect((await leader.api.call('resumeProfileRun', of)).expect(200)).toMatchObject({ is_paused: false });
    await leader.clock.advance(hour);
    expect(shownOrders(begun.unit)).toEqual([begin, updates(1)]);
    expect((await leader.api.call('stopProfileRun', of)).expect(200)).toMatchObject({ outcome: 'stopped' });
    // The timeline names the run and who stopped it.
    const actions = (
      await leader.api.call('getTimeline', { params: { experiment }, query: { kinds: 'action', limit: 1 } })
    ).expect(200);
    expect(actions).toMatchObject([
      { run_id: of.params.run_id, by: expect.any(String), text: expect.stringContaining('stopped') },
    ]);
    expect(orders(begun.unit).at(-1)).toContain(`"job_source":"experiment_profile/${begun.id}"`);
    for (const operation of ['pauseProfileRun', 'resumeProfileRun', 'stopProfileRun'] as const) {
      (await leader.api.call(operation, of)).expect(409, 'profile_run_ended');
      (await leader.api.call(operation, { params: { experiment, run_id: 'x' } })).expect(404, 'profile_run_not_found');
    }
    (await leader.api.call('skipProfileItem', { ...of, body: at(5) })).expect(409, 'profile_run_ended');
    const unknown = { params: { experiment, run_id: 'x' }, body: at(5) };
    (await leader.api.call('skipProfileItem', unknown)).expect(404, 'profile_run_not_found');
  }, 30_000);

  it('skipped to a later step, with pauses, and is there after a restart; a skipped wait has ended', async () => {
    await using begun = await beginRun(steps);
    const { first, unit } = begun;
    const { clock } = first;
    await clock.advance(minute);
    const of = await runOf(first);
    (await first.api.call('skipProfileItem', { ...of, body: { ...at(4), iteration: 7 } })).expect(
      404,
      'profile_item_not_waiting',
    );
    (await first.api.call('skipProfileItem', { ...of, body: { path: 'x' } })).expect(400, 'invalid_body');
    // Its time has not come: the skip moves the run to it.
    const early = (await details(first)).waiting.filter(({ action }) => action === 'when');
    expect(early.map(({ is_evaluated }) => is_evaluated)).toEqual([undefined]);
    (await first.api.call('skipProfileItem', { ...of, body: at(4) })).expect(200);
    await clock.advance(minute);
    expect(shownOrders(unit)).toEqual([begin, 'PATCH settings/job_name/stirring {"settings":{"$state":"sleeping"}}']);
    expect(await outcomes(first)).toEqual(['0 0 done', '1 0 skipped', '2 0 done', '3 3 entered']);
    expect(await details(first)).toMatchObject({ waiting: [{ ...at(4), is_evaluated: true }, {}, {}, {}] });
    await first[Symbol.asyncDispose]();
    await clock.advance(10_000);
    await using leader = await begun.again();
    await clock.advance(minute);
    const held = (await leader.api.call('skipProfileItem', { ...of, body: at(4) })).expect(200);
    expect(held).toMatchObject({ waiting: expect.arrayContaining([expect.objectContaining({ action: 'stop' })]) });
    await clock.advance(hour + minute);
    expect(shownOrders(unit).at(-1)).toBe('POST stop {"job_name":"stirring"}');
    await clock.advance(4 * hour);
    expect(shownOrders(unit).at(-1)).toBe(updates(9));
    const all = await leader.client.listProfileRunActions(of);
    const startedMs = Date.parse((await details(leader)).started_at);
    for (const { planned_at } of all) expect(Date.parse(planned_at)).toBeGreaterThanOrEqual(startedMs);
    expect(all.find(({ path: of }) => of === path(1))).toMatchObject({
      outcome: 'skipped',
      reason: expect.any(String),
    });
    expect(all.find(({ path: of }) => of === path(4))).toMatchObject({ outcome: 'held', reason: 'its wait was ended' });
  }, 30_000);
});

it('the record of a run has its text, inputs, versions, calibrations, actions and changes, and stays when it has ended', async () => {
  await using folder = await temporaryFolder('profiles');
  const first = await startLeader({ dataFolder: folder.path });
  const { clock } = first;
  await first.client.createExperiment({ body: { experiment } });
  await using unit = await addToyUnit(first, 'rx01');
  await assign(first, ['rx01']);
  await first.editStore((database) =>
    database.exec(`insert into calibrations (reactor_unit, device, name, type, created_at, data, is_current, copied_at)
      values ('rx01', 'media_pump', 'july', 'simple_peristaltic_pump', 1000, '{}', 1, 2000),
        ('rx01', 'waste_pump', 'old', 'simple_peristaltic_pump', 1000, '{}', 0, 2000)`),
  );
  await first[Symbol.asyncDispose]();
  await using leader = await startLeader({ dataFolder: folder.path, clock, observe });
  const text = profileOf(['{type: start, t: 0}', '{type: stop, t: 1h}'], 'inputs: {target: 1.8}');
  await putProfile(leader, 'p.yaml', text);
  await runProfile(leader, 'p.yaml');
  await clock.advance(minute);
  const of = await runOf(leader);
  await leader.client.pauseProfileRun(of);
  await clock.advance(hour);
  await leader.client.resumeProfileRun(of);
  await leader.client.skipProfileItem({ ...of, body: at(1) });
  await clock.advance(minute);
  expect(orders(unit).at(-1)).toContain('POST stop');
  const record = (await leader.api.call('exportProfileRun', of)).expect(200);
  expect(record).toMatchObject({
    kind: 'experiment_profile_run',
    run: { run_id: of.params.run_id, outcome: 'finished' },
    profile_text: text,
    inputs: { target: 1.8 },
    common_units: ['rx01'],
    began_with: {
      leader_version: expect.stringMatching(/^\d+\./),
      units: [
        {
          reactor_unit: 'rx01',
          calibrations: [
            {
              device: 'media_pump',
              name: 'july',
              type: 'simple_peristaltic_pump',
              hash: createHash('sha256').update('{}').digest('hex'),
              copied_at: '1970-01-01T00:00:02.000Z',
            },
          ],
        },
      ],
    },
    actions: [
      { action: 'start', outcome: 'done', reason: null, planned_at: expect.any(String) },
      { action: 'stop', outcome: 'done', settled_at: expect.any(String) },
    ],
    changes: [{ kind: 'paused', account: null, item: null }, { kind: 'resumed' }, { kind: 'skipped', item: at(1) }],
  });
  const unknown = { params: { experiment, run_id: 'x' } };
  (await leader.api.call('exportProfileRun', unknown)).expect(404, 'profile_run_not_found');
}, 30_000);

it('a wait that was not evaluated while the leader was off, or failed, says so', async () => {
  let settings: object | undefined;
  const text = profileOf(['{type: when, t: 1m, wait_until: "::stirring:go == 1", actions: [{type: start, t: 0}]}']);
  await using begun = await beginRun(text, {
    answer: ({ method, path: asked }) =>
      method === 'GET' && asked.startsWith('/unit_api/jobs/settings/') && settings !== undefined
        ? { status: 200, body: { settings, job_id: 1 } }
        : undefined,
  });
  const { first, unit } = begun;
  const { clock } = first;
  await first[Symbol.asyncDispose]();
  await clock.advance(hour);
  await using leader = await begun.again();
  await clock.advance(minute);
  expect(profileLog(leader)).toContainEqual(
    expect.stringMatching(/^WARNING rx01 The condition at .* was not evaluated/),
  );
  expect(profileLog(leader)).toContainEqual(expect.stringMatching(/^WARNING rx01 The condition at .* counts as false/));
  settings = { go: 1 };
  await clock.advance(minute);
  expect(orders(unit).at(-1)).toContain('run/job_name/stirring');
  const held = (await leader.client.listProfileRunActions(await runOf(leader))).find(({ action }) => action === 'when');
  expect(held?.reason).toMatch(/it could not be evaluated \d+ times before$/);
}, 30_000);
