import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '@lcs/platform';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadIdentity } from './identity.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-identity-'));
});
afterEach(() => rm(folder, { recursive: true }));

const clock = { now: () => Date.UTC(2026, 4, 2, 10) };
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('the identity of a node', () => {
  it('is made at the first start and stays, only the boot number grows', async () => {
    const first = await loadIdentity(folder, { name: 'rx01', clock });
    expect(first).toEqual({
      id: expect.stringMatching(uuid),
      name: 'rx01',
      created: '2026-05-02T10:00:00.000Z',
      boot: 1,
    });
    const later = { now: () => clock.now() + 1000 };
    expect(await loadIdentity(folder, { name: 'rx01', clock: later })).toEqual({ ...first, boot: 2 });
    expect(await loadIdentity(folder, { name: 'renamed', clock: later })).toEqual({
      ...first,
      name: 'renamed',
      boot: 3,
    });
    expect((await stat(join(folder, 'identity.json'))).mode & 0o777).toBe(0o600);
  });

  it('never gives one boot number twice, also when a start is cut right after it was written', async () => {
    await loadIdentity(folder, { name: 'rx01', clock });
    const probe = (point: string) => {
      if (point === 'file.renamed') throw new Error('power cut');
    };
    await expect(loadIdentity(folder, { name: 'rx01', clock, probe })).rejects.toThrow('power cut');
    expect(await loadIdentity(folder, { name: 'rx01', clock })).toMatchObject({ boot: 3 });
  });

  it('is taken over from a file that has more in it, as older versions wrote', async () => {
    const first = await loadIdentity(folder, { name: 'rx01', clock });
    await writeFile(join(folder, 'identity.json'), JSON.stringify({ ...first, epoch: first.id }));
    expect(await loadIdentity(folder, { name: 'rx01', clock })).toEqual({ ...first, boot: 2 });
    expect(JSON.parse(await readFile(join(folder, 'identity.json'), 'utf8'))).not.toHaveProperty('epoch');
  });

  it.each(['', '{"id":', '{"id":"x"}', 'null'])('is not replaced when its file is damaged: %j', async (text) => {
    const path = join(folder, 'identity.json');
    await writeFile(path, text);
    const error = await loadIdentity(folder, { name: 'rx01', clock }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartupError);
    expect(String(error)).toContain(`${path} is damaged`);
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  it('reports in one sentence that it cannot be written', async () => {
    const missing = join(folder, 'missing');
    await expect(loadIdentity(missing, { name: 'rx01', clock })).rejects.toThrow(StartupError);
  });
});
