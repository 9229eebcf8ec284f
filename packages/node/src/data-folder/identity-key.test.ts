import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartupError } from '@lcs/platform';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isOwnFile } from '../archives/data-folder-files.ts';
import { loadIdentityKey } from './identity-key.ts';

let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-key-'));
  path = join(folder, 'storage', 'identity.pem');
});
afterEach(() => rm(folder, { recursive: true }));

describe('the key of a node', () => {
  it('is made once, for its owner alone', async () => {
    const first = await loadIdentityKey(folder);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(first.fingerprint).toMatch(/^([0-9a-f]{4} ){15}[0-9a-f]{4}$/);
    await chmod(path, 0o644);
    const second = await loadIdentityKey(folder);
    expect(second.publicKey).toBe(first.publicKey);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('is not replaced when its file is damaged', async () => {
    await loadIdentityKey(folder);
    const text = await readFile(path, 'utf8');
    for (const damaged of ['', text.slice(0, 40), text.replace('MC4', 'MC5')]) {
      await writeFile(path, damaged);
      await expect(loadIdentityKey(folder)).rejects.toThrow(StartupError);
      expect(await readFile(path, 'utf8')).toBe(damaged);
    }
  });

  it.each([
    'storage/identity.pem',
    'storage/ca-key.pem',
    'storage/server.pem',
    'storage/identity.pem.bak',
    'storage/ca-key.pem~',
  ])('is in no archive and served by no route: %s', (name) => expect(isOwnFile(name)).toBe(true));
});
