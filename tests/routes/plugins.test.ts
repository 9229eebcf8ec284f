import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InstalledPlugin } from '@lcs/contract';
import { type PackageTool, PackageToolFailed } from '@lcs/node';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../cluster/units/eventually.ts';
import { type PluginNode, placeFiles, startPluginNode } from './plugin-node.ts';

/** Processes are started again and again, on machines with other work. */
vi.setConfig({ testTimeout: 60_000 });
afterAll(() => vi.resetConfig());

let world: PluginNode;
afterEach(() => world[Symbol.asyncDispose]());

const small = (name: string, more = '') =>
  `export default { manifest: { name: '${name}', version: '0.1', description: 'a demo', author: 'me' } ${more} };`;

/** A registry with three packages, on the disk as npm leaves them. */
function registry(): { readonly tool: PackageTool; readonly asked: string[] } {
  const asked: string[] = [];
  const packages: Readonly<Record<string, object>> = {
    bubbler: { description: 'bubbles', homepage: 'https://example.org', author: { name: 'A. Person' }, lcs: {} },
    'leader-thing': { lcs: { leader_only: true } },
    'no-plugin': {},
    '@lab/broken': { lcs: { entry: 'missing.js' } },
  };
  const tool: PackageTool = {
    install: async (folder, what, { isOffline }) => {
      asked.push(`install ${what}${isOffline ? ' offline' : ''}`);
      const [, name = '', version] = /^(@?[^@]+)@(.+)$/.exec(what) ?? [];
      const found = packages[name];
      if (found === undefined) throw new PackageToolFailed(`404 Not Found: ${name} is not in this registry.`);
      const file = { name, version: version === 'latest' ? '1.0.2' : version, main: 'index.js', ...found };
      await placeFiles(join(folder, 'node_modules', name), {
        'package.json': JSON.stringify(file),
        'index.js': "export default { jobs: [{ name: 'bubbler', start() {} }] };",
      });
    },
    remove: async (folder, name) => {
      asked.push(`remove ${name}`);
      await rm(join(folder, 'node_modules', name), { recursive: true, force: true });
    },
  };
  return { tool, asked };
}

const list = async () =>
  Value.Parse(Type.Array(InstalledPlugin), (await world.unit.api.call('listInstalledPlugins')).expect(200));
const both = (name: 'install' | 'uninstall' | 'usb') =>
  ({
    install: ['installPlugin', 'installPluginByPatch'] as const,
    uninstall: ['uninstallPlugin', 'uninstallPluginByPatch'] as const,
    usb: ['installPluginFromUsb', 'installPluginFromUsbByPatch'] as const,
  })[name];

describe('the list of plugins', () => {
  it('has files in the order of their names, then packages, and the text of a file', async () => {
    const files = {
      'b_demo.js': small('demo-plug'),
      'a_bare.ts': 'const plugin: object = {}; export default plugin;',
      'notes.txt': 'no plugin',
      'types.d.ts': 'no plugin either',
      'node_modules/reactor-air/package.json': JSON.stringify({ name: 'reactor-air', version: '0.5.1', lcs: {} }),
      'node_modules/reactor-air/index.js': 'module.exports = {};',
      'node_modules/lodash/package.json': JSON.stringify({ name: 'lodash', version: '4.0.0' }),
    };
    world = await startPluginNode({ files });
    const shown = (file: string) => `${world.unit.url}/unit_api/plugins/installed/${file}`;
    const unknown = { version: 'Unknown', author: 'Unknown', description: null };
    await eventually(async () =>
      expect(await list()).toEqual([
        { ...unknown, name: 'a_bare', homepage: shown('a_bare.ts'), source: 'plugins/a_bare.ts' },
        {
          name: 'demo-plug',
          version: '0.1',
          description: 'a demo',
          homepage: shown('b_demo.js'),
          source: 'plugins/b_demo.js',
          author: 'me',
        },
        { ...unknown, name: 'reactor-air', version: '0.5.1', homepage: null, source: 'package' },
      ]),
    );
    const file = await fetch(shown('b_demo.js'));
    expect([file.status, file.headers.get('content-type'), await file.text()]).toEqual([
      200,
      'text/plain; charset=utf-8',
      files['b_demo.js'],
    ]);
    expect((await world.unit.api.call('getPluginFile', { params: { filename: 'b_demo.js' } })).expect(200)).toBe(
      files['b_demo.js'],
    );
    for (const filename of ['notes.txt', 'absent.js', '../unit.js', '..%2Fx.js', 'node_modules'])
      (await world.unit.api.call('getPluginFile', { params: { filename } })).expect(404, 'plugin_file_not_found');
  });

  it('is empty on a new unit, and reports an unreadable folder', async () => {
    world = await startPluginNode();
    expect(await list()).toEqual([]);
    await writeFile(join(world.unit.dataFolder, 'elsewhere'), '');
    await rm(join(world.unit.dataFolder, 'plugins'), { recursive: true, force: true });
    await symlink('plugins', join(world.unit.dataFolder, 'plugins'));
    (await world.unit.api.call('listInstalledPlugins')).expect(500, 'plugins_unlistable');
    (await world.unit.api.call('getPlugin', { params: { plugin: 'x' } })).expect(500, 'plugins_unlistable');
  });

  it('includes files that are copied into the folder while the node runs', async () => {
    world = await startPluginNode();
    await placeFiles(join(world.unit.dataFolder, 'plugins'), { 'late.js': small('late') });
    await eventually(async () => expect(await list()).toMatchObject([{ name: 'late', version: '0.1' }]));
    const details = (await world.unit.api.call('getPlugin', { params: { plugin: 'late' } })).expect(200);
    expect(details).toMatchObject({ name: 'late', leader_only: false, jobs: [], automations: [], routes: [] });
    (await world.unit.api.call('getPlugin', { params: { plugin: 'early' } })).expect(404, 'plugin_not_found');
  });
});

