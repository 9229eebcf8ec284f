import { expect, it } from 'vitest';
import { systemError } from '../testing/test-kernel.ts';
import { findHat } from './hat.ts';
import type { KernelFiles } from './kernel-files.ts';
import { hat12 } from './raspberry-pi.transcript.ts';

const treeOf = (tree: Readonly<Record<string, string>>): KernelFiles => ({
  list: async () => [],
  read: async (file) => {
    const text = tree[file];
    if (text === undefined) throw systemError('ENOENT');
    return new TextEncoder().encode(text);
  },
  write: async () => {},
});

it('finds a board by its EEPROM', async () => {
  expect(await findHat(treeOf(hat12))).toEqual({ version: '1.2', serial: '5ad2e5a4-1b3f-4f2c-9d3a-000000000012' });
  expect(await findHat(treeOf({ ...hat12, 'hat/product_ver': '0x0010\0' }))).toMatchObject({ version: '1.0' });
});

it.each([
  ['no board', {}],
  ['a board of another maker', { ...hat12, 'hat/vendor': 'Another Company\0' }],
  ['another product', { ...hat12, 'hat/product_id': '0x0002\0' }],
  ['a board without a version', { ...hat12, 'hat/product_ver': '\0' }],
])('finds none where there is %s', async (_what, tree) => {
  expect(await findHat(treeOf(tree))).toBeUndefined();
});
