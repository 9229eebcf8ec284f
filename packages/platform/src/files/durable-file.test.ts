import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeTemporaryFiles, writeFileDurably } from './durable-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lcs-file-'));
});
afterEach(() => rm(folder, { recursive: true }));

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe('a durable write', () => {
  it('creates the file with the requested mode, whatever the umask', async () => {
    const path = join(folder, 'leader.ini');
    await writeFileDurably(path, 'å\n', { mode: 0o666 });
    expect(await readFile(path, 'utf8')).toBe('å\n');
    expect(await modeOf(path)).toBe(0o666);
  });

  it('keeps a new file to its owner, and the mode of the file that it replaces', async () => {
    const path = join(folder, 'config.ini');
    await writeFileDurably(path, 'a');
    expect(await modeOf(path)).toBe(0o600);
    await chmod(path, 0o640);
    await writeFileDurably(path, 'b');
    expect(await modeOf(path)).toBe(0o640);
    expect(await readFile(path, 'utf8')).toBe('b');
  });

  it('passes its named points with the old file whole before, and the new file whole after', async () => {
    const path = join(folder, 'config.ini');
    await writeFile(path, 'old');
    const points: [string, string][] = [];
    await writeFileDurably(path, 'new', { probe: (point) => points.push([point, readFileSync(path, 'utf8')]) });
    expect(points).toEqual([
      ['file.temp_written', 'old'],
      ['file.renamed', 'new'],
    ]);
    const cut = writeFileDurably(path, 'never', {
      probe: () => {
        throw new Error('power cut');
      },
    });
    await expect(cut).rejects.toThrow('power cut');
    expect(await readFile(path, 'utf8')).toBe('new');
  });

  it('leaves nothing behind when it fails', async () => {
    await expect(writeFileDurably(join(folder, 'missing', 'x'), 'x')).rejects.toThrow('ENOENT');
    await expect(writeFileDurably(folder, 'x', { mode: 0o600 })).rejects.toThrow();
    expect(await readdir(folder)).toEqual([]);
    const siblings = await readdir(tmpdir());
    expect(siblings.filter((name) => name.startsWith(`.${folder.split('/').at(-1)}`))).toEqual([]);
  });

  it('ends with one of the texts, whole, when several write at once', async () => {
    const path = join(folder, 'config.ini');
    const texts = Array.from({ length: 8 }, (_, index) => `${index}`.repeat(10_000));
    await Promise.all(texts.map((text) => writeFileDurably(path, text)));
    expect(texts).toContain(await readFile(path, 'utf8'));
    expect(await readdir(folder)).toEqual(['config.ini']);
  });
});

describe('the clean-up of cut writes', () => {
  it('removes their temporary files and nothing else', async () => {
    await writeFile(join(folder, '.config.ini.0123456789ab.tmp'), 'half');
    await writeFile(join(folder, '.hidden.tmp'), 'of the user');
    await writeFile(join(folder, 'config.ini'), 'whole');
    await removeTemporaryFiles(folder);
    expect((await readdir(folder)).sort()).toEqual(['.hidden.tmp', 'config.ini']);
  });
});