describe.each([0, 1] as const)('changes, by POST and by PATCH (%i)', (way) => {
  const install = both('install')[way];
  const uninstall = both('uninstall')[way];
  const fromUsb = both('usb')[way];
  const change = (operation: typeof install | typeof uninstall, args: string[], options: object = {}) =>
    world.ended(world.unit.api.call(operation, { body: { args, options } }));

  it('are installed from the registry, in the requested version, without a restart', async () => {
    const { tool, asked } = registry();
    world = await startPluginNode({ tool });
    expect(await change(install, ['bubbler'], { version: '0.9.0' })).toMatchObject({
      status: 'succeeded',
      result: true,
      message: 'bubbler 0.9.0 is installed. It adds jobs: bubbler.',
    });
    expect(await change(install, ['bubbler'])).toMatchObject({ status: 'succeeded', result: true });
    expect(await list()).toEqual([
      {
        name: 'bubbler',
        version: '1.0.2',
        description: 'bubbles',
        homepage: 'https://example.org',
        source: 'package',
        author: 'A. Person',
      },
    ]);
    expect(await world.start('bubbler')).toMatchObject({ status: 'succeeded' });
    await world.ended(world.unit.api.call('stopAllJobs', {}));
    expect(await change(uninstall, ['bubbler'])).toMatchObject({ result: true, message: 'bubbler 1.0.2 was removed.' });
    expect(await change(uninstall, ['bubbler'])).toMatchObject({ result: true, message: 'bubbler was not installed.' });
    expect(asked).toEqual(['install bubbler@0.9.0', 'install bubbler@latest', 'remove bubbler']);
    expect(await list()).toEqual([]);
  });

  it('fail with the reason', async () => {
    const { tool } = registry();
    world = await startPluginNode({ tool });
    expect(await change(install, ['ghost'])).toMatchObject({
      status: 'failed',
      code: 'plugin_not_installed',
      cause: '404 Not Found: ghost is not in this registry.',
    });
    expect(await change(install, ['no-plugin'])).toMatchObject({
      status: 'failed',
      cause: 'The package is not a plugin: its package.json has no "lcs".',
    });
    expect(await list()).toEqual([]);
    expect(await change(install, ['@lab/broken'])).toMatchObject({
      status: 'failed',
      cause: expect.stringMatching(/Cannot find module/),
    });
    expect(await list()).toMatchObject([{ name: '@lab/broken', error: expect.stringMatching(/Cannot find module/) }]);
  });

  it('skip plugins for leaders on a unit, as a success', async () => {
    const { tool, asked } = registry();
    world = await startPluginNode({ tool });
    const skipped = {
      status: 'succeeded',
      result: true,
      message: 'leader-thing is for leaders only: it was not installed here.',
    };
    expect(await change(install, ['leader-thing'])).toMatchObject(skipped);
    expect(asked).toEqual(['install leader-thing@latest', 'remove leader-thing']);
    await placeFiles(world.drive, { 'thing.js': 'export default { manifest: { leader_only: true } };' });
    const message = 'thing is for leaders only: it was not installed here.';
    const filepath = join(world.drive, 'thing.js');
    expect(await world.ended(world.unit.api.call(fromUsb, { body: { filepath } }))).toMatchObject({
      ...skipped,
      message,
    });
    expect(await list()).toEqual([]);
  });

  it('are installed from an upload or a drive, and from no other path', async () => {
    world = await startPluginNode();
    const { unit, drive, uploads } = world;
    await placeFiles(drive, {
      'demo_plug.js': small('demo-plug'),
      'bad.js': 'throw new Error("no");',
      'readme.md': '',
      'empty.js': '',
    });
    await placeFiles(unit.dataFolder, { 'secret.js': small('secret') });
    await symlink(join(unit.dataFolder, 'secret.js'), join(drive, 'link.js'));
    uploads.set('id-1', join(drive, 'demo_plug.js'));
    expect(await change(install, ['demo-plug'], { source: 'id-1' })).toMatchObject({ status: 'succeeded' });
    expect(await readFile(join(unit.dataFolder, 'plugins/demo_plug.js'), 'utf8')).toBe(small('demo-plug'));
    expect(await change(uninstall, ['demo_plug'])).toMatchObject({ message: 'demo-plug 0.1 was removed.' });

    const usb = (filepath: string) => world.ended(unit.api.call(fromUsb, { body: { filepath } }));
    expect(await usb(join(drive, 'demo_plug.js'))).toMatchObject({ status: 'succeeded', result: true });
    expect(await list()).toMatchObject([{ name: 'demo-plug' }]);
    const refused = { status: 'failed', code: 'plugin_source_unusable' };
    for (const path of ['secret.js', 'link.js', 'absent.js', '../secret.js', 'empty.js'])
      expect(await usb(join(drive, path)), path).toMatchObject(refused);
    expect(await usb(join(unit.dataFolder, 'secret.js'))).toMatchObject(refused);
    expect(await usb('demo_plug.js')).toMatchObject(refused);
    expect(await usb(join(drive, 'readme.md'))).toMatchObject(refused);
    expect(await change(install, ['x'], { source: 'no-such-upload' })).toMatchObject(refused);
    expect(await change(install, ['x'], { source: 'https://example.org/x.js' })).toMatchObject(refused);
    expect(await change(install, ['another'], { source: 'id-1' })).toMatchObject({
      status: 'failed',
      cause: 'The file is that of demo-plug.',
    });
    expect(await usb(join(drive, 'bad.js'))).toMatchObject({ status: 'failed', cause: 'It could not be loaded: no' });
    expect(await list()).toHaveLength(1);
  });

  it('keep a file of the same name that is another plugin, and replace an unusable one', async () => {
    world = await startPluginNode({ files: { 'index.js': small('first'), 'broken.js': 'throw new Error("no");' } });
    const { unit, drive, uploads } = world;
    await placeFiles(drive, { 'index.js': small('second'), 'broken.js': small('third') });
    uploads.set('second', join(drive, 'index.js')).set('third', join(drive, 'broken.js'));
    expect(await change(install, ['second'], { source: 'second' })).toMatchObject({
      status: 'failed',
      cause: expect.stringContaining('plugins/index.js'),
    });
    expect(await readFile(join(unit.dataFolder, 'plugins/index.js'), 'utf8')).toBe(small('first'));
    expect(await change(install, ['third'], { source: 'third' })).toMatchObject({ status: 'succeeded' });
    expect(await list()).toMatchObject([{ name: 'third' }, { name: 'first' }]);
  });

  it('name exactly one plugin, by a name that no tool can take for an option', async () => {
    world = await startPluginNode();
    const call = (operation: typeof install | typeof uninstall, body: object) =>
      world.unit.api.call(operation, { body });
    for (const operation of [install, uninstall]) {
      expect((await call(operation, {})).expect(400, 'plugin_args_invalid')).toMatchObject({ cause: /got 0/ });
      expect((await call(operation, { args: ['a', 'b'] })).expect(400, 'plugin_args_invalid')).toMatchObject({
        cause: 'args: exactly one name is expected, got 2.',
      });
      for (const name of ['--global', '-x', '../up', 'a b', 'a/b', '', 'x@1', 'http://x', '@Up/x'])
        (await call(operation, { args: [name] })).expect(400, 'plugin_name_invalid');
      (await call(operation, { args: 'a' })).expect(400, 'invalid_body');
    }
    const version = (text: string) => call(install, { args: ['a'], options: { version: text } });
    for (const text of ['--x', '1.0 || 2', 'file:../x']) (await version(text)).expect(400, 'plugin_version_invalid');
    (await world.unit.api.call(fromUsb, { body: {} })).expect(400, 'invalid_body');
    (await world.unit.api.call(fromUsb, { body: { filepath: '/x', extra: 1 } })).expect(400, 'invalid_body');
  });

  it('are refused unless they are allowed, and always while the marker exists', async () => {
    world = await startPluginNode({ config: '[plugins]\nallow_install=0\n' });
    const { unit } = world;
    const everything = async (cause: RegExp) => {
      for (const operation of [install, uninstall])
        expect((await unit.api.call(operation, { body: {} })).expect(403, 'plugin_changes_forbidden')).toMatchObject({
          cause: expect.stringMatching(cause),
        });
      (await unit.api.call(fromUsb, { body: { filepath: '/x' } })).expect(403, 'plugin_changes_forbidden');
    };
    await everything(/allow_install=1/);
    await world[Symbol.asyncDispose]();
    world = await startPluginNode();
    await mkdir(join(world.unit.dataFolder, 'DISALLOW_UI_INSTALLS'));
    const refused = await world.unit.api.call(install, { body: {} });
    expect(refused.expect(403, 'plugin_changes_forbidden')).toMatchObject({
      cause: 'The data folder of this node has the marker DISALLOW_UI_INSTALLS.',
      status: 403,
    });
  });
});

