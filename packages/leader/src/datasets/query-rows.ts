import type { Dataset } from './dataset.ts';

/** A query that somebody asks once, as a dataset: it is confined to what people may read, like those of files. */
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
