import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runProgram, startProgram } from '@lcs/cli/testing';
import type { Demo } from '@lcs/cluster';
import { createClient, leaderApi } from '@lcs/contract';
import { type LeaderUnderTest, startDemo, startLeader, type TemporaryFolder, temporaryFolder } from '@lcs/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './units/eventually.ts';

const program = fileURLToPath(new URL('../../packages/cli/bin/lcs.js', import.meta.url));
const limitMs = 60_000;
const experiment = 'yeast-batch-demo';

const begin = (...args: string[]) => startProgram(args);
const lcs = (...args: string[]) => runProgram(args);

describe('commands about units and their jobs', () => {
  let folder: TemporaryFolder;
  let demo: Demo;
  beforeAll(async () => {
    folder = await temporaryFolder('cli');
    demo = await startDemo(folder.path, { units: 2, pastHours: 1 });
    await eventually(async () => {
      const { out } = await ask('jobs');
      // Two of the leader's own, five of each unit.
      expect(out.match(/ ready /g)).toHaveLength(12);
    }, limitMs);
  }, limitMs);
  afterAll(async () => {
    await demo.stop();
    await folder[Symbol.asyncDispose]();
  });
  const ask = (...args: string[]) => lcs(...args, '--url', demo.url);
  const json = async (...args: string[]) => {
    const { code, out, err } = await ask(...args, '--json');
    return { code, out: JSON.parse(out || 'null'), err: JSON.parse(err || 'null') };
  };

  it('units: shows each unit with its state and its experiment', async () => {
    const { code, out } = await ask('units');
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^UNIT +STATE +LAST SEEN +EXPERIMENT +BACKLOG +VERSION +ADDRESS$/);
    expect(lines[1]).toMatch(/^leader +online /);
    expect(lines[2]).toMatch(/^unit1 +online +\d+ s +yeast-batch-demo +\d+ +\S+ +http:\/\/127\.0\.0\.1:\d+$/);
    const names = (await json('units')).out.map(({ reactor_unit }: { reactor_unit: string }) => reactor_unit);
    expect(names).toEqual(['leader', 'unit1', 'unit2']);
  });

  it('jobs: shows the running jobs of all units or of one', async () => {
    const { code, out } = await ask('jobs', '--unit', 'unit2');
    expect(code).toBe(0);
    expect(out).toMatch(/^UNIT +JOB +STATE +EXPERIMENT +STARTED +BY +ID\n/);
    expect(out).toMatch(/^unit2 +Stirring +ready +yeast-batch-demo +\S+Z +demo +\d+$/m);
    expect(out).toMatch(/^unit2 +Monitor +ready +\$experiment +\S+Z +node +1$/m);
    expect(out).not.toContain('unit1');
    const { out: outcomes } = await json('jobs');
    expect(Object.keys(outcomes).sort()).toEqual(['leader', 'unit1', 'unit2']);
    expect(outcomes.unit1).toMatchObject({ ok: true, value: expect.any(Array) });
  });

  it('set, stop and run: change a job on one unit or all, and print the outcome of each', async () => {
    expect(await ask('set', 'stirring', 'target_rpm=420', '--unit', 'unit1')).toEqual({
      code: 0,
      out: 'unit1: target_rpm = 420\n',
      err: '',
    });
    const all = await ask('set', 'stirring', 'target_rpm=450', '--unit', 'all');
    expect(all.out.trim().split('\n').sort()).toEqual(['unit1: target_rpm = 450', 'unit2: target_rpm = 450']);
    const both = await ask('set', 'stirring', 'target_rpm=460', '--unit', 'unit2', '--unit', 'unit1');
    expect(both.out).toBe('unit2: target_rpm = 460\nunit1: target_rpm = 460\n');
    expect((await json('stop', 'stirring', '--unit', 'unit1')).out.unit1).toMatchObject({
      ok: true,
      value: { stopped: [{ job_name: 'stirring' }] },
    });
    expect((await ask('stop', 'stirring', '--unit', 'unit1')).out).toBe('unit1: stopped nothing.\n');
    expect(await ask('run', 'stirring', '--unit', 'unit1', '--option', 'target_rpm=300')).toMatchObject({
      code: 0,
      out: 'unit1: Stirring is ready.\n',
    });
    expect((await json('set', 'stirring', 'target_rpm=500', '--unit', 'unit1')).out.unit1.value).toMatchObject({
      settings: { target_rpm: 500 },
    });
    const everything = await ask('stop', '--unit', 'unit1');
    expect(everything.code).toBe(0);
    for (const job of ['Stirring', 'OD reading', 'Growth rate', 'Temperature control'])
      expect(everything.out).toContain(job);
    const args = ['--unit', 'unit1', '--config', 'stirring.config.initial_target_rpm=333'];
    // A job may be requested once a second.
    await eventually(async () => {
      expect(await json('run', 'stirring', ...args)).toMatchObject({
        code: 0,
        out: { unit1: { ok: true, value: { state: 'ready' } } },
        err: null,
      });
    });
    await eventually(async () =>
      expect((await ask('jobs', '--unit', 'unit1')).out).toMatch(/Stirring .* not signed in /),
    );
  });

  it('all units are those of the experiments that have units, whichever experiment is the newest', async () => {
    await createClient(leaderApi, { baseUrl: demo.url }).createExperiment({ body: { experiment: 'empty' } });
    const all = await ask('set', 'stirring', 'target_rpm=470', '--unit', 'all');
    expect(all.out.trim().split('\n').sort()).toEqual(['unit1: target_rpm = 470', 'unit2: target_rpm = 470']);
    const nobody = await ask('set', 'stirring', 'target_rpm=480', '--unit', 'all', '--experiment', 'empty');
    expect(nobody).toMatchObject({ code: 1, err: expect.stringContaining('No unit was addressed.') });
  });

  it('refuse a value that the setting cannot have, and a job that does not exist, before anything happens', async () => {
    for (const value of ['-1', '1e99']) {
      const refused = await ask('set', 'stirring', `target_rpm=${value}`, '--unit', 'unit2');
      expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('target_rpm') });
    }
    const hot = await ask('set', 'temperature_automation', 'target_temperature=320', '--unit', 'unit2');
    expect(hot).toMatchObject({ code: 1, err: expect.stringMatching(/target_temperature|limited/) });
    const misspelt = await ask('stop', 'stiring', '--unit', 'unit2');
    expect(misspelt).toMatchObject({ code: 1, err: expect.stringContaining('stirring') });
  });

  it('explain why something was not done, with exit code 1', async () => {
    const expectFailure = async (args: string[], ...parts: string[]) => {
      const { code, out, err } = await ask(...args);
      expect({ args, code }).toEqual({ args, code: 1 });
      for (const part of parts) expect(out + err).toContain(part);
      expect(err).not.toContain('    at ');
    };
    await expectFailure(['run', 'stirring', '--unit', 'unit9'], 'unit9', 'lcs units');
    await expectFailure(['run', 'stirring', '--unit', 'unit9', '--experiment', experiment], 'unit9');
    await expectFailure(['run', 'dancing', '--unit', 'unit2'], 'dancing', 'unit2');
    await expectFailure(['run', 'stirring', '--unit', 'unit2'], 'already running');
    await expectFailure(['run', 'od_reading', 'dance', '--unit', 'unit2'], 'It takes nothing, or accept_light.');
    await expectFailure(['run', 'stirring', '--unit', 'unit2', '--experiment', 'other'], 'other');
    await expectFailure(
      ['run', 'add_media', '--option', 'duration=500', '--unit', 'unit1'],
      'unit1: failed. add_media was not started: no pump has run. The vial would be as full as it may be.',
      'Remove waste first, or request less.',
    );
    await expectFailure(['set', 'led_automation', 'x=1', '--unit', 'unit2'], 'led_automation is not running');
    await expectFailure(['set', 'stirring', 'colour=red', '--unit', 'unit2'], 'colour');
    await expectFailure(['jobs', '--unit', 'nobody'], 'Unknown unit: nobody.');
    await expectFailure(['logs', '--unit', 'nobody'], 'There is no unit nobody.');
    await expectFailure(['logs', '--experiment', 'nothing'], 'nothing');
    await expectFailure(['logs', '-f', '--experiment', 'nothing'], 'nothing');
    await expectFailure(['series', 'od', '--experiment', 'nothing'], 'nothing');
    await expectFailure(['series', 'od', '--unit', 'nobody'], 'There is no unit nobody.');
    await expectFailure(['series', 'od_readings/colour'], 'colour');
    const failed = await json('run', 'dancing', '--unit', 'unit2');
    expect(failed).toMatchObject({
      code: 1,
      out: { unit2: { ok: false } },
      err: { error: expect.stringContaining('unit2') },
    });
    for (const args of [['units'], ['jobs'], ['logs', '-f'], ['series', 'od'], ['stop', '--unit', 'all']]) {
      const { code, out, err } = await lcs(...args, '--url', 'http://127.0.0.1:9');
      expect({ args, code, out }).toEqual({ args, code: 1, out: '' });
      expect(err).toContain('127.0.0.1:9');
    }
  });

  it('explain why an inactive or unassigned worker runs no jobs', async () => {
    const leader = createClient(leaderApi, { baseUrl: demo.url });
    const params = { reactor_unit: 'unit1' };
    await leader.setWorkerActivation({ params, body: { is_active: 0 } });
    await eventually(async () => expect((await ask('units')).out).toMatch(/^unit1 .* inactive /m));
    const inactive = await ask('run', 'stirring', '--unit', 'unit1');
    expect(inactive).toMatchObject({ code: 1, err: expect.stringContaining('not active') });
    await leader.setWorkerActivation({ params, body: { is_active: 1 } });
    await leader.unassignWorker({ params: { ...params, experiment } });
    const free = await ask('run', 'stirring', '--unit', 'unit1');
    expect(free).toMatchObject({ code: 1, err: expect.stringContaining('unit1') });
  });

  it('units: a worker that never connected is said to be one, and can be removed; another experiment is not left silently', async () => {
    expect((await ask('units', 'add', 'rx44')).out).toContain('never connected');
    expect((await ask('units', 'remove', 'rx44')).code).toBe(0);
    expect((await ask('units')).out).not.toContain('rx44');
    const refused = await ask('units', 'assign', 'unit2', 'empty');
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining(experiment) });
  });

  it('explain invalid arguments, with exit code 2', async () => {
    const wrong = [
      ['series', 'colours'],
      ['series'],
      ['series', 'od', '--hours', '-1'],
      ['run', 'stirring'],
      ['run', '--unit', 'unit1'],
      ['run', 'stirring', '--unit', 'unit1', '--option', 'target_rpm'],
      ['run', 'stirring', '--unit', 'unit1', '--config', 'target_rpm=3'],
      ['run', 'add_media', '--unit', 'unit1', '--option', 'ml=0.5', '--option', 'ml=5'],
      ['set', 'stirring', '--unit', 'unit1'],
      ['set', 'stirring', 'target_rpm=400', 'target_rpm=500', '--unit', 'unit1'],
      ['logs', '--level', 'LOUD'],
      ['logs', '-n', '1e6'],
      ['jobs', '--colour'],
      ['unit'],
      ['unit', '--leader', 'nonsense'],
      ['demo', '--units', '201'],
      ['demo', '--speed', '0'],
      ['demo', '--seed', '-1'],
    ];
    for (const args of wrong) {
      const { code, out, err } = await lcs(...args);
      expect({ args, code, out }).toEqual({ args, code: 2, out: '' });
      expect(err).toMatch(/^error: .+\n/);
    }
  });

  it('say that a name is empty, as that of an unset variable of the shell', async () => {
    for (const args of [
      ['jobs', '--unit', ''],
      ['why', ''],
      ['stop', '..', '--unit', 'unit2'],
    ]) {
      const { code, err } = await ask(...args);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(err).toMatch(/^lcs: /);
    }
  });

  it('series: plots each unit, prints its points as JSON, and reports an empty result', async () => {
    const { code, out } = await ask('series', 'od', '--hours', '48');
    expect(code).toBe(0);
    expect(out).toMatch(/^unit1-2 {2}\(newest [0-9.]+\)\n/);
    expect(out).toContain('\nunit2-2  (newest ');
    expect(out).toMatch(/\nfrom \S+Z to \S+Z\n$/);
    const one = await json('series', 'growth-rate', '--unit', 'unit2', '--hours', '24', '--points', '50');
    expect(one.out.series).toEqual(['unit2']);
    expect(one.out.data[0].length).toBeGreaterThan(10);
    expect(one.out.data[0].length).toBeLessThanOrEqual(50);
    expect(await ask('series', 'od_blanks/od_reading')).toEqual({
      code: 0,
      out: expect.stringContaining('--hours 24'),
      err: '',
    });
    expect((await json('series', 'od_blanks/od_reading')).out).toEqual({ series: [], data: [], flags: [] });
  });

  it('logs: shows the newest last, filtered by unit, level and text', async () => {
    const lines = (await ask('logs', '--unit', 'unit2', '--level', 'info')).out.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(2);
    expect(lines).toEqual(lines.toSorted());
    for (const line of lines) expect(line).toMatch(/^\S+Z (INFO|NOTICE|WARNING) +unit2 \[\S+\] \w+: /);
    const found = await json('logs', '--search', 'began yeast', '-n', '1');
    expect(found.out).toMatchObject({ reactor_unit: 'leader', experiment, task: 'demo' });
    expect(await ask('logs', '--search', 'nothing says this')).toMatchObject({
      code: 0,
      out: expect.stringContaining('No entries.'),
    });
    expect((await ask('logs', '-n', '0')).out).toBe('');
  });

  it('end without an error when the reader of their output has closed it', async () => {
    const child = spawn(process.execPath, [program, 'logs', '-f', '--level', 'debug', '--url', demo.url], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const complaint = text(child.stderr);
    await once(child.stdout, 'data');
    child.stdout.destroy();
    const leader = createClient(leaderApi, { baseUrl: demo.url });
    const params = { reactor_unit: 'unit2', experiment };
    const ended = once(child, 'exit');
    const saying = setInterval(() => {
      void leader.postUnitLog({ params, body: { message: 'still there?', level: 'INFO', source: 'test' } });
    }, 200);
    expect(await ended).toEqual([0, null]);
    clearInterval(saying);
    expect(await complaint).toBe('');
  });

  it('puts a unit into an experiment, and takes it out', async () => {
    expect((await ask('experiments', 'create', 'moved')).code).toBe(0);
    expect(await ask('units', 'assign', 'unit2', 'nowhere', '--yes')).toMatchObject({ code: 1 });
    expect(await ask('units', 'assign', 'unit2', 'moved', '--yes')).toMatchObject({ code: 0 });
    const api = createClient(leaderApi, { baseUrl: demo.url });
    const members = async (of: string) =>
      (await api.listExperimentWorkers({ params: { experiment: of } })).map(({ reactor_unit }) => reactor_unit);
    expect(await members('moved')).toEqual(['unit2']);
    expect(await ask('units', 'unassign', 'unit2', 'moved')).toMatchObject({ code: 0 });
    expect(await members('moved')).toEqual([]);
  });
});

