import { DescriptorFileError } from '@lcs/node';
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
  it('may omit fields with a default, and have unknown fields', () => {
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

  it('may have the readings of a source, also of a plugin', () => {
    const { descriptor, columns, reader, isForeign } = readDatasetFile(file('readings: bubble_rate'), 'x.yaml');
    expect(reader).toEqual({ is: 'readings', source: 'bubble_rate' });
    expect(columns?.map(({ name }) => name)).toEqual([
      'experiment',
      'reactor_unit',
      'timestamp',
      'bubble_rate',
      'channel',
    ]);
    expect(descriptor).toMatchObject({
      has_experiment: true,
      has_unit: true,
      default_order_by: 'timestamp',
      table: null,
    });
    expect(isForeign).toBe(false);
  });

  it.each([
    [file(), 1, 'readings'],
    [file('table: a', 'query: select 1'), 1, 'readings'],
    [file('table: a', 'readings: bubble_rate'), 1, 'readings'],
    [file('readings: bubble rate'), 7, 'letters'],
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
