import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { profileLibrary } from '@lcs/domain';
import { advanceableClock, type LeaderUnderTest, startLeader } from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observe } from '../observe.ts';

const wire = advanceableClock();
let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe, configure: { wire: wire.clock } });
});
afterEach(() => leader[Symbol.asyncDispose]());

const experiment = 'exp 1';
const demo = `version: "1.0"
experiment_profile_name: Demo stirring
metadata: {author: lab, description: null}
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s, options: {target_rpm: 400}}
        - {type: stop, t: 1h}
`;
const action = (type: string) => demo.replace('{type: stop, t: 1h}', type);
/** The lights cannot be resumed: their levels before the pause are not known. */
const light = action('{type: resume, t: 1h}')
  .replace('stirring:', 'led_intensity:')
  .replace('target_rpm: 400', 'B: 40');
const meaningless = action("{type: stop, t: '1x'}");
const warned = demo.replace('t: 0s', 't: 2h');

const folder = () => join(leader.dataFolder, 'experiment_profiles');
const { call } = {
  call: (
    operation: Parameters<LeaderUnderTest['api']['call']>[0],
    options?: Parameters<LeaderUnderTest['api']['call']>[1],
  ) => leader.api.call(operation, options),
};
const create = (filename: string, body: unknown = demo) =>
  call('createExperimentProfile', { body: { filename, body } });
const save = (filename: string, body: unknown = demo, options: object = {}) =>
  call('saveExperimentProfile', { params: { filename }, body: { body }, ...options });
const read = (filename: string) => call('getExperimentProfile', { params: { filename } });
const remove = (filename: string, options: object = {}) =>
  call('deleteExperimentProfile', { params: { filename }, ...options });
const list = async () => (await call('listExperimentProfiles')).expect(200);
const history = (filename: string) => readdir(join(folder(), '.history', filename));

describe('the library', () => {
  it('has documented profiles, each of which can be saved as it is', async () => {
    const library = (await call('listLibraryProfiles')).expect(200);
    expect(library).toEqual(profileLibrary);
    for (const { filename, text } of profileLibrary)
      expect((await create(filename, text)).expect(200)).toEqual({ status: 'success' });
  });

  it('hides no file of a similar name', async () => {
    (await create('library.yaml')).expect(200);
    expect((await read('library.yaml')).expect(200)).toBe(demo);
    // Only names that end in .yaml or .yml are valid, so no file is called like a route.
    for (const name of ['library', 'schema', 'validate']) (await create(name)).expect(400, 'profile_name_invalid');
  });
});

it('the JSON Schema is that of the documentation', async () => {
  const file = new URL('../../docs/reference/experiment-profile.schema.json', import.meta.url);
  expect((await call('getProfileSchema')).expect(200)).toEqual(JSON.parse(await readFile(file, 'utf8')));
});

