import { expect, it } from 'vitest';
import { type PluginNode, startPluginNode } from '../../routes/plugin-node.ts';
import { eventually } from '../units/eventually.ts';

const job = (name: string, start: string, more = '') =>
  `export default { jobs: [{ name: '${name}', settings: { level: { type: 'float', default: 1 } }, ${more} async start(context) { ${start} } }] };`;

/** Does not respond any more, like an endless loop, but takes no processor time. */
const hang = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';

/** Plugins as bad as they come; a good one is among them. */
const files = {
  'a_throws_at_import.js': "throw new Error('I am not ready for this world.');",
  'b_hangs_at_import.js': hang,
  'c_exits_at_import.js': 'process.exit(7);',
  'd_is_none.js': 'export const answer = 42;',
  'e_declares_nonsense.js': "export default { jobs: [{ name: 'Not A Name', start() {} }] };",
  'f_takes_a_name.js': job('stirring', ''),
  'throws_in_start.js': job('throws_in_start', "throw new Error('no pump here');"),
  'hangs_in_start.js': job('hangs_in_start', hang),
  'loops.js': job('loops', 'context.repeat(1_000, () => { for (;;); });'),
  'exits.js': job('exits', 'context.repeat(1_000, () => process.exit(3));'),
  'throws_later.js': job('throws_later', "context.repeat(1_000, () => { throw new Error('the tube has come off'); });"),
  'leaks.js': job(
    'leaks',
    "setInterval(() => { throw new Error('a forgotten timer'); }, 50); return new Promise((resolve) => setTimeout(() => resolve(undefined), 10));",
  ),
  'drives.js': job(
    'drives',
    `const lease = await context.lease(['pwm1']); await lease.set('pwm1', 60); context.repeat(1_000, () => { ${hang} });`,
    'drivesOutputs: true,',
  ),
  'undeclared.js': job('undeclared', "context.publish('colour', 'red');"),
  'steals.js': job('steals', "await context.lease(['pwm1']);"),
  'hoards.js': job('hoards', 'const all = []; for (;;) all.push(new Array(1e5).fill({ so: "much" }));'),
  'good.js': job(
    'good',
    "let count = 0; context.repeat(1_000, () => { count += 1; context.publish('level', count); });",
  ),
};

const limits = { loadMs: 2_000, silentMs: 1_000, terminateMs: 500, killMs: 1_000 };

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const errorsOf = (world: PluginNode) =>
  world.unit.log.lines.filter(({ level }) => level === 'error').map(({ fields }) => JSON.stringify(fields));

/** The job has ended with this in the log, and the node does its work. */
async function diedOf(world: PluginNode, name: string, cause: RegExp): Promise<void> {
  await eventually(async () => {
    const running = await world.unit.client.listRunningJobsByName({ params: { job: name } });
    expect(running).toEqual([]);
    expect(errorsOf(world).some((line) => line.includes(`"job":"${name}"`) && cause.test(line))).toBe(true);
  });
  expect((await world.unit.api.call('getHealth')).expect(200)).toMatchObject({ status: 'ok' });
}