it('waits for its turn: changes of plugins come one after the other', async () => {
  const { tool } = registry();
  const gate = Promise.withResolvers<void>();
  const slow: PackageTool = {
    ...tool,
    install: async (...given) => {
      await gate.promise;
      await tool.install(...given);
    },
  };
  world = await startPluginNode({ tool: slow });
  const call = () => world.unit.api.call('installPlugin', { body: { args: ['bubbler'] } });
  const first: unknown = (await call()).expect(202);
  const second = (await call()).expect(202);
  const taskOf = (accepted: unknown) => String(Object(accepted).task_id);
  const poll = async (accepted: unknown) =>
    (await world.unit.api.call('getTaskResult', { params: { task_id: taskOf(accepted) } })).expect(202);
  expect(await poll(first)).toMatchObject({ status: 'running', message: expect.stringContaining('bubbler') });
  expect(await poll(second)).toMatchObject({ status: 'pending' });
  gate.resolve();
  for (const accepted of [first, second]) expect(await world.unit.finished(accepted)).toMatchObject({ result: true });
});

describe('routes of plugins', () => {
  const schema = "{ type: 'object' }";
  // Like an endless loop, without its processor time.
  const hang = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
  const routes = `routes: [
    { method: 'GET', path: 'echo', summary: 'what was asked', query: { type: 'object', required: ['word'] }, response: ${schema},
      handle: ({ query }, { unit, config }) => ({ query, unit, allowed: config.plugins.allow_install }) },
    { method: 'POST', path: 'twice', summary: 'doubles', response: ${schema}, handle: ({ body }) => ({ twice: body.n * 2 }) },
    { method: 'GET', path: 'throws', summary: 'fails', response: ${schema}, handle() { throw new Error('out of air'); } },
    { method: 'GET', path: 'loops', summary: 'hangs', response: ${schema}, handle() { ${hang} } },
    { method: 'GET', path: 'lies', summary: 'answers otherwise', response: ${schema}, handle: () => 7 },
    { method: 'GET', path: 'exits', summary: 'ends', response: ${schema}, handle: () => process.exit(4) },
  ]`;
  const ask = (route: string, query: Record<string, string> = {}) =>
    world.unit.api.call('askPlugin', { params: { plugin: 'echo', route }, query });

  it('are answered in a process of their own, which may fail', async () => {
    const files = { 'echo.js': `export default { ${routes} };` };
    world = await startPluginNode({ files, limits: { silentMs: 6_000, idleMs: 100 } });
    await eventually(async () => expect((await list())[0]).not.toHaveProperty('error'));
    expect((await ask('echo', { word: 'hi' })).expect(200)).toEqual({
      query: { word: 'hi' },
      unit: 'unit1',
      allowed: '1',
    });
    (await ask('echo')).expect(400, 'plugin_request_invalid');
    const twice = await world.unit.api.call('callPlugin', {
      params: { plugin: 'echo', route: 'twice' },
      body: { n: 21 },
    });
    expect(twice.expect(200)).toEqual({ twice: 42 });
    expect((await ask('throws')).expect(500, 'plugin_failed')).toMatchObject({ cause: 'out of air' });
    expect((await ask('lies')).expect(500, 'plugin_failed')).toMatchObject({
      cause: expect.stringContaining('expected object, got integer'),
    });
    expect((await ask('exits')).expect(500, 'plugin_failed')).toMatchObject({
      cause: 'Its process ended with exit code 4.',
    });
    expect((await ask('loops')).expect(500, 'plugin_failed')).toMatchObject({
      cause: expect.stringMatching(/did not respond/),
    });
    expect((await ask('echo', { word: 'still' })).expect(200)).toMatchObject({ query: { word: 'still' } });
    (await ask('nothing')).expect(404, 'plugin_route_not_found');
    (await world.unit.api.call('askPlugin', { params: { plugin: 'ghost', route: 'x' } })).expect(
      404,
      'plugin_not_found',
    );
    const post = { params: { plugin: 'echo', route: 'echo' }, body: {} };
    (await world.unit.api.call('callPlugin', post)).expect(404, 'plugin_route_not_found');
  });
});

