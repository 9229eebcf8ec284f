import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '@lcs/cli/testing';
import { AcceptedTask, ProfileRehearsal } from '@lcs/contract';
import { type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { observe } from '../observe.ts';

const experiment = 'exp 1';
const text = `version: "1.0"
experiment_profile_name: five minutes of reading
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s, options: {target_rpm: 400}}
    od_reading:
      actions:
        - {type: start, t: 1m}
        - {type: stop, t: 5m}
`;

let leader: LeaderUnderTest;
beforeAll(async () => {
  leader = await startLeader({ observe });
  await leader.client.createExperiment({ body: { experiment } });
  for (const reactor_unit of ['rx01', 'rx02', 'rx03']) {
    await leader.client.registerWorker({ body: { reactor_unit, model_name: 'reactor_20ml', model_version: '1.5' } });
    await leader.client.assignWorker({ params: { experiment }, body: { reactor_unit } });
  }
});
afterAll(() => leader[Symbol.asyncDispose]());

const simulate = (body: object) => leader.api.call('simulateExperimentProfile', { body });

it('predicts the curves of the units of an experiment, each vial for every one of them', async () => {
  const accepted = (await simulate({ body: text, experiment, draws: 3, seed: 7, interval_s: 20 })).expect(202);
  const task = await leader.finished(accepted);
  if (task.status !== 'succeeded') throw new Error(JSON.stringify(task));
  const rehearsal = Value.Parse(ProfileRehearsal, task.result);
  expect(rehearsal).toMatchObject({ can_finish: 'yes', draws: 3, seed: 7, interval_s: 20 });
  expect(rehearsal.findings.map(({ code }) => code)).toEqual(Array(3).fill('od_not_calibrated'));
  expect(rehearsal.memory_mib).toBeGreaterThan(30);
  expect(rehearsal.units.map(({ reactor_unit }) => reactor_unit)).toEqual(['rx01', 'rx02', 'rx03']);
  for (const { hours, series, actions, is_od_calibrated } of rehearsal.units) {
    expect(is_od_calibrated).toBe(false);
    const od = series.find(({ name }) => name === 'od');
    const [middle = 0, low = 0, high = 0] = [od?.median, od?.low, od?.high].map((values) => values?.[15] ?? undefined);
    expect(low).toBeGreaterThan(0);
    expect(low).toBeLessThan(middle);
    expect(middle).toBeLessThan(high);
    expect(hours[15]).toBeCloseTo((16 * rehearsal.simulated_hours) / 240, 6);
    expect(actions.map(({ job_name, action, outcome }) => `${job_name} ${action} ${outcome}`)).toEqual([
      'stirring start done',
      'od_reading start done',
      'od_reading stop done',
    ]);
  }
});

it('takes what a past experiment has shown, where nothing is given', async () => {
  const culture = { from_experiment: experiment };
  (await simulate({ body: text, culture })).expect(400, 'rehearsal_invalid');
});

it('is shown by the command line', async () => {
  await using folder = await temporaryFolder('simulate');
  const file = join(folder.path, 'p.yaml');
  await writeFile(file, text);
  const lcs = (...args: readonly string[]) =>
    runProgram(['profiles', 'simulate', file, '--url', leader.url, '--draws', '1', '--hours', '0.07', ...args]);
  const shown = await lcs('--organism', 'ecoli_lb', '--growth-rate', '1.2');
  expect(shown).toMatchObject({ code: 0, err: '' });
  expect(shown.out).toMatch(/unit1 +od +OD +0\.\d+/);
  expect(shown.out).toContain('info unit1');
  const { culture, can_finish } = JSON.parse((await lcs('--json')).out);
  // The last action is after 5 minutes.
  expect([culture.organism, can_finish]).toEqual(['yeast', 'no']);
  expect((await lcs('--organism', 'nobody')).code).toBe(1);
});

it('can be cancelled', async () => {
  const accepted = (await simulate({ body: text, experiment, hours: 2_000, draws: 100 })).expect(202);
  const { task_id } = Value.Parse(AcceptedTask, accepted);
  await leader.api.call('cancelTask', { params: { task_id } });
  expect(await leader.finished(accepted)).toMatchObject({ status: 'failed', code: 'task_cancelled' });
});

it('refuses what cannot be rehearsed', async () => {
  (await simulate({ body: '[' })).expect(400, 'profile_unreadable');
  (await simulate({ body: text.replace('1m', '1x') })).expect(400, 'profile_invalid');
  // Ten years without a limit of its own.
  (await simulate({ body: text.replace('5m', '87600h') })).expect(400, 'rehearsal_invalid');
  (await simulate({ body: text, experiment: 'nowhere' })).expect(404, 'profile_experiment_unknown');
  (await simulate({ body: text, culture: { organism: '__proto__' } })).expect(400, 'rehearsal_invalid');
  const names = Array.from({ length: 25 }, (_, index) => `    u${index}: {jobs: {}}`)
    .join('\n')
    .replaceAll('    u', '  u');
  (await simulate({ body: `${text}reactors:\n${names}\n` })).expect(400, 'rehearsal_invalid');
  const unsupported = text.replace('od_reading:', 'led_intensity:').replace('type: stop', 'type: resume');
  (await simulate({ body: unsupported })).expect(400, 'profile_not_supported');
});
