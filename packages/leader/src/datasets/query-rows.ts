import type { Dataset } from './dataset.ts';

/** A person's query as a dataset: like those of files, it may read the public views only. */
export const sqlQueryDataset = (query: string): Dataset => ({
  descriptor: {
    dataset_name: 'query',
    display_name: 'Query',
    description: '',
    has_experiment: false,
    has_unit: false,
    default_order_by: '',
    table: null,
    query,
    source: 'asked',
    timestamp_columns: [],
    always_partition_by_unit: false,
    column_descriptions: {},
    column_units: {},
  },
  columns: undefined,
  reader: { is: 'sql' },
  isForeign: true,
});
