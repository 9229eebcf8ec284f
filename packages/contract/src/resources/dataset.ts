import { type Static, Type } from 'typebox';
import { closed, Nullable, textLimit } from './common.ts';

/** Default number of rows of a preview. */
export const defaultPreviewRows = 5;
export const mostPreviewRows = 100;

export const ExportableDataset = closed(
  {
    dataset_name: Type.String(),
    display_name: Type.String(),
    description: Type.String(),
    has_experiment: Type.Boolean({ description: 'Rows belong to experiments; if not, an export has all of them' }),
    has_unit: Type.Boolean({ description: 'Rows belong to units' }),
    default_order_by: Type.String({ description: 'The column that rows are ordered by; empty for none' }),
    table: Nullable(Type.String()),
    query: Nullable(Type.String()),
    source: Type.String({ description: '`app`, or the plugin that defines it' }),
    timestamp_columns: Type.Array(Type.String()),
    always_partition_by_unit: Type.Boolean(),
    column_descriptions: Type.Record(Type.String(), Type.String()),
    column_units: Type.Record(Type.String(), Type.String()),
  },
  { title: 'ExportableDataset' },
);
export type ExportableDataset = Static<typeof ExportableDataset>;

export const DatasetPreviewQuery = Type.Object({
  n_rows: Type.Optional(
    Type.Integer({ minimum: 1, maximum: mostPreviewRows, description: `Default ${defaultPreviewRows}` }),
  ),
  experiment: Type.Optional(Type.String({ maxLength: textLimit, description: 'Only rows of this experiment' })),
  newest_first: Type.Optional(Type.Boolean({ description: 'Default false: the first rows' })),
});
export type DatasetPreviewQuery = Static<typeof DatasetPreviewQuery>;

export const DatasetPreview = Type.Array(Type.Record(Type.String(), Type.Unknown()), {
  description: 'Rows by column name, without the columns that an export adds',
});
export type DatasetPreview = Static<typeof DatasetPreview>;

export const ExportFormat = Type.Union([Type.Literal('csv'), Type.Literal('parquet')]);
export type ExportFormat = Static<typeof ExportFormat>;

const bound = (description: string) =>
  Type.Optional(
    Nullable(
      Type.String({
        maxLength: textLimit,
        description: `${description}, inclusive; RFC 3339 with a zone. Null or absent: no limit`,
      }),
    ),
  );

const exportParts = {
  datasets: Type.Array(Type.String({ maxLength: textLimit }), {
    description: 'Names of datasets. Unknown ones are left out and listed in the manifest, unless all are unknown',
  }),
  partition_by_unit: Type.Boolean({ description: 'A file for each unit' }),
  partition_by_experiment: Type.Boolean({ description: 'Names files by the experiment' }),
  start_time: bound('Oldest moment'),
  end_time: bound('Newest moment'),
  format: Type.Optional(ExportFormat),
};

export const ExportRequest = closed(
  {
    ...exportParts,
    experiment: Type.String({
      maxLength: textLimit,
      minLength: 1,
      description: 'Its name; `$experiment` for the system log',
    }),
  },
  { title: 'ExportRequest' },
);
export type ExportRequest = Static<typeof ExportRequest>;

const estimateBound = (description: string) =>
  Type.Optional(Type.String({ maxLength: 64, description: `${description}, inclusive; RFC 3339 with a zone` }));

/** What an export would have, for an estimate of its size. */
export const ExportEstimateQuery = Type.Object({
  datasets: Type.String({ minLength: 1, maxLength: 10_000, description: 'Names of datasets, separated by commas' }),
  experiment: Type.String({ minLength: 1, maxLength: textLimit, description: 'Its name' }),
  start_time: estimateBound('Oldest moment'),
  end_time: estimateBound('Newest moment'),
  format: Type.Optional(ExportFormat),
});
export type ExportEstimateQuery = Static<typeof ExportEstimateQuery>;

const estimate = (description: string) => Nullable(Type.Integer({ minimum: 0, description }));

export const ExportEstimate = closed(
  {
    datasets: Type.Array(
      closed({
        dataset_name: Type.String(),
        rows: estimate('About so many; null: it could not be counted in time, or cannot be read'),
        bytes: estimate('Of its files'),
        zip_bytes: estimate('What they take in the zip file'),
      }),
    ),
    rows: Type.Integer({ minimum: 0, description: 'The sums of what could be counted' }),
    bytes: Type.Integer({ minimum: 0 }),
    zip_bytes: Type.Integer({ minimum: 0 }),
    available_bytes: Type.Integer({
      minimum: 0,
      description: 'On the disk of the leader, without what an export leaves free ([export] min_free_disk_mb)',
    }),
  },
  { title: 'ExportEstimate' },
);
export type ExportEstimate = Static<typeof ExportEstimate>;

