import { permissions } from '@lcs/contract';
import { expect, it } from 'vitest';
import { chosenPermissions } from './permission-choice.ts';

it('a token reads, does everything, or has what is ticked', () => {
  const all = Object.keys(permissions);
  const read = chosenPermissions('read', all, ['jobs.run']);
  expect(read).toContain('jobs.read');
  expect(read).not.toContain('jobs.run');
  expect(chosenPermissions('all', all, [])).toEqual(all);
  expect(chosenPermissions('choose', all, ['jobs.run'])).toEqual(['jobs.run']);
});
