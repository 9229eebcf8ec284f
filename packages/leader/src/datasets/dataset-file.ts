import { InvalidDescriptor, isSourceName } from '@lcs/domain';
import { descriptorReader } from '@lcs/node';
import { type Static, Type } from 'typebox';
import type { Dataset } from './dataset.ts';
import { builtIn, column, unitAndTime } from './describe-dataset.ts';

const optional = { text: Type.Optional(Type.Union([Type.String(), Type.Null()])) };

/** A dataset as people and plugins write it, in YAML. Unknown fields are ignored. */
const DatasetFile = Type.Object({
  dataset_name: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,100}$' }),
  display_name: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  has_experiment: Type.Boolean(),
  has_unit: Type.Boolean(),
  default_order_by: Type.Union([Type.String(), Type.Null()]),
  table: optional.text,
  query: optional.text,
  readings: optional.text,
  source: optional.text,
  timestamp_columns: Type.Optional(Type.Array(Type.String())),
  always_partition_by_unit: Type.Optional(Type.Boolean()),
  column_descriptions: Type.Optional(Type.Record(Type.String(), Type.String())),
  column_units: Type.Optional(Type.Record(Type.String(), Type.String())),
});
type DatasetFile = Static<typeof DatasetFile>;

function relation({ table = null, query = null, readings = null }: DatasetFile) {
  if ([table, query, readings].filter((one) => one !== null).length !== 1) {
    throw new InvalidDescriptor(
      ['dataset_name'],
      'A dataset has one of: a table, a query, the source of readings (readings).',
    );
  }
  if (readings !== null && !isSourceName(readings)) {
    throw new InvalidDescriptor(['readings'], 'The source must consist of letters, digits and underscores.');
  }
  if (query !== null && !/^\s*(select|with)\b/i.test(query)) {
    throw new InvalidDescriptor(['query'], 'The query is no SELECT.');
  }
  return { table, query: query?.trim().replace(/;+\s*$/, '') ?? null };
}

/** The readings of one source, by unit and time: for sources of plugins, which have no table. */
function readingsOf(source: string, file: DatasetFile): Dataset {
  const unit = file.column_units?.[source];
  const title = file.column_descriptions?.[source] ?? `Readings of ${source}`;
  const columns = [...unitAndTime, column(source, 'real', title, unit), column('channel', 'text', 'Channel')];
  const { descriptor, ...dataset } = builtIn({
    name: file.dataset_name,
    title: file.display_name,
    description: file.description ?? '',
    columns,
    reader: { is: 'readings', source },
    alwaysByUnit: file.always_partition_by_unit ?? false,
  });
  return { ...dataset, descriptor: { ...descriptor, table: null, source: file.source ?? 'app' } };
}

const complete = (file: DatasetFile): Dataset => {
  const relationOfFile = relation(file);
  return file.readings ? readingsOf(file.readings, file) : ofDatabase(file, relationOfFile);
};

const ofDatabase = (file: DatasetFile, relationOfFile: ReturnType<typeof relation>): Dataset => ({
  descriptor: {
    dataset_name: file.dataset_name,
    display_name: file.display_name,
    description: file.description ?? '',
    has_experiment: file.has_experiment,
    has_unit: file.has_unit,
    default_order_by: file.default_order_by ?? '',
    ...relationOfFile,
    source: file.source ?? 'app',
    timestamp_columns: file.timestamp_columns ?? [],
    always_partition_by_unit: file.always_partition_by_unit ?? false,
    column_descriptions: file.column_descriptions ?? {},
    column_units: file.column_units ?? {},
  },
  columns: undefined,
  reader: { is: 'sql' },
  isForeign: true,
});

const read = descriptorReader(DatasetFile, complete);

/** Reads a dataset from the text of a file. @throws DescriptorFileError */
export const readDatasetFile = (text: string, file: string): Dataset => ({ ...read(text), file });
