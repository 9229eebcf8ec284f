import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '@lcs/cli/testing';
import { advanceableClock, type LeaderUnderTest, startLeader, temporaryFolder } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

const experiment = 'exp 1';
const text = `version: "1.0"
experiment_profile_name: two kinds
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s, options: {target_rpm: 400}}
        - type: when
          t: 1h
          wait_until: ::od_reading:od.od > 1
          actions:
            - {type: stop, t: 1m}
reactors:
  rx02:
    label: dark
    jobs:
      led_intensity: {actions: [{type: start, t: 90s, options: {B: 0}}]}
`;

const wire = advanceableClock();
let leader: LeaderUnderTest;
beforeAll(async () => {
  leader = await startLeader({ observe, configure: { wire: wire.clock } });
  const params = { experiment };
  await leader.client.createExperiment({ body: params });
  for (const reactor_unit of ['rx01', 'rx02']) {
    await leader.client.registerWorker({ body: { reactor_unit } });
    await leader.client.assignWorker({ params, body: { reactor_unit } });
  }
});
afterAll(() => leader[Symbol.asyncDispose]());

const lcs = (...args: readonly string[]) => runProgram(['profiles', ...args, '--url', leader.url]);

describe('the plan of a profile', () => {
  const plan = (body: object) => leader.api.call('planExperimentProfile', { body });

  it('is for the units of an experiment, else for those that the text names', async () => {
    const ofExperiment = (await plan({ body: text, experiment })).expect(200);
    expect(ofExperiment).toMatchObject({
      length_s: null,
      is_open_ended: true,
      omitted_units: 0,
      units: [
        { reactor_unit: 'rx01', label: null, is_truncated: false },
        { reactor_unit: 'rx02', label: 'dark', is_truncated: false },
      ],
    });
    expect((await plan({ body: text })).expect(200)).toMatchObject({
      units: [
        {
          reactor_unit: 'rx02',
          actions: [
            { at_s: 0, action: 'start', options: { target_rpm: 400 }, condition: null, line: 7, column: 11 },
            { at_s: 90, job_name: 'led_intensity', action: 'start', line: 17 },
            { at_s: 3600, action: 'when', condition: '::od_reading:od.od > 1' },
            { at_s: 3660, action: 'stop', depends_on: 'common.jobs.stirring.actions[1]', line: 12 },
          ],
        },
      ],
    });
  });

  it('does not exist for an invalid text or an unknown experiment', async () => {
    (await plan({ body: text.replace('1m', '1x') })).expect(400, 'profile_invalid');
    (await plan({ body: '[' })).expect(400, 'profile_unreadable');
    (await plan({ body: text, experiment: 'none' })).expect(404, 'profile_experiment_unknown');
  });

  it('is a table for people', async () => {
    await using folder = await temporaryFolder('plan');
    const file = join(folder.path, 'p.yaml');
    await writeFile(file, text);
    const { code, out } = await lcs('plan', file, '--experiment', experiment);
    expect(code).toBe(0);
    const rows = out.split('\n').map((line) => line.split(/ {2,}/));
    expect(rows.slice(0, 5)).toEqual([
      ['TIME', 'UNIT', 'JOB', 'ACTION', 'OPTIONS', 'CONDITION'],
      ['0s', 'rx01, rx02', 'Stirring', 'start', 'target_rpm=400'],
      ['1m 30s', 'rx02', 'Light by hand', 'start', 'B=0'],
      ['1h', 'rx01, rx02', 'Stirring', 'when', '::od_reading:od.od > 1'],
      ['>= 1h 1m', 'rx01, rx02', 'Stirring', 'stop'],
    ]);
    expect(JSON.parse((await lcs('plan', file, '--json')).out)).toMatchObject({ is_open_ended: true });
    await writeFile(file, text.replace('1m', '1x'));
    expect((await lcs('plan', file)).code).toBe(1);
  });
});

