import { parseProfile } from '@lcs/domain';
import { expect, it } from 'vitest';
import { emptyProfile, nameOfCopy, readEditorSearch } from './editor-search.ts';

it('reads from the address what a new profile is a copy of', () => {
  expect(readEditorSearch({ from: 'a.yaml', copy: 'b.yaml' })).toEqual({ from: 'a.yaml' });
  expect(readEditorSearch({ from: 7, copy: 'b.yaml' })).toEqual({ copy: 'b.yaml' });
  expect(readEditorSearch({ from: '' })).toEqual({});
});

it('a copy has another name of the same kind', () => {
  expect(nameOfCopy('a.yaml')).toBe('a-copy.yaml');
  expect(nameOfCopy('b.yml')).toBe('b-copy.yml');
});

it('an empty profile is valid', () => {
  expect(parseProfile(emptyProfile).diagnostics).toEqual([]);
});
