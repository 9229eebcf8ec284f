import { expect, it } from 'vitest';
import { addedColumns, cellText, previewColumns } from './preview-table.ts';

it('a preview has the columns of all rows, with their units; times are those of the files', () => {
  const about = {
    column_units: { od: 'AU' },
    column_descriptions: { od: 'Optical density' },
    timestamp_columns: ['time'],
  };
  expect(previewColumns([{ time: 1 }, { time: 2, od: 0.3 }], about)).toEqual([
    { name: 'time', unit: 'UTC', description: '' },
    { name: 'od', unit: 'AU', description: 'Optical density' },
  ]);
});

it('a preview names the columns that an export adds', () => {
  const column_descriptions = { od: 'Optical density', hours: 'Since the start' };
  const columns = [{ name: 'od', unit: 'AU', description: 'Optical density' }];
  expect(addedColumns(columns, { column_descriptions })).toEqual([{ name: 'hours', description: 'Since the start' }]);
});

it('a cell shows a value as text, and nothing for none', () => {
  expect([null, undefined, 0, 'a', true, { b: 1 }].map(cellText)).toEqual(['', '', '0', 'a', 'true', '{"b":1}']);
});
