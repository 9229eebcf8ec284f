import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram, startProgram } from '@lcs/cli/testing';
import { profileLibrary } from '@lcs/domain';
import { MqttConnection, realClock, silentLog } from '@lcs/platform';
import { addToyUnit, type LeaderUnderTest, startLeader, type ToyUnit, temporaryFolder } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { assign, experiment, profileOf, putProfile, runProfile } from './profile-fixture.ts';

let leader: LeaderUnderTest;
let unit: ToyUnit;
beforeEach(async () => {
  leader = await startLeader();
  await leader.client.createExperiment({ body: { experiment } });
  unit = await addToyUnit(leader, 'rx01');
  await assign(leader, ['rx01']);
});
afterEach(async () => {
  await leader[Symbol.asyncDispose]();
  await unit[Symbol.asyncDispose]();
});

const text = profileOf(['{type: start, t: 0}', '{type: log, t: 1m, options: {message: hello}}', '{type: stop, t: 1h}']);

describe('the messages of a run', () => {
  it('are retained on topics of the run; those of a running job are cleared at its end', async () => {
    const received = new Map<string, string>();
    const connection = new MqttConnection({
      url: () => leader.node.mqttUrl,
      clientId: 'listener',
      wire: realClock(),
      log: silentLog(),
    });
    connection.subscribe(['reactor/lead/#', 'reactor/rx01/+/logs/#'], (topic, payload) => received.set(topic, payload));
    await connection.start();
    try {
      await putProfile(leader, 'p.yaml', text);
      const began = new Date(leader.clock.now()).toISOString();
      const id = await runProfile(leader, 'p.yaml');
      await leader.clock.advance(90_000);
      const topic = (name: string) => received.get(`reactor/lead/${experiment}/experiment_profile/${id}/${name}`);
      const shown = () =>
        ['$state', 'experiment_profile_name', 'start_time_utc', 'profile_filename', 'action_count'].map(topic);
      await vi.waitFor(() => expect(shown()).toEqual(['ready', 'steps', began, 'p.yaml', '2']), 5_000);
      const log = () => JSON.parse(received.get(`reactor/rx01/${experiment}/logs/app/notice`) ?? '{}');
      await vi.waitFor(() => expect(log()).toMatchObject({ message: 'hello', source: 'app' }), 5_000);
      await leader.clock.advance(3_600_000);
      await vi.waitFor(() => expect(shown()).toEqual(['disconnected', '', '', 'p.yaml', '3']), 5_000);
    } finally {
      await connection.stop();
    }
  }, 30_000);

  it('end the run when an MQTT client requests it', async () => {
    await putProfile(leader, 'p.yaml', text);
    const id = await runProfile(leader, 'p.yaml');
    const connection = new MqttConnection({
      url: () => leader.node.mqttUrl,
      clientId: 'stopper',
      wire: realClock(),
      log: silentLog(),
    });
    await connection.start();
    try {
      // What is not retained is sent only while it is connected: until then again.
      await vi.waitFor(async () => {
        connection.publish(`reactor/lead/${experiment}/experiment_profile/${id}/$state/set`, 'disconnected', {
          qos: 1,
        });
        expect(await leader.client.listRunningProfiles({ params: { experiment } })).toEqual([]);
      }, 10_000);
    } finally {
      await connection.stop();
    }
    expect(await leader.client.listRecentProfileRuns({ params: { experiment } })).toMatchObject([
      { outcome: 'stopped' },
    ]);
  }, 30_000);

  it('is seen by pages: the job of the leader, its settings, its end', async () => {
    await putProfile(leader, 'p.yaml', text);
    const id = await runProfile(leader, 'p.yaml');
    await leader.clock.advance(1_000);
    const response = await fetch(`${leader.url}/api/live`);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    // The first event is the snapshot; the stream may hand it over in pieces.
    let snapshot = '';
    while (!/^data: .*\n\n/m.test(snapshot)) snapshot += (await reader?.read())?.value ?? '';
    await reader?.cancel();
    expect(snapshot).toContain(`"job_name":"experiment_profile","job_id":${id},"state":"ready"`);
    expect(snapshot).toContain('"profile_filename":"p.yaml"');
  }, 30_000);

  it('is in the capabilities of the leader', async () => {
    expect(await leader.client.getCapabilities()).toContainEqual(
      expect.objectContaining({ job_name: 'experiment_profile' }),
    );
  });
});