describe('profiles', () => {
  it('are saved, listed as parsed, read verbatim, changed and deleted', async () => {
    expect(await list()).toEqual([]);
    expect((await create('demo.yaml')).expect(200)).toEqual({ status: 'success' });
    expect(await list()).toEqual([
      {
        experimentProfile: {
          version: '1.0',
          experiment_profile_name: 'Demo stirring',
          metadata: { author: 'lab', description: null },
          plugins: [],
          common: {
            jobs: {
              stirring: {
                actions: [
                  {
                    type: 'start',
                    hours_elapsed: null,
                    t: '0s',
                    if: true,
                    options: { target_rpm: 400 },
                    args: [],
                    config_overrides: {},
                  },
                  { type: 'stop', hours_elapsed: null, t: '1h', if: true },
                ],
                description: null,
              },
            },
          },
          reactors: {},
          inputs: {},
        },
        file: 'demo.yaml',
        fullpath: join(folder(), 'demo.yaml'),
      },
    ]);
    const text = await read('demo.yaml');
    expect(text.expect(200)).toBe(demo);
    expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8');

    expect((await save('demo.yaml', `# mine\n${demo}`)).expect(200)).toEqual({ status: 'success' });
    expect((await read('demo.yaml')).expect(200)).toBe(`# mine\n${demo}`);
    expect(await readFile(join(folder(), 'demo.yaml'), 'utf8')).toBe(`# mine\n${demo}`);
    expect((await remove('demo.yaml')).expect(200)).toEqual({ status: 'success' });
    (await read('demo.yaml')).expect(404, 'profile_not_found');
    expect(await list()).toEqual([]);
    expect(leader.storedRows('logs')).toMatchObject([
      { experiment: '$experiment', level: 'INFO', message: expect.stringContaining('demo.yaml') },
    ]);
    expect(await history('demo.yaml')).toHaveLength(2);
  });

  it('are listed with the last changed one first, also invalid ones, without other files', async () => {
    (await create('good.yml')).expect(200);
    await writeFile(join(folder(), 'empty.yaml'), '');
    await writeFile(join(folder(), 'broken.yaml'), 'version: 1.0\n');
    await writeFile(join(folder(), 'meaningless.yaml'), meaningless);
    await writeFile(join(folder(), 'notes.txt'), demo);
    await mkdir(join(folder(), 'folder.yaml'));
    await writeFile(join(folder(), 'huge.yaml'), '#'.repeat(1_048_577));
    await symlink(join(leader.dataFolder, 'config.ini'), join(folder(), 'link.yaml'));
    const files = Object.fromEntries(
      JSON.parse(JSON.stringify(await list())).map(({ file, ...entry }: { file: string }) => [file, entry]),
    );
    expect(Object.keys(files).sort()).toEqual(['broken.yaml', 'empty.yaml', 'good.yml', 'meaningless.yaml']);
    expect(files['empty.yaml']).not.toHaveProperty('parse_error');
    expect(files['empty.yaml'].experimentProfile).toMatchObject({
      version: '1.0',
      experiment_profile_name: 'temporary name: empty',
    });
    expect(files['broken.yaml']).toMatchObject({ parse_error: expect.stringMatching(/^Line 1, column 1: /) });
    expect(files['meaningless.yaml']).toMatchObject({
      parse_error: expect.stringMatching(/^Line 9, /),
      experimentProfile: { experiment_profile_name: 'Demo stirring' },
    });
    for (const name of ['link.yaml', 'folder.yaml', 'huge.yaml', 'notes.txt', '../config.ini', '..']) {
      (await read(name)).expect(404);
      (await remove(name)).expect(404);
    }
    expect((await read('broken.yaml')).expect(200)).toBe('version: 1.0\n');
    (await save('broken.yaml')).expect(200);
    const again: readonly object[] = JSON.parse(JSON.stringify(await list()));
    expect(again[0]).toMatchObject({
      file: 'broken.yaml',
      experimentProfile: { experiment_profile_name: 'Demo stirring' },
    });
    expect(again).toHaveLength(4);
  });

  it('report faults with their position in the order shape, meaning, name, file, and save nothing', async () => {
    const unreadable = (await create('a/b', 'version: 1.0')).expect(400, 'profile_unreadable');
    expect(unreadable).toMatchObject({
      error: expect.stringContaining('Line 1, column 1'),
      // What is wrong is in the error and in the diagnostics, not a third time.
      cause: expect.not.stringContaining('Line 1'),
      diagnostics: [
        { code: 'schema.missing' },
        { code: 'schema.version', severity: 'error', path: 'version', line: 1, column: 1 },
      ],
    });
    expect((await create('a b!', meaningless)).expect(400, 'profile_invalid')).toEqual({
      error: expect.any(String),
      cause: expect.any(String),
      remediation: expect.any(String),
      status: 400,
      code: 'profile_invalid',
      diagnostics: [
        {
          severity: 'error',
          code: 'time.invalid',
          message: expect.stringContaining('"1x"'),
          path: 'common.jobs.stirring.actions[1].t',
          hint: expect.any(String),
          line: 9,
          column: 24,
        },
      ],
    });
    for (const name of ['x.txt', '.yaml', '-x.yaml', 'a\u0000.yaml', 'ä.yaml', `${'x'.repeat(196)}.yaml`, ''])
      (await create(name)).expect(400, 'profile_name_invalid');
    (await create('x.yaml')).expect(200);
    (await create('x.yaml')).expect(400, 'profile_exists');
    (await save('x.yaml', 'a: [')).expect(400, 'profile_unreadable');
    (await save('x.yaml', meaningless)).expect(400, 'profile_invalid');
    (await save('x.txt')).expect(400, 'profile_name_invalid');
    (await save('y.yaml')).expect(404, 'profile_not_found');
    (await create('x.yaml', 7)).expect(400, 'invalid_body');
    (await save('x.yaml', null)).expect(400, 'invalid_body');
    expect(await list()).toHaveLength(1);
    expect((await read('x.yaml')).expect(200)).toBe(demo);
  });

  it('may be saved under the last part of a path, and created by a change with `create`', async () => {
    (await create('../../x.yaml')).expect(200);
    (await save('y.yaml', demo, { query: { create: 'true' } })).expect(200);
    expect((await readdir(folder())).filter((name) => name.endsWith('.yaml')).sort()).toEqual(['x.yaml', 'y.yaml']);
  });

  it('are saved with warnings, which the answer contains', async () => {
    expect((await create('x.yaml', warned)).expect(200)).toEqual({
      status: 'success',
      diagnostics: [expect.objectContaining({ severity: 'warning', code: 'job.ordering.before_start', line: 9 })],
    });
  });

  it('are not overwritten with a change of an older text', async () => {
    (await create('x.yaml')).expect(200);
    const etag = (await read('x.yaml')).headers.get('etag') ?? '';
    const headers = { 'if-match': etag };
    (await save('x.yaml', `${demo}# one\n`, { headers })).expect(200);
    (await save('x.yaml', `${demo}# two\n`, { headers })).expect(412, 'profile_changed');
    (await remove('x.yaml', { headers })).expect(412, 'profile_changed');
    (await call('getExperimentProfile', { params: { filename: 'x.yaml' }, headers: { 'if-none-match': etag } })).expect(
      200,
    );
    const now = (await read('x.yaml')).headers.get('etag') ?? '';
    expect(now).not.toBe(etag);
    (await remove('x.yaml', { headers: { 'if-match': `"other", ${now}` } })).expect(200);
    expect((await history('x.yaml')).length).toBe(2);
  });

  it('are created once by simultaneous requests', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => create('x.yaml', `${demo}# ${i}\n`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400, 400, 400]);
  });

  it('are checked without being saved', async () => {
    const check = async (body: string) => (await call('checkExperimentProfile', { body: { body } })).expect(200);
    expect(await check(demo)).toEqual({ valid: true, runnable: true, diagnostics: [], not_runnable_because: [] });
    expect(await check(meaningless)).toMatchObject({ valid: false, runnable: false, diagnostics: [{ line: 9 }] });
    expect(await check('')).toMatchObject({ valid: false, diagnostics: [{ severity: 'error' }] });
    expect(await check(light)).toEqual({
      valid: true,
      runnable: false,
      diagnostics: [],
      not_runnable_because: [expect.stringMatching(/^Line 9: .*led_intensity/)],
    });
    // A plugin may have names that are not known here.
    expect(await check(demo.replace('target_rpm', 'target_rmp'))).toMatchObject({
      valid: true,
      runnable: true,
      diagnostics: [
        {
          severity: 'warning',
          code: 'option.unknown',
          path: 'common.jobs.stirring.actions[0].options.target_rmp',
          line: 8,
          column: 42,
          hint: 'Did you mean target_rpm?',
        },
      ],
    });
    expect(await list()).toEqual([]);
  });

  it('cannot be used when their folder is a file', async () => {
    await rm(folder(), { recursive: true });
    await writeFile(folder(), '');
    (await call('listExperimentProfiles')).expect(500, 'profiles_unreadable');
    const answer = await create('x.yaml');
    expect(JSON.stringify(answer.expect(500, 'profiles_unreadable'))).not.toContain(leader.dataFolder);
    (await save('x.yaml')).expect(500, 'profiles_unreadable');
    (await read('x.yaml')).expect(500, 'profiles_unreadable');
    (await remove('x.yaml')).expect(500, 'profiles_unreadable');
  });

  it('are served at their older addresses', async () => {
    const old = await call('createContributedProfile', { body: { filename: 'x.yaml', body: demo } });
    old.expect(200);
    expect(old.headers.get('deprecation')).toBe('true');
    (await call('createContributedProfile', { body: { filename: 'x.yaml', body: demo } })).expect(
      400,
      'profile_exists',
    );
    expect((await call('listContributedProfiles')).expect(200)).toEqual(await list());
    const change = (filename: string) => call('saveContributedProfile', { body: { filename, body: `${demo}#\n` } });
    (await change('x.yaml')).expect(200);
    (await change('y.yaml')).expect(404, 'profile_not_found');
    (await call('saveContributedProfile', { body: { filename: 'x.yaml' } })).expect(400, 'invalid_body');
    const params = { filename: 'x.yaml' };
    expect((await call('getContributedProfile', { params })).expect(200)).toBe(`${demo}#\n`);
    (await call('deleteContributedProfile', { params })).expect(200);
    (await call('deleteContributedProfile', { params })).expect(404, 'profile_not_found');
    (await call('getContributedProfile', { params })).expect(404, 'profile_not_found');
    const params_e = { experiment };
    expect((await call('listRunningProfilesOfExperiment', { params: params_e })).expect(200)).toEqual([]);
  });
});

