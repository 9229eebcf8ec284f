import { expect, it } from 'vitest';
import { matchingItems, type PaletteItem } from './palette-items.ts';

const item = (group: PaletteItem['group'], label: string, hint?: string): PaletteItem => ({
  id: `${group}/${label}`,
  group,
  label,
  run: () => {},
  ...(hint !== undefined && { hint }),
});
const items = [
  item('commands', 'Add a note'),
  item('commands', 'Stop…', 'pumps, experiment, everything'),
  item('pages', 'Alarms'),
  { ...item('pages', 'Calibrations'), synonyms: 'blanks pump curves' },
  item('pages', 'Plugins', 'Settings'),
  item('experiments', 'salt stress'),
  item('experiments', 'yeast ramp 07'),
  { ...item('exports', 'Export data of yeast ramp 07'), synonyms: 'download csv' },
  { ...item('exports', 'Export data of salt stress'), synonyms: 'download csv' },
  ...Array.from({ length: 24 }, (_, index) => item('units', `unit${24 - index}`)),
];
const labels = (typed: string) => matchingItems(items, typed).map(({ label }) => label);

it('finds by the begin of the label, then of any word, then by any part', () => {
  expect(labels('al')).toEqual(['Alarms', 'Calibrations', 'salt stress', 'Export data of salt stress']);
  expect(labels('stre')).toEqual(['salt stress', 'Export data of salt stress']);
  expect(labels('ramp 0')).toEqual(['yeast ramp 07', 'Export data of yeast ramp 07']);
  expect(labels('pumps')).toEqual(['Stop…']);
  expect(labels('plu sett')).toEqual(['Plugins']);
  expect(labels('blank')).toEqual(['Calibrations']);
  expect(labels('nothing like this')).toEqual([]);
});

it('finds the exports of experiments, that of the open page first, only when a person types for them', () => {
  const exports = ['Export data of yeast ramp 07', 'Export data of salt stress'];
  expect(labels('export')).toEqual(exports);
  expect(labels('csv')).toEqual(exports);
  expect(labels('').filter((label) => label.startsWith('Export'))).toEqual([]);
});

it('shows units in natural order, and not all of many', () => {
  expect(labels(' UNIT ')).toEqual(['unit1', 'unit2', 'unit3', 'unit4', 'unit5', 'unit6', 'unit7']);
  expect(labels('unit2')).toEqual(['unit2', 'unit20', 'unit21', 'unit22', 'unit23', 'unit24']);
});

it('opens what the whole text names, before it stops it', () => {
  const stop = { ...item('jobs', 'Stop Light on rx3'), otherName: 'Light on rx3' };
  const found = (typed: string) => matchingItems([stop, item('jobs', 'Light on rx3')], typed).map(({ label }) => label);
  expect(found('light on rx3')).toEqual(['Light on rx3', 'Stop Light on rx3']);
  expect(found('stop light')).toEqual(['Stop Light on rx3']);
});

it('without a text offers something of each group, in their order', () => {
  expect(labels('').slice(0, 8)).toEqual([
    'Add a note',
    'Stop…',
    'Alarms',
    'Calibrations',
    'Plugins',
    'salt stress',
    'yeast ramp 07',
    'unit24',
  ]);
});

it('finds a unit by its name and by its label, and settings only for a text', () => {
  const labelled: PaletteItem = { ...item('units', 'NaCl B', 'unit3 · salt'), otherName: 'unit3' };
  const setting: PaletteItem = { ...item('settings', 'Evaporation', 'Vial'), synonyms: 'loss of the vial' };
  const found = (typed: string) =>
    matchingItems([item('jobs', 'Stirring on unit3'), setting, labelled], typed).map(({ label }) => label);
  expect(found('unit3')).toEqual(['NaCl B', 'Stirring on unit3']);
  expect(found('nacl b')).toEqual(['NaCl B']);
  expect(found('evap')).toEqual(['Evaporation']);
  expect(found('')).not.toContain('Evaporation');
});
