import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startStandInLeader, temporaryFolder } from '@lcs/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../cluster/units/eventually.ts';
import { type PluginNode, placeFiles, startPluginNode } from './plugin-node.ts';

const example = 'examples/plugins/air-bubbler';
const config = `[plugins]
allow_install=1

[PWM]
1=air_bubbler

[od_config.photodiode_channel]
1=90
2=REF

[air_bubbler.config]
pre_delay_duration=1
post_delay_duration=0.5
`;

let world: PluginNode;
beforeEach(async () => {
  world = await startPluginNode({ config });
});
afterEach(() => world[Symbol.asyncDispose]());

const plugin = { plugin: 'air-bubbler' };
const state = async () =>
  (await world.unit.api.call('askPlugin', { params: { ...plugin, route: 'state' } })).expect(200);
const install = (source: string) =>
  world.ended(world.unit.api.call('installPlugin', { body: { args: ['air-bubbler'], options: { source } } }));
const uninstall = () => world.ended(world.unit.api.call('uninstallPlugin', { body: { args: ['air-bubbler'] } }));

it('is installed as a file, bubbles between readings of optical density, and is removed completely', async () => {
  const { unit } = world;
  world.uploads.set('upload-1', join(process.cwd(), example, 'index.js'));
  expect(await install('upload-1')).toMatchObject({
    status: 'succeeded',
    result: true,
    message: 'air-bubbler 1.0.0 is installed. It adds jobs: air_bubbler.',
  });
  expect(await unit.client.getCapabilities()).toContainEqual(
    expect.objectContaining({
      job_name: 'air_bubbler',
      help: 'Drives an air pump, except around readings of the optical density.',
      options: [expect.objectContaining({ name: 'duty_cycle', type: 'float range' })],
      published_settings: expect.objectContaining({ duty_cycle: { datatype: 'float', settable: true, unit: '%' } }),
    }),
  );
  const descriptors = (await unit.api.call('listNodeJobDescriptors')).expect(200);
  expect(descriptors).toContainEqual(expect.objectContaining({ job_name: 'air_bubbler', source: 'air-bubbler' }));

  expect(await state()).toEqual({ unit: 'unit1', is_running: false, is_bubbling: false, duty_cycle: null });
  expect(await world.start('air_bubbler', { duty_cycle: 45 })).toMatchObject({ status: 'succeeded' });
  await unit.clock.advance(100);
  expect(world.duties.at(-1)).toBe(45);
  expect(await state()).toEqual({ unit: 'unit1', is_running: true, is_bubbling: true, duty_cycle: 45 });

  expect(await world.start('od_reading', { interval: 10 })).toMatchObject({ status: 'succeeded' });
  await unit.clock.advance(12_000);
  const before = world.duties.length;
  await unit.clock.advance(30_000);
  // Three readings: the bubbler is off before each, and on again after it.
  expect(world.duties.slice(before).filter((duty, index, all) => duty !== all[index - 1])).toEqual(
    expect.arrayContaining([0, 45]),
  );
  expect(world.duties.slice(before).filter((duty, index, all) => duty === 0 && all[index - 1] !== 0)).toHaveLength(3);

  const change = (duty_cycle: number) =>
    unit.api.call('updateJobSettings', { params: { job_name: 'air_bubbler' }, body: { settings: { duty_cycle } } });
  (await change(60)).expect(202);
  expect(await change(0).then((answer) => answer.expect(400, 'job_setting_invalid'))).toMatchObject({
    cause: 'The duty cycle must be above 0 %. Pause or stop the job instead.',
  });
  expect(await unit.client.getJobSettings({ params: { job_name: 'air_bubbler' } })).toMatchObject({
    settings: { duty_cycle: 60 },
  });

  expect(await uninstall()).toMatchObject({ status: 'failed', code: 'plugin_in_use', cause: 'Running: air_bubbler.' });
  await world.ended(unit.api.call('stopAllJobs', {}));
  expect(world.duties.at(-1)).toBe(0);
  expect(await uninstall()).toMatchObject({
    status: 'succeeded',
    result: true,
    message: 'air-bubbler 1.0.0 was removed.',
  });
  expect((await unit.api.call('listInstalledPlugins')).expect(200)).toEqual([]);
  (await unit.api.call('runJob', { params: { job: 'air_bubbler' }, body: {} })).expect(404, 'job_unknown');
  expect(await readdir(join(unit.dataFolder, 'plugins/ui/jobs'))).toEqual([]);
  expect(await readdir(join(unit.dataFolder, 'plugins/exportable_datasets'))).toEqual([]);
}, 60_000);

