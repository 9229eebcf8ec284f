import type { ColumnKind, Dataset, DatasetColumn, DatasetReader } from './dataset.ts';

/** A column with its description for people. */
export interface DescribedColumn extends DatasetColumn {
  readonly description: string;
  readonly unit?: string;
}

export const column = (name: string, kind: ColumnKind, description: string, unit?: string): DescribedColumn => ({
  name,
  kind,
  description,
  ...(unit === undefined ? {} : { unit }),
});
export const text = (name: string, description: string) => column(name, 'text', description);
export const real = (name: string, unit: string, description: string) => column(name, 'real', description, unit);

const experiment = text('experiment', 'Name of the experiment');
const reactorUnit = text('reactor_unit', 'Name of the unit');
const timestamp = text('timestamp', 'When it happened, UTC');

/** The first columns of most datasets. */
export const unitAndTime = [experiment, reactorUnit, timestamp];
export const ofUnit = [experiment, reactorUnit];

/** The columns that an export adds to the stored ones. */
const localTimeColumn = (name: string): string => `${name}_localtime`;
export const hoursColumn = 'hours_since_experiment_created';

interface Generated {
  readonly has_experiment: boolean;
  readonly default_order_by: string;
  readonly timestamp_columns: readonly string[];
}

/** Names of the columns that an export adds, in their order. */
export const generatedColumns = (dataset: Generated): string[] => [
  ...dataset.timestamp_columns.map(localTimeColumn),
  ...(dataset.has_experiment && dataset.default_order_by !== '' ? [hoursColumn] : []),
];

const describeGenerated = (dataset: Generated): DescribedColumn[] =>
  generatedColumns(dataset).map((name) =>
    name === hoursColumn
      ? real(name, 'h', 'Time since the experiment was created')
      : text(name, `${name.replace(/_localtime$/, '')} in the time zone of the leader`),
  );

export interface BuiltInDataset {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Absent with a query. */
  readonly table?: string;
  readonly query?: string;
  readonly columns: readonly DescribedColumn[];
  readonly orderBy?: string;
  /** Default: the column of `orderBy`. */
  readonly timestamps?: readonly string[];
  readonly reader?: DatasetReader;
  readonly alwaysByUnit?: boolean;
  /** Rows name an experiment but do not belong to its data: an export contains those of all experiments. */
  readonly isOfAllExperiments?: boolean;
}

/** A built-in dataset. */
export function builtIn(definition: BuiltInDataset): Dataset {
  const { name, title, description, table, query, columns, orderBy = 'timestamp', reader = { is: 'sql' } } = definition;
  const has = (wanted: string) => columns.some((one) => one.name === wanted);
  const order = {
    has_experiment: has('experiment') && !definition.isOfAllExperiments,
    default_order_by: orderBy,
    timestamp_columns: [...(definition.timestamps ?? [orderBy])],
  };
  const described = [...columns, ...(order.has_experiment ? describeGenerated(order) : [])];
  return {
    descriptor: {
      dataset_name: name,
      display_name: title,
      description,
      has_unit: has('reactor_unit'),
      ...order,
      table: query === undefined && reader.is !== 'growth_fits' ? (table ?? name) : null,
      query: query ?? null,
      source: 'app',
      always_partition_by_unit: definition.alwaysByUnit ?? false,
      column_descriptions: Object.fromEntries(described.map((one) => [one.name, one.description])),
      column_units: Object.fromEntries(
        described.flatMap((one) => (one.unit === undefined ? [] : [[one.name, one.unit]])),
      ),
    },
    columns: columns.map(({ name, kind }) => ({ name, kind })),
    reader,
    isForeign: false,
  };
}