describe('runs of profiles', () => {
  const params = { experiment };
  const runJob = async (args: readonly string[], options: object = {}) => {
    // A job of one name may be started once a second.
    wire.pass(1_000);
    return call('runJob', { params: { job: 'experiment_profile' }, body: { args, options } });
  };
  const running = async () => (await call('listRunningProfiles', { params })).expect(200);
  const recent = async () => (await call('listRecentProfileRuns', { params })).expect(200);
  const path = (file: string) => join(folder(), file);

  it('are shown while they run and afterwards, dry ones marked; an unknown experiment has none', async () => {
    expect(await running()).toEqual([]);
    expect(await recent()).toEqual([]);
    await leader.client.createExperiment({ body: { experiment } });
    (await create('demo.yaml')).expect(200);
    const began = new Date(leader.clock.now()).toISOString();
    const started = await leader.finished(
      (await runJob(['execute', path('demo.yaml'), experiment], { 'dry-run': null })).expect(202),
    );
    expect(started).toMatchObject({ status: 'succeeded', result: { ok: true } });
    // No worker: nothing to do, so it ends at once.
    await leader.clock.advance(1000);
    expect(await running()).toEqual([]);
    expect(await recent()).toEqual([
      {
        run_id: expect.any(String),
        started_at: began,
        experiment_profile_name: 'Demo stirring',
        experiment,
        profile_filename: 'demo.yaml',
        dry_run: true,
        ended_at: expect.any(String),
        outcome: 'finished',
        started_by: null,
        failed_actions: 0,
      },
    ]);
    expect((await call('listRecentProfileRuns', { params, query: { skip: 1 } })).expect(200)).toEqual([]);
    (await call('listRecentProfileRuns', { params, query: { limit: 1001 } })).expect(400, 'invalid_query');
    await leader.client.registerWorker({ body: { reactor_unit: 'rx01' } });
    await leader.client.assignWorker({ params, body: { reactor_unit: 'rx01' } });
    await leader.finished((await runJob(['execute', 'demo.yaml', experiment], { 'dry-run': null })).expect(202));
    await leader.clock.advance(1000);
    const [{ job_id = 0 } = {}] = await leader.client.listRunningJobsByName({ params: { job: 'experiment_profile' } });
    const row = {
      job_name: 'experiment_profile',
      experiment,
      job_id,
      run_id: expect.any(String),
      dry_run: true,
      asks_about: null,
      failed_actions: 0,
      settings: {
        $state: 'ready',
        experiment_profile_name: 'Demo stirring',
        start_time_utc: expect.stringMatching(/Z$/),
        profile_filename: 'demo.yaml',
        action_count: 1,
      },
    };
    expect(await running()).toEqual([row]);
    expect((await call('listRunningProfilesOfExperiment', { params })).expect(200)).toEqual([row]);
    expect((await call('listRunningLongJobs')).expect(200)).toMatchObject([
      { job_name: 'mqtt_to_db_streaming' },
      { job_name: 'monitor' },
      { job_id, experiment, is_long_running_job: 1 },
    ]);
    await leader.finished((await call('stopJobs', { body: { job_id } })).expect(202));
    expect(await running()).toEqual([]);
    expect(await recent()).toMatchObject([{ outcome: 'stopped' }, { outcome: 'finished' }]);
    const all = (await call('listAllProfileRuns')).expect(200);
    expect(all).toEqual(await recent());
    expect((await call('listAllProfileRuns', { query: { skip: 1 } })).expect(200)).toMatchObject([{ experiment }]);
    (await call('listAllProfileRuns', { query: { limit: 1001 } })).expect(400, 'invalid_query');
  }, 30_000);

  it('start only with their required plugins', async () => {
    const plugins = join(leader.dataFolder, 'plugins');
    await mkdir(plugins, { recursive: true });
    const manifest = "{ name: 'bubbler', version: '1.2.0', leader_only: true }";
    await writeFile(join(plugins, 'bubbler.js'), `export default { manifest: ${manifest} };`);
    await vi.waitFor(async () => {
      const installed = await fetch(`${leader.url}/unit_api/plugins/installed`);
      expect(await installed.json()).toEqual([expect.not.objectContaining({ error: expect.anything() })]);
    }, 20_000);
    await leader.client.createExperiment({ body: { experiment } });
    (await create('old.yaml', `${demo}plugins: [{name: bubbler, version: ">=1.1"}]\n`)).expect(200);
    (await create('new.yaml', `${demo}plugins: [{name: bubbler, version: ">=2"}]\n`)).expect(200);
    const task = async (file: string) => leader.finished((await runJob(['execute', file, experiment])).expect(202));
    expect(await task('old.yaml')).toMatchObject({ status: 'succeeded' });
    expect(await task('new.yaml')).toMatchObject({
      status: 'failed',
      cause: expect.stringContaining('bubbler >=2'),
    });
  }, 60_000);

  it('do not start with invalid arguments, file, profile or experiment', async () => {
    await leader.client.createExperiment({ body: { experiment } });
    for (const [name, text] of [
      ['good.yaml', demo],
      ['light.yaml', light],
      ['plugin.yaml', `${demo}plugins: [{name: bubbler, version: ">=1"}]\n`],
    ] as const)
      (await create(name, text)).expect(200);
    await writeFile(path('bad.yaml'), meaningless);
    for (const args of [[], ['execute', 'good.yaml', 'a/b#']]) (await runJob(args)).expect(400, 'job_options_invalid');
    const failure = async (args: readonly string[]) => {
      const task = await leader.finished((await runJob(args)).expect(202));
      return task.status === 'failed' ? `${task.error} ${task.cause}` : task.status;
    };
    expect(await failure(['execute', 'none.yaml', experiment])).toContain('none.yaml');
    expect(await failure(['execute', join(leader.dataFolder, 'config.ini'), experiment])).toContain('config.ini');
    expect(await failure(['execute', path('bad.yaml'), experiment])).toContain('cannot be executed');
    expect(await failure(['execute', path('light.yaml'), experiment])).toContain('Line 9:');
    expect(await failure(['execute', path('plugin.yaml'), experiment])).toContain('bubbler >=1');
    expect(await failure(['execute', path('good.yaml'), 'nowhere'])).toContain('nowhere');
    expect(await failure(['verify', 'bad.yaml'])).toContain('cannot be executed');
    expect(await failure(['verify', 'good.yaml'])).toBe('succeeded');
    expect(await recent()).toEqual([]);
    await leader.clock.advance(100);
    expect(await leader.client.listRunningJobsByName({ params: { job: 'experiment_profile' } })).toEqual([]);
  }, 30_000);
});
