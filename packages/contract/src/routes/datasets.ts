import { Type } from 'typebox';
import {
  DatasetPreview,
  DatasetPreviewQuery,
  ExportableDataset,
  ExportEstimate,
  ExportEstimateQuery,
  ExportRequest,
  OldExportRequest,
  OldExportResult,
} from '../resources/dataset.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted, ok } from './answers.ts';

const tag = 'Datasets';

const list = {
  method: 'GET',
  tag,
  permission: 'exports.read',
  responses: ok(Type.Array(ExportableDataset)),
  errors: [],
  cache: 60,
  origin: 'specification',
} as const satisfies Partial<RouteDeclaration>;

const preview = {
  method: 'GET',
  tag,
  permission: 'exports.read',
  query: DatasetPreviewQuery,
  responses: ok(DatasetPreview),
  errors: ['dataset_not_found', 'dataset_unreadable', 'dataset_too_slow'],
  cache: 'no-store',
  origin: 'specification',
} as const satisfies Partial<RouteDeclaration>;

const start = {
  method: 'POST',
  tag,
  permission: 'exports.run',
  body: ExportRequest,
  responses: accepted,
  errors: [
    'datasets_unknown',
    'dataset_unreadable',
    'export_time_invalid',
    'export_window_reversed',
    'too_many_exports',
  ],
  cache: 'no-store',
  origin: 'specification',
} as const satisfies Partial<RouteDeclaration>;

const aboutFile =
  'The zip contains for each dataset a `schema.json` and one file, or one for each unit, and `manifest.json` with rows and SHA-256 of each file. An unknown experiment has no rows. Unknown datasets, and those with an invalid query, are listed with their reason as `skipped` in the manifest; a request without a valid dataset is refused. One export runs at a time; others wait as `pending`.';

const download = {
  method: 'GET',
  summary: 'A finished export',
  description: 'Kept for seven days, or until newer exports need the space. Supports `range` and `if-range`.',
  tag,
  permission: 'exports.read',
  responses: {
    200: { description: 'The file', schema: Type.String(), contentType: 'application/zip' },
    206: { description: 'The bytes of `range`', schema: Type.String(), contentType: 'application/zip' },
  },
  errors: ['export_not_found', 'range_not_satisfiable'],
  cache: 'no-cache',
  origin: 'extension',
} as const;

export const datasetRoutes = routes({
  listExportableDatasets: {
    ...list,
    path: '/api/datasets/exportable',
    summary: 'All datasets that can be exported',
  },
  previewExportableDataset: {
    ...preview,
    path: '/api/datasets/exportable/{target_dataset}/preview',
    summary: 'Some rows of a dataset',
  },
  estimateExport: {
    method: 'GET',
    path: '/api/datasets/exportable/estimate',
    tag,
    summary: 'The approximate size of an export, before it is started',
    description:
      'Readings are counted by their roll-ups, and the bytes of a row are those of the first thousand: a few percent off for readings, more where rows differ much.',
    permission: 'exports.read',
    query: ExportEstimateQuery,
    responses: ok(ExportEstimate),
    errors: [
      'datasets_unknown',
      'experiment_not_found',
      'dataset_too_slow',
      'export_time_invalid',
      'export_window_reversed',
    ],
    cache: 'no-store',
    origin: 'extension',
  },
  exportDatasets: {
    ...start,
    path: '/api/datasets/exportable/export',
    summary: 'Export datasets of an experiment as a zip file',
    description: `${aboutFile} The result is \`{result, filename, msg, bytes, sha256, row_count}\`; fetch the file from /exports/{filename}.`,
  },
  exportDatasetsToUsb: {
    ...start,
    path: '/api/datasets/exportable/export-to-usb',
    summary: "Export datasets to the USB device at the leader's machine",
    description: `${aboutFile} The result is that of an export, with \`path\`. Without a device the task fails.`,
  },
  downloadExport: { ...download, path: '/exports/{filename}' },
  downloadMcpExport: { ...download, path: '/mcp/artifacts/exports/{filename}' },
  listContribDatasets: {
    ...list,
    path: '/api/contrib/exportable_datasets',
    summary: 'Older name of /api/datasets/exportable',
    deprecated: true,
  },
  previewContribDataset: {
    ...preview,
    path: '/api/contrib/exportable_datasets/{target_dataset}/preview',
    summary: 'Older name of /api/datasets/exportable/{target_dataset}/preview',
    deprecated: true,
  },
  exportContribDatasets: {
    ...start,
    path: '/api/contrib/exportable_datasets/export_datasets',
    summary: 'Export datasets and wait for the file, five minutes at most',
    description:
      'As older clients do it: several experiments or all of them in one file, and the answer comes when the file is complete.',
    body: OldExportRequest,
    responses: ok(OldExportResult),
    errors: [...start.errors, 'export_failed', 'export_still_running'],
    deprecated: true,
  },
});