describe('automations of plugins', () => {
  const automation = (job: string, name: string) => `{ job: '${job}', name: '${name}', help: 'holds',
    settings: { target: { type: 'float', default: 30 }, seen: { type: 'float', readOnly: true } },
    options: { target: { type: 'float', required: true } },
    async start(context) {
      context.publish('target', context.options.target);
      context.onReading('temperature', ({ value }) => context.publish('seen', value));
      context.event('NoEvent', { target: context.options.target }, 'begun');
      return { apply: async ({ target }) => { if (target > 50) throw new Error('too hot for me'); } };
    } }`;

  it('are listed with those of the program, and run like them', async () => {
    const both = [automation('temperature_automation', 'gentle'), automation('dosing_automation', 'sipping')];
    world = await startPluginNode({ files: { 'gentle.js': `export default { automations: [${both.join(',')}] };` } });
    const { unit } = world;
    await eventually(async () => expect((await list())[0]).not.toHaveProperty('error'));
    const kinds = (await unit.client.getCapabilities())
      .filter(({ job_name }) => /^(temperature|dosing)_automation$/.test(job_name))
      .map(({ job_name, automation_name }) => `${job_name} ${automation_name}`);
    expect(kinds).toEqual(
      expect.arrayContaining([
        'dosing_automation sipping',
        'temperature_automation gentle',
        'temperature_automation thermostat',
      ]),
    );
    const job = 'temperature_automation';
    expect(await world.start(job, { automation_name: 'gentle', target: 37 })).toMatchObject({ status: 'succeeded' });
    const settings = () => unit.client.getJobSettings({ params: { job_name: job } });
    expect(await settings()).toMatchObject({ settings: { $state: 'ready', automation_name: 'gentle', target: 37 } });
    const uninstall = unit.api.call('uninstallPlugin', { body: { args: ['gentle'] } });
    expect(await world.ended(uninstall)).toMatchObject({ code: 'plugin_in_use', cause: `Running: ${job} (gentle).` });
    const set = (target: number) =>
      unit.api.call('updateJobSettings', { params: { job_name: job }, body: { settings: { target } } });
    (await set(40)).expect(202);
    expect(await settings()).toMatchObject({ settings: { target: 40 } });
    expect((await set(60)).expect(500, 'job_failed')).toMatchObject({ cause: 'too hot for me' });
    await world.ended(unit.api.call('stopAllJobs', {}));
    await unit.clock.advance(1_000);
    const builtIn = { automation_name: 'only_record_temperature' };
    expect(await world.start(job, builtIn)).toMatchObject({ status: 'succeeded' });
  });
});