it('is installed as a package by npm, and answers requests as it declares', async () => {
  await using packed = await temporaryFolder('packed');
  await promisify(execFile)('npm', ['pack', '--pack-destination', packed.path], { cwd: example });
  world.uploads.set('upload-2', join(packed.path, 'air-bubbler-1.0.0.tgz'));
  expect(await install('upload-2')).toMatchObject({ status: 'succeeded', result: true });
  expect((await world.unit.api.call('listInstalledPlugins')).expect(200)).toEqual([
    {
      name: 'air-bubbler',
      version: '1.0.0',
      description: 'Bubbles air through the culture and pauses during readings of the optical density',
      homepage: null,
      source: 'package',
      author: 'Leader Control Service',
    },
  ]);
  const flow = (body: object) => world.unit.api.call('callPlugin', { params: { ...plugin, route: 'flow' }, body });
  expect((await flow({ duty_cycle: 100 })).expect(200)).toEqual({ litres_per_minute: 0.5 });
  expect((await flow({ duty_cycle: 'much' })).expect(400, 'plugin_request_invalid')).toMatchObject({
    cause: 'expected number, got string at $.duty_cycle',
  });
  expect(await world.start('air_bubbler')).toMatchObject({ status: 'succeeded' });
  await world.ended(world.unit.api.call('stopAllJobs', {}));
  expect(await uninstall()).toMatchObject({ status: 'succeeded', message: 'air-bubbler 1.0.0 was removed.' });
  expect((await world.unit.api.call('listInstalledPlugins')).expect(200)).toEqual([]);
}, 60_000);

it('continues after a restart of the node', async () => {
  await using folder = await temporaryFolder('kept');
  const text = await readFile(join(example, 'index.js'), 'utf8');
  await using leader = await startStandInLeader();
  const kept = { config, leader, dataFolder: folder.path };
  const first = await startPluginNode({ ...kept, files: { 'air_bubbler.js': text } });
  await eventually(async () =>
    expect(await first.unit.client.listInstalledPlugins()).toMatchObject([{ name: 'air-bubbler' }]),
  );
  expect(await first.start('air_bubbler', { duty_cycle: 70 })).toMatchObject({ status: 'succeeded' });
  await first[Symbol.asyncDispose]();
  await using second = await startPluginNode(kept);
  await eventually(async () => {
    const running = await second.unit.client.listRunningJobsByName({ params: { job: 'air_bubbler' } });
    expect(running).toMatchObject([{ state: 'ready', job_source: 'resume' }]);
  });
  await second.unit.clock.advance(100);
  await eventually(() => expect(second.duties.at(-1)).toBe(70));
}, 60_000);

it('runs the example of docs/plugins.md unchanged', async () => {
  const manual = await readFile('docs/plugins.md', 'utf8');
  const text = /```js\n([\s\S]+?)```/.exec(manual)?.[1] ?? '';
  await placeFiles(join(world.unit.dataFolder, 'plugins'), { 'rocker.js': text.replaceAll('pwm3', 'pwm1') });
  await eventually(async () => {
    const [listed] = await world.unit.client.listInstalledPlugins();
    expect(listed).toMatchObject({ name: 'rocker', version: '1.0.0' });
    expect(listed).not.toHaveProperty('error');
  });
  expect(await world.start('rocker', { interval: 5 })).toMatchObject({ status: 'succeeded' });
  await world.unit.clock.advance(10_600);
  expect(world.duties.filter((duty) => duty === 80)).toHaveLength(2);
  expect(world.duties.at(-1)).toBe(0);
}, 60_000);
