import { expect, it } from 'vitest';
import { printTable } from './output.ts';

const printed = (rows: readonly (readonly string[])[]): string => {
  let text = '';
  printTable({ stdout: { write: (part) => (text += part) } }, ['NAME', 'ID'], rows, 'None yet.');
  return text;
};

it('prints a table, or a sentence when there is nothing to list', () => {
  expect(printed([['a\u001bb', '1']])).toBe('NAME  ID\na b   1\n');
  expect(printed([])).toBe('None yet.\n');
});
