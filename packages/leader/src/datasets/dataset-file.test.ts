import { DescriptorFileError } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { readDatasetFile } from './dataset-file.ts';

const file = (...more: string[]) =>
  [
    'dataset_name: mine',
    'display_name: Mine',
    'description: null',
    'has_experiment: yes',
    'has_unit: false',
    'default_order_by: null',
    ...more,
  ].join('\n');

const faultOf = (text: string): DescriptorFileError => {
  try {
    readDatasetFile(text, 'exportable_datasets/mine.yaml');
  } catch (error) {
    if (error instanceof DescriptorFileError) return error;
  }
  throw new Error('It was expected to be refused.');
};

describe('a file of a dataset', () => {
  it('may leave out what has a default, and have fields that nobody knows', () => {
    expect(readDatasetFile(file('table: plugin_things', 'colour: red'), 'x.yaml').descriptor).toEqual({
      dataset_name: 'mine',
      display_name: 'Mine',
      description: '',
      has_experiment: true,
      has_unit: false,
      default_order_by: '',
      table: 'plugin_things',
      query: null,
      source: 'app',
      timestamp_columns: [],
      always_partition_by_unit: false,
      column_descriptions: {},
      column_units: {},
    });
    expect(readDatasetFile(file('query: "WITH q AS (SELECT 1) SELECT * FROM q; "'), 'x.yaml').descriptor.query).toBe(
      'WITH q AS (SELECT 1) SELECT * FROM q',
    );
  });

  it.each([
    [file(), 1, 'a table or a query'],
    [file('table: a', 'query: select 1'), 1, 'not both'],
    [file('query: update experiments set name = 1'), 7, 'no SELECT'],
    [file('table: [a]'), 7, 'table'],
    [file('table: a', 'timestamp_columns: at'), 8, 'timestamp_columns'],
    ['dataset_name: a/b\ndisplay_name: x', 1, ''],
    ['dataset_name: a\ndisplay_name: "x', 2, ''],
  ])('is refused with the line of its fault', (text, line, reason) => {
    const fault = faultOf(text);
    expect(fault.message).toContain(reason);
    expect(fault.line).toBe(line);
  });
});
