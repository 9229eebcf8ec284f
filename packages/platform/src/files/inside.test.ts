import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inside, PathOutside } from './inside.ts';

let top = '';
let root = '';
beforeAll(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'lcs-inside-')));
  root = join(top, 'data');
  await mkdir(join(root, 'exports'), { recursive: true });
  await writeFile(join(root, 'config.ini'), '');
  await writeFile(join(top, 'database'), '');
  // A folder whose name begins like the root's is still outside.
  await mkdir(join(top, 'data-of-others'));
  await symlink('exports', join(root, 'latest'));
  await symlink('../data-of-others', join(root, 'neighbour'));
  await symlink('../nothing-yet', join(root, 'dangling'));
  await symlink('circle', join(root, 'circle'));
  await symlink('/', join(root, 'slash'));
  await symlink(root, join(top, 'alias'));
});
afterAll(() => rm(top, { recursive: true }));

describe('a confined path', () => {
  it('is the real path of what is inside, existing or not', async () => {
    expect(await inside(root, 'config.ini')).toBe(join(root, 'config.ini'));
    expect(await inside(root, './exports//new/file.zip')).toBe(join(root, 'exports/new/file.zip'));
    expect(await inside(root, '')).toBe(root);
    expect(await inside(root, 'config.ini/below-a-file')).toBe(join(root, 'config.ini/below-a-file'));
    expect(await inside(root, '...')).toBe(join(root, '...'));
  });

  it('follows links that stay inside, and a root that is a link itself', async () => {
    expect(await inside(root, 'latest/a.zip')).toBe(join(root, 'exports/a.zip'));
    expect(await inside(join(top, 'alias'), 'latest')).toBe(join(root, 'exports'));
  });

  it.each([
    ['/etc/passwd', 'absolute'],
    ['..', "contains '..'"],
    ['exports/../../database', "contains '..'"],
    ['exports/..', "contains '..'"],
    ['config.ini\0.zip', 'NUL'],
    ['neighbour', 'leads outside'],
    ['neighbour/file', 'leads outside'],
    ['slash/etc/passwd', 'leads outside'],
    ['dangling', 'leads nowhere'],
    ['circle', 'leads nowhere'],
  ])('refuses %j', async (path, why) => {
    const error = await inside(root, path).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PathOutside);
    expect(error).toMatchObject({ path, message: expect.stringContaining(why) });
  });

  it('never leaves the root', async () => {
    const pieces = fc.constantFrom(
      '..',
      '.',
      '',
      'exports',
      'latest',
      'neighbour',
      'slash',
      'dangling',
      'new',
      'config.ini',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 6 }), fc.string(), async (parts, last) => {
        const asked = [...parts, last].join('/');
        const path = await inside(root, asked).catch((error: unknown) => {
          if (error instanceof PathOutside) return root;
          throw error;
        });
        expect(path === root || path.startsWith(`${root}/`)).toBe(true);
      }),
    );
  });
});
