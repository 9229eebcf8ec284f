import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realClock, silentLog } from '@lcs/platform';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultPluginLimits, PluginChild, type PluginChildOptions } from './plugin-child.ts';

let folder: string;
const children: PluginChild[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-child-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('The test is over.');
    await child.ended;
  }
  await rm(folder, { recursive: true, force: true });
});

const nothing = (): null => null;
const serve: PluginChildOptions['serve'] = {
  publish: nothing,
  reading: nothing,
  event: nothing,
  log: nothing,
  repeat: nothing,
  unrepeat: nothing,
  listen: nothing,
  sleepFor: async () => 0,
  lease: () => 0,
  setOutput: nothing,
  releaseLease: nothing,
  jobSettings: nothing,
  done: nothing,
  failed: nothing,
};

async function childWith(code: string): Promise<PluginChild> {
  const entry = join(folder, 'plugin.js');
  await writeFile(entry, `${code}\nexport default {};\n`);
  const wire = realClock();
  const holds = { hold: () => () => {} };
  const child = new PluginChild({
    plugin: 'p',
    entry,
    wire,
    holds,
    log: silentLog(),
    limits: defaultPluginLimits,
    serve,
  });
  children.push(child);
  return child;
}

describe('the process of a plugin', () => {
  it('is ignored when it reports more messages than were sent', async () => {
    const child = await childWith('process.send({ seen: 1e15 });');
    expect(await child.callWithin(10_000, 'describe', null)).toMatchObject({ jobs: [] });
  });

  it('is ended when it makes more calls than allowed', async () => {
    const child = await childWith(`
      const ask = { call: 'log', id: 1, given: { level: 'INFO', message: 'again' } };
      setInterval(() => { for (let i = 0; i < 5000; i += 1) process.send(ask); }, 10);
    `);
    child.call('describe', null).catch(() => {});
    expect((await child.ended).message).toBe('It made more than 1000 calls in a second.');
  });
});