/** Export request of older clients. */
export const OldExportRequest = closed(
  {
    ...exportParts,
    experiment: Type.Optional(Type.String({ maxLength: textLimit, minLength: 1 })),
    experiments: Type.Optional(
      Type.Array(Type.String({ maxLength: textLimit }), {
        description: 'Names; `<All experiments>` first means all of them',
      }),
    ),
  },
  { title: 'OldExportRequest' },
);
export type OldExportRequest = Static<typeof OldExportRequest>;

const exported = { result: Type.Literal(true), filename: Type.String(), msg: Type.String() };

/** Result of a task that exports. */
export const ExportResult = closed(
  {
    ...exported,
    bytes: Type.Integer(),
    sha256: Type.String(),
    row_count: Type.Integer(),
    skipped: Type.Array(Type.String(), { description: 'Names that no dataset has' }),
  },
  { title: 'ExportResult' },
);
export type ExportResult = Static<typeof ExportResult>;

/** Summary of a finished export; the result of its task has more. */
export const OldExportResult = closed(exported, { title: 'OldExportResult' });
export type OldExportResult = Static<typeof OldExportResult>;

/** Rates of media are means over so many hours. */
export const mediaRateHours = 3;

export const MediaRatesQuery = Type.Object({
  totals: Type.Optional(Type.Boolean({ description: 'Also `totals` of each unit. Default false' })),
});

/** Volumes by the bottles of a unit. */
export const MediaTotals = closed(
  {
    media_ml: Type.Number({ description: 'Medium that was pumped into the vial, by automations and by hand' }),
    alt_media_ml: Type.Number({ description: 'The same of the alternative medium' }),
    waste_ml: Type.Number({ description: 'Liquid that the waste pump removed, without air' }),
    media_left_ml: Nullable(Type.Number({ description: 'Last reported volume in the bottle; null: not known' })),
    alt_media_left_ml: Nullable(Type.Number({ description: 'The same of the alternative medium' })),
    waste_left_ml: Nullable(Type.Number({ description: 'Free volume of the waste bottle' })),
    media_bottle_ml: Nullable(
      Type.Number({
        description:
          'Size of the bottle by the configuration of the unit; null: none, so that its level is not monitored, or the unit is not in the experiment',
      }),
    ),
    alt_media_bottle_ml: Nullable(Type.Number({ description: 'The same of the alternative medium' })),
    waste_bottle_ml: Nullable(Type.Number({ description: 'The same of the waste bottle' })),
  },
  { title: 'MediaTotals' },
);
export type MediaTotals = Static<typeof MediaTotals>;

/** Of a unit that has moved nothing yet, and whose bottles are not known. */
export const noMediaTotals: MediaTotals = {
  media_ml: 0,
  alt_media_ml: 0,
  waste_ml: 0,
  media_left_ml: null,
  alt_media_left_ml: null,
  waste_left_ml: null,
  media_bottle_ml: null,
  alt_media_bottle_ml: null,
  waste_bottle_ml: null,
};

/** The dosing automation that a unit runs now. */
const PresentDosing = closed(
  {
    media_ml_per_hour: Nullable(
      Type.Number({
        description: `Medium that it uses, from its first dose or in the last ${mediaRateHours} hours; null: too early to say`,
      }),
    ),
  },
  { title: 'PresentDosing', description: 'Absent: no dosing automation runs' },
);

export const MediaRates = Type.Record(
  Type.String(),
  closed({
    altMediaRate: Type.Number({ description: 'mL per hour of alternative media' }),
    mediaRate: Type.Number({ description: 'mL per hour of media' }),
    totals: Type.Optional(MediaTotals),
    dosing: Type.Optional(PresentDosing),
  }),
  {
    title: 'MediaRates',
    description: `By unit, and \`all\` for their sum: doses of the dosing automations in the last ${mediaRateHours} hours, per hour`,
  },
);
export type MediaRates = Static<typeof MediaRates>;

export const HistoricalValue = closed({ key: Type.String() }, { title: 'HistoricalValue' });
export type HistoricalValue = Static<typeof HistoricalValue>;
