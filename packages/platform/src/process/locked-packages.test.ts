import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const repository = new URL('../../../../', import.meta.url);
const textOf = (name: string) => readFile(new URL(name, repository), 'utf8');

it('every package that is installed from outside is locked to its content', async () => {
  const { packages }: { packages: Record<string, { link?: boolean; integrity?: string }> } = JSON.parse(
    await textOf('package-lock.json'),
  );
  const unlocked = Object.entries(packages).filter(
    ([path, { link, integrity }]) =>
      path.includes('node_modules/') && link !== true && !integrity?.startsWith('sha512-'),
  );
  expect(unlocked.map(([path]) => path)).toEqual([]);
});

it('packages that are installed run no programs', async () => {
  expect((await textOf('.npmrc')).split('\n')).toContain('ignore-scripts=true');
});