describe('the formatter', () => {
  const format = (body: string) => leader.api.call('formatExperimentProfile', { body: { body } });

  it('returns the canonical form, and says whether it differs', async () => {
    const { body, changed } = await leader.client.formatExperimentProfile({ body: { body: text } });
    expect(changed).toBe(true);
    expect((await format(body)).expect(200)).toEqual({ body, changed: false });
    // Long texts are formatted by a thread of their own.
    const long = `# ${'x'.repeat(5_000)}\n${body}`;
    expect((await format(long)).expect(200)).toEqual({ body: long, changed: false });
    (await format(text.replace('1m', '1x'))).expect(400, 'profile_invalid');
    (await format('[')).expect(400, 'profile_unreadable');
  });

  it('checks and replaces files of this computer', async () => {
    await using folder = await temporaryFolder('format');
    const file = join(folder.path, 'p.yaml');
    await writeFile(file, text);
    expect(await lcs('format', file, '--check')).toMatchObject({ code: 1, out: '' });
    const printed = await lcs('format', file);
    expect(printed.code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(text);
    expect((await lcs('format', file, '--write')).code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(printed.out);
    expect(await lcs('format', file, '--check')).toMatchObject({ code: 0, out: '' });
    await writeFile(file, 'a: [');
    expect((await lcs('format', file, '--write')).code).toBe(1);
    expect(await readFile(file, 'utf8')).toBe('a: [');
  });
});

describe('the check before a start', () => {
  const params = { experiment };
  const check = (body: object, of: { experiment: string } = params) =>
    leader.api.call('preflightExperimentProfile', { params: of, body });
  const unreachable = { severity: 'blocks', code: 'unit_unreachable', reactor_unit: 'rx01' };

  it('reports what blocks a start and what only warns', async () => {
    expect((await check({ body: text })).expect(200)).toMatchObject({
      checked_at: expect.stringMatching(/Z$/),
      checks: expect.arrayContaining(['reachability', 'bottles']),
      findings: [
        { ...unreachable, message: expect.any(String), remediation: expect.any(String) },
        { ...unreachable, reactor_unit: 'rx02' },
        { severity: 'warns', code: 'model_unknown', reactor_unit: 'rx01' },
        { severity: 'warns', code: 'model_unknown', reactor_unit: 'rx02' },
      ],
    });
    (await check({})).expect(400, 'profile_not_given');
    (await check({ body: text, filename: 'p.yaml' })).expect(400, 'profile_not_given');
    (await check({ body: 1 })).expect(400, 'invalid_body');
    (await check({ body: '[' })).expect(400, 'profile_unreadable');
    (await check({ body: text.replace('1m', '1x') })).expect(400, 'profile_invalid');
    (await check({ filename: 'none.yaml' })).expect(404, 'profile_not_found');
    (await check({ body: text }, { experiment: 'none' })).expect(404, 'profile_experiment_unknown');
  });

  it('examines only the chosen units, as a start for them does', async () => {
    const unitsOf = async (units: string) =>
      (await leader.client.preflightExperimentProfile({ params, body: { body: text, units } })).findings.map(
        ({ reactor_unit: unit }) => unit,
      );
    expect([await unitsOf('rx02'), await unitsOf(' rx01 , rx02'), await unitsOf('')]).toEqual([
      ['rx02', 'rx02'],
      ['rx01', 'rx02', 'rx01', 'rx02'],
      ['rx01', 'rx02', 'rx01', 'rx02'],
    ]);
    (await check({ body: text, units: 'rx01,rx99' })).expect(400, 'job_options_invalid');
    await using folder = await temporaryFolder('check-units');
    const file = join(folder.path, 'p.yaml');
    await writeFile(file, text);
    await leader.client.createExperimentProfile({ body: { filename: 'chosen.yaml', body: text } });
    const of = ['--experiment', experiment, '--units', 'rx02'];
    const checked = await lcs('check', file, ...of);
    expect([checked.code, checked.out.includes('rx02'), checked.out.includes('rx01')]).toEqual([1, true, false]);
    expect(await lcs('run', 'chosen.yaml', ...of)).toMatchObject({ code: 1, out: checked.out });
    // A job of one name may be started once a second.
    wire.pass(1_000);
  });

  it('refuses a start with a finding that blocks, unless it is ignored; the run keeps the report', async () => {
    await using folder = await temporaryFolder('check');
    const file = join(folder.path, 'p.yaml');
    await writeFile(file, text);
    await leader.client.createExperimentProfile({ body: { filename: 'p.yaml', body: text } });
    const checked = await lcs('check', file, '--experiment', experiment);
    expect(checked).toMatchObject({ code: 1, out: expect.stringMatching(/^blocks: rx01 does not answer/) });
    const run = await lcs('run', 'p.yaml', '--experiment', experiment);
    expect(run).toMatchObject({ code: 1, out: checked.out, err: expect.stringContaining('ignore-findings') });
    expect((await leader.api.call('listRecentProfileRuns', { params })).expect(200)).toEqual([]);
    // A job of one name may be started once a second.
    wire.pass(1_000);
    const ignored = await lcs('run', 'p.yaml', '--experiment', experiment, '--ignore-findings');
    expect(ignored).toMatchObject({ code: 0, out: expect.stringContaining(checked.out) });
    const [{ run_id = '' } = {}] = await leader.client.listRecentProfileRuns({ params });
    const details = await leader.client.getProfileRun({ params: { experiment, run_id } });
    expect(details.preflight?.findings).toMatchObject([unreachable, {}, {}, {}]);
    await lcs('stop', '--experiment', experiment);
  }, 30_000);
});

it('saves a file of this computer on the leader, where it can be run', async () => {
  await using folder = await temporaryFolder('save');
  const file = join(folder.path, 'mine.yaml');
  await writeFile(file, text);
  expect(await lcs('save', file)).toMatchObject({ code: 0 });
  expect(await lcs('save', file, '--as', 'other.yaml')).toMatchObject({ code: 0 });
  const saved = await leader.client.listExperimentProfiles();
  expect(saved.map(({ file: name }) => name)).toEqual(expect.arrayContaining(['mine.yaml', 'other.yaml']));
  await writeFile(file, '[');
  expect((await lcs('save', file)).code).toBe(1);
});