it('continues with any fault of a plugin, and logs each fault', async () => {
  await using world = await startPluginNode({ files, limits });
  const { unit } = world;

  const listed = await eventually(async () => {
    const all = await unit.client.listInstalledPlugins();
    expect(all.filter(({ error }) => error === 'It is being loaded.')).toEqual([]);
    return Object.fromEntries(all.map(({ source, error }) => [source.replace('plugins/', ''), error]));
  });
  expect(listed).toEqual({
    'a_throws_at_import.js': 'It could not be loaded: I am not ready for this world.',
    'b_hangs_at_import.js': expect.stringMatching(/^It could not be loaded: It (did not respond|took longer)/),
    'c_exits_at_import.js': 'It could not be loaded: Its process ended with exit code 7.',
    'd_is_none.js': 'It could not be loaded: Its default export is not a plugin.',
    'e_declares_nonsense.js': expect.stringContaining(' at /jobs/0/name'),
    'f_takes_a_name.js': 'Its job stirring has the name of a job of the program.',
    ...Object.fromEntries(
      Object.keys(files)
        .filter((name) => !/^[a-f]_/.test(name))
        .map((name) => [name, undefined]),
    ),
  });

  expect(await world.start('good')).toMatchObject({ status: 'succeeded' });
  expect(await world.start('throws_in_start')).toMatchObject({
    status: 'failed',
    code: 'job_failed',
    cause: 'no pump here',
  });
  expect(await world.start('hangs_in_start')).toMatchObject({ status: 'failed', code: 'job_failed' });
  await diedOf(world, 'hangs_in_start', /did not respond for 1 s: an endless loop/);
  expect(await world.start('undeclared')).toMatchObject({ status: expect.stringMatching(/succeeded|failed/) });
  await diedOf(world, 'undeclared', /undeclared does not declare colour/);
  expect(await world.start('steals')).toMatchObject({
    status: 'failed',
    cause: expect.stringMatching(/drivesOutputs/),
  });
  expect(await world.start('hoards')).toMatchObject({ status: 'failed', code: 'job_failed' });
  await world.start('leaks');
  await diedOf(world, 'leaks', /a forgotten timer/);

  for (const name of ['exits', 'throws_later', 'loops', 'drives'])
    expect(await world.start(name), name).toMatchObject({ status: 'succeeded' });
  expect(world.duties.at(-1)).toBe(60);
  await unit.clock.advance(1_000);
  await diedOf(world, 'exits', /Its process ended with exit code 3/);
  await diedOf(world, 'throws_later', /the tube has come off/);
  await diedOf(world, 'loops', /did not respond/);
  await diedOf(world, 'drives', /did not respond/);
  expect(world.duties.at(-1)).toBe(0);

  await unit.clock.advance(3_000);
  const { settings } = await unit.client.getJobSettings({ params: { job_name: 'good' } });
  expect(settings).toMatchObject({ $state: 'ready', level: 4 });
}, 60_000);

it("ends a plugin's job that does not stop, with the outputs off at once", async () => {
  const stubborn = `
    export default { jobs: [{ name: 'stubborn', drivesOutputs: true, async start(context) {
      const lease = await context.lease(['pwm1']);
      await lease.set('pwm1', 40);
      context.log('INFO', 'I am ' + process.pid);
      return { stop: () => new Promise(() => {}) };
    } }] };`;
  await using world = await startPluginNode({ files: { 'stubborn.js': stubborn }, limits });
  const { unit } = world;
  await eventually(async () => expect((await unit.client.listInstalledPlugins())[0]).not.toHaveProperty('error'));
  expect(await world.start('stubborn')).toMatchObject({ status: 'succeeded' });
  expect(world.duties.at(-1)).toBe(40);
  const stopped = unit.api.call('stopJobs', { body: { job_name: 'stubborn' } });
  expect(await world.ended(stopped)).toMatchObject({ status: 'succeeded' });
  expect(world.duties.at(-1)).toBe(0);
  const log = await world.leader.read(unit.url, { wait: 0 });
  const pid = Number(/I am (\d+)/.exec(JSON.stringify(log))?.[1]);
  expect(pid).toBeGreaterThan(1);
  await eventually(() => expect(isAlive(pid)).toBe(false));
}, 60_000);

it('leaves no process of a plugin behind when the node stops, not even one that loops', async () => {
  const text = job('whirls', "context.log('INFO', 'I am ' + process.pid); context.repeat(1_000, () => { for (;;); });");
  const world = await startPluginNode({ files: { 'whirls.js': text } });
  const { unit } = world;
  await eventually(async () => expect((await unit.client.listInstalledPlugins())[0]).not.toHaveProperty('error'));
  expect(await world.start('whirls')).toMatchObject({ status: 'succeeded' });
  const pid = Number(/I am (\d+)/.exec(JSON.stringify(await world.leader.read(unit.url, { wait: 0 })))?.[1]);
  expect(isAlive(pid)).toBe(true);
  const moved = unit.clock.advance(1_000);
  const begun = performance.now();
  await world[Symbol.asyncDispose]();
  expect(isAlive(pid)).toBe(false);
  expect(performance.now() - begun).toBeLessThan(10_000);
  await moved;
}, 60_000);