describe('lcs profiles', () => {
  const lcs = (...args: string[]) => runProgram(['profiles', ...args, '--url', leader.url]);

  it('lists, runs, shows and stops', async () => {
    await putProfile(leader, 'p.yaml', text);
    await putProfile(leader, 'broken.yaml', 'version: 1.0');
    const list = await lcs('list');
    expect(list.out).toMatch(/p\.yaml +steps +all units/);
    expect(list.out).toMatch(/broken\.yaml .*Line 1, column 1/);
    expect(JSON.parse((await lcs('list', '--json')).out)).toHaveLength(2);
    const run = await lcs('run', 'p.yaml', '--experiment', experiment);
    expect(run).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/^(warns: .*\n)*p\.yaml runs in exp 1 \(job \d+\)\.\n$/),
    });
    const id = /job (\d+)/.exec(run.out)?.[1] ?? '';
    await leader.clock.advance(1_000);
    expect((await lcs('runs', '--experiment', experiment)).out).toMatch(new RegExp(`steps +p\\.yaml +runs +${id}\\n`));
    expect((await lcs('show', '--experiment', experiment)).out).toMatch(
      /^steps \(p\.yaml\): runs\n\n(.*\n)+.* rx01 +Stirring +\w+ +waits/,
    );
    const [{ run_id }] = JSON.parse((await lcs('runs', '--experiment', experiment, '--json')).out).recent;
    expect(JSON.parse((await lcs('show', run_id, '--experiment', experiment, '--json')).out)).toMatchObject({ run_id });
    expect((await lcs('show', '--experiment', 'nowhere')).code).toBe(1);
    expect(await lcs('stop', id)).toMatchObject({ code: 0, out: `Stopped ${id}.\n` });
    expect(await lcs('stop', '--experiment', experiment)).toMatchObject({ code: 0, out: expect.any(String) });
    expect((await lcs('stop')).code).toBe(1);
    expect(JSON.parse((await lcs('runs', '--experiment', experiment, '--json')).out)).toMatchObject({
      running: [],
      recent: [{ outcome: 'stopped' }],
    });
  }, 30_000);

  it('follows a run to its end', async () => {
    await putProfile(leader, 'p.yaml', profileOf(['{type: start, t: 0}', '{type: stop, t: 1m, if: false}']));
    await lcs('run', 'p.yaml', '--experiment', experiment);
    await leader.clock.advance(1_000);
    const watching = startProgram(['profiles', 'watch', '--experiment', experiment, '--url', leader.url], {
      isTTY: true,
    });
    await expect.poll(() => watching.written.out).toMatch(/next: rx01 Stirring stop at /);
    await leader.clock.advance(60_000);
    expect(await watching.ended).toBe(0);
    expect(watching.written.out).toMatch(
      /^\S+ rx01 Stirring start: done\nThe run is running\.\nnext: .*\n\S+ rx01 Stirring stop: skipped \(.*\)\n\S+ The run is finished\.\n$/,
    );
    expect(watching.written.err).toContain('running, 1 done, 1 to come');
    await lcs('run', 'p.yaml', '--experiment', experiment);
    await lcs('stop', '--experiment', experiment);
    const stopped = await lcs('watch', '--experiment', experiment, '--json');
    expect(stopped).toMatchObject({ code: 1, out: expect.stringMatching(/"event":"end","outcome":"stopped"/) });
    expect((await lcs('watch', '--experiment', 'nowhere')).code).toBe(1);
  }, 30_000);

  it('prints why a profile does not run', async () => {
    const run = await lcs('run', 'none.yaml', '--experiment', experiment, '--json', '--dry-run');
    expect(run.code).toBe(1);
    expect(JSON.parse(run.err)).toMatchObject({ error: expect.stringContaining('none.yaml') });
  });

  it('prints the library, and a text of it as a file has it', async () => {
    const list = await lcs('library');
    expect(list).toMatchObject({ code: 0, out: expect.stringMatching(/^NAME +DESCRIPTION\ngrowth-curve +A batch/) });
    for (const { filename } of profileLibrary) expect(list.out).toContain(filename.replace('.yaml', ''));
    expect(JSON.parse((await lcs('library', '--json')).out)).toEqual(profileLibrary);
    const [first] = profileLibrary;
    for (const name of ['growth-curve', 'growth-curve.yaml'])
      expect(await lcs('library', name)).toEqual({ code: 0, out: first?.text, err: '' });
    const none = await lcs('library', 'growth', '--json');
    expect(none.code).toBe(1);
    expect(JSON.parse(none.err)).toMatchObject({ cause: expect.stringContaining('growth-curve, chemostat-series') });
  });

  it('checks a file of this machine', async () => {
    await using folder = await temporaryFolder('profiles');
    const [good, bad, later] = ['good', 'bad', 'later'].map((name) => join(folder.path, `${name}.yaml`)) as [
      string,
      string,
      string,
    ];
    await writeFile(good, text);
    await writeFile(bad, text.replace('1h', '1x'));
    await writeFile(later, profileOf(['{type: resume, t: 0}']).replace('stirring:', 'led_intensity:'));
    expect(await lcs('validate', good)).toMatchObject({ code: 0, out: expect.stringContaining(good) });
    const found = await lcs('validate', bad);
    expect(found).toMatchObject({ code: 1, out: expect.stringMatching(/bad\.yaml:9:24: error: .*\(time\.invalid\)/) });
    expect(await lcs('validate', later)).toMatchObject({
      code: 1,
      out: expect.stringContaining('Line 7:'),
    });
    expect(JSON.parse((await lcs('validate', bad, '--json')).out)).toMatchObject({ valid: false });
    expect((await lcs('validate', join(folder.path, 'none.yaml'))).code).toBe(1);
  });
});
