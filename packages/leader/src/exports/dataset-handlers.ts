import { ApiError, type datasetRoutes, defaultPreviewRows, type ExportRequest, type Handlers } from '@lcs/contract';
import type { LeaderContext } from '../core/leader-context.ts';
import { acceptedTask } from '../core/tasks.ts';
import type { DatasetCatalog } from '../datasets/dataset-catalog.ts';
import { experimentKey } from '../queries/experiments.ts';
import { type DatasetThreads, estimatedDatasets, refusedDatasets } from './dataset-threads.ts';
import { exportedAtOnce } from './export-at-once.ts';
import { downloadedExport } from './export-download.ts';
import { exportInput } from './export-input.ts';
import type { RefusedDataset } from './export-protocol.ts';
import type { ExportInput, ExportTasks } from './export-tasks.ts';
import type { ExportsFolder } from './exports-folder.ts';
import { ExportsPerCaller } from './exports-per-caller.ts';

type Routes = Handlers<typeof datasetRoutes>;

export interface DatasetParts {
  readonly catalog: DatasetCatalog;
  readonly threads: DatasetThreads;
  readonly folder: ExportsFolder;
  readonly kinds: ExportTasks;
  /** What an export may take of the disk of this folder. */
  readonly availableBytes: (folder: string) => number;
}

/** Time limit of a preview: a person waits for it. */
const previewLimitMs = 10_000;

const isAmong = (refused: readonly RefusedDataset[], name: string): boolean =>
  refused.some(({ dataset }) => dataset === name);

/** @throws ApiError datasets_unknown, dataset_unreadable when none of them can be exported */
async function expectReadable(
  { catalog, threads }: Pick<DatasetParts, 'catalog' | 'threads'>,
  { datasets }: Pick<ExportInput, 'datasets'>,
  signal: AbortSignal,
): Promise<void> {
  const found = (await catalog.find(datasets)).filter((dataset) => dataset !== undefined);
  if (found.length === 0) throw new ApiError('datasets_unknown', { datasets });
  // Built-in ones are always readable.
  if (!found.every(({ isForeign }) => isForeign)) return;
  const refused = await refusedDatasets(threads, found, signal);
  const [first] = refused;
  if (first !== undefined && found.every(({ descriptor }) => isAmong(refused, descriptor.dataset_name))) {
    throw new ApiError('dataset_unreadable', first);
  }
}

const previewHandler =
  ({ catalog, threads }: DatasetParts): Routes['previewExportableDataset'] =>
  async ({ params, query, signal }) => {
    const [dataset] = await catalog.find([params.target_dataset]);
    if (dataset === undefined) throw new ApiError('dataset_not_found', { dataset: params.target_dataset });
    const order = {
      dataset,
      rows: query.n_rows ?? defaultPreviewRows,
      experiment: query.experiment,
      isNewestFirst: query.newest_first ?? false,
    };
    const reply = await threads.run({ is: 'preview', order }, { signal, limitMs: previewLimitMs });
    if (reply.is !== 'preview') throw new Error('The thread returned an unexpected reply.');
    return { status: 200, body: [...reply.rows] };
  };

/** The approximate size of an export. */
const estimateHandler =
  ({ database }: Pick<LeaderContext, 'database'>, parts: DatasetParts): Routes['estimateExport'] =>
  async ({ query, signal }) => {
    const { catalog, threads, folder, availableBytes } = parts;
    const { experiment, format = 'csv', start_time = null, end_time = null } = query;
    const names = [...new Set(query.datasets.split(',').map((name) => name.trim()))].filter((name) => name !== '');
    const files = { partition_by_unit: false, partition_by_experiment: true };
    const { from, to } = exportInput({ datasets: names, start_time, end_time, format, ...files }, [experiment]);
    const datasets = (await catalog.find(names)).filter((dataset) => dataset !== undefined);
    if (datasets.length === 0) throw new ApiError('datasets_unknown', { datasets: names });
    const known = await experimentKey(database.read, experiment).executeTakeFirst();
    if (known === undefined) throw new ApiError('experiment_not_found', { experiment });
    const window = { ...(from !== null && { fromMs: from }), ...(to !== null && { toMs: to }) };
    const order = { datasets, experiment, format, ...window };
    const estimates = await estimatedDatasets(threads, order, { signal, limitMs: previewLimitMs });
    const sum = (key: 'rows' | 'bytes' | 'zip_bytes') => estimates.reduce((total, one) => total + (one[key] ?? 0), 0);
    return {
      status: 200,
      body: {
        datasets: [...estimates],
        rows: sum('rows'),
        bytes: sum('bytes'),
        zip_bytes: sum('zip_bytes'),
        available_bytes: Math.max(0, availableBytes(folder.path)),
      },
    };
  };

/** Datasets: list, previews and exports. */
export function datasetHandlers(
  context: Pick<LeaderContext, 'leader' | 'database' | 'tasks' | 'wire'>,
  parts: DatasetParts,
): Routes {
  const { catalog, folder, kinds } = parts;
  const { leader, tasks } = context;
  const perCaller = new ExportsPerCaller(tasks);

  const list: Routes['listExportableDatasets'] = async () => ({
    status: 200,
    body: (await catalog.list()).map(({ descriptor }) => descriptor),
  });

  const preview = previewHandler(parts);

  const start = async (
    kind: ExportTasks['toFolder'],
    { experiment, ...request }: ExportRequest,
    from: Parameters<ExportsPerCaller['untilEnded']>[0] & { readonly signal: AbortSignal },
  ) => {
    const input = exportInput(request, [experiment]);
    const { taskId } = await perCaller.untilEnded(from, async () => {
      await expectReadable(parts, input, from.signal);
      return tasks.submit(kind, input);
    });
    return { status: 202, body: acceptedTask(leader, taskId) } as const;
  };

  const download: Routes['downloadExport'] = async ({ params, headers }) => {
    const found = await folder.find(params.filename);
    if (found === undefined) throw new ApiError('export_not_found', { filename: params.filename });
    return downloadedExport(params.filename, found, headers);
  };

  return {
    listExportableDatasets: list,
    listContribDatasets: list,
    previewExportableDataset: preview,
    previewContribDataset: preview,
    estimateExport: estimateHandler(context, parts),
    exportDatasets: (request) => start(kinds.toFolder, request.body, request),
    exportDatasetsToUsb: (request) => start(kinds.toUsb, request.body, request),
    exportContribDatasets: async (request) => {
      const { body, signal } = request;
      const { experiment, experiments = [], ...asked } = body;
      const isAll = experiments[0] === '<All experiments>' || (experiments.length === 0 && experiment === undefined);
      const named = experiment === undefined ? experiments : [experiment, ...experiments];
      const input = exportInput(asked, isAll ? null : [...new Set(named)]);
      const result = await perCaller.during(request, async () => {
        await expectReadable(parts, input, signal);
        return exportedAtOnce(context, { kind: kinds.toFolder, input, signal });
      });
      return { status: 200, body: result };
    },
    downloadExport: download,
    downloadMcpExport: download,
  };
}