describe('logs -f', () => {
  it('shows every entry once, also those written during a restart of the leader', async () => {
    await using folder = await temporaryFolder('cli');
    const writeEntry = (leader: LeaderUnderTest, message: string) =>
      leader.client.postUnitLog({
        params: { reactor_unit: 'lead', experiment: '$experiment' },
        body: { message, level: 'INFO', source: 'test' },
      });
    const first = await startLeader({ dataFolder: folder.path });
    const port = Number(new URL(first.url).port);
    await writeEntry(first, 'before');
    const following = begin('logs', '-f', '--search', 'e', '--json', '--url', first.url);
    const messages = () =>
      following.written.out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line).message)
        .filter((message: string) => /^(before|live|while away|live again)$/.test(message));
    await eventually(() => expect(messages()).toEqual(['before']));
    await writeEntry(first, 'live');
    await writeEntry(first, 'not this');
    await eventually(() => expect(messages()).toEqual(['before', 'live']));
    await first[Symbol.asyncDispose]();
    await eventually(() => expect(following.written.err).toContain('not reachable'));
    // Time has gone on meanwhile.
    await first.clock.advance(60_000);
    await using second = await startLeader({ dataFolder: folder.path, clock: first.clock, configure: { port } });
    await writeEntry(second, 'while away');
    await eventually(() => expect(messages()).toEqual(['before', 'live', 'while away']));
    expect(following.written.err).toContain('connected again');
    await writeEntry(second, 'live again');
    await eventually(() => expect(messages()).toEqual(['before', 'live', 'while away', 'live again']));
    following.signal('SIGINT');
    expect(await following.ended).toBe(0);
  });
});
