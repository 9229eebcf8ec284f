import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryLog } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { UnitConfig } from './unit-config.ts';

async function testConfig(files: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-config-'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const log = memoryLog();
  const config = new UnitConfig({ folder, log });
  await config.start();
  const text = (name: string) => readFile(join(folder, name), 'utf8');
  return { config, log, text, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

describe("a unit's configuration", () => {
  it("is the shared file with the unit's own laid over it key by key", async () => {
    await using test = await testConfig({
      'config.ini': '[a]\nx=1\ny=2\n',
      'unit_config.ini': '[a]\ny=3\n[b]\nz=4\n',
    });
    expect(test.config.view()).toEqual({ a: { x: '1', y: '3' }, b: { z: '4' } });
  });

  it('is empty on a new unit', async () => {
    await using test = await testConfig();
    expect([test.config.view(), test.config.text('shared')]).toEqual([{}, '']);
  });

  it('is on disk, byte for byte, once it is in force', async () => {
    await using test = await testConfig({ 'unit_config.ini': '[a]\nx=2\n' });
    const text = '; mine\r\n[a]\r\nx = 1\r\ny: 5';
    await test.config.replace('shared', text);
    expect(await test.text('config.ini')).toBe(text);
    expect(test.config.view()).toEqual({ a: { x: '2', y: '5' } });
  });

  it('is used as far as it is valid, and invalid lines are logged', async () => {
    await using test = await testConfig({ 'config.ini': 'lost\n[a]\nx=1\n' });
    expect(test.config.view()).toEqual({ a: { x: '1' } });
    expect(test.log.messages('warn')).toHaveLength(1);
  });
});
