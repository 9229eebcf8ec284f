import { join } from 'node:path';
import type { DescriptorProblem, datasetRoutes, Handlers } from '@lcs/contract';
import type { NodeDescriptors, UsbTarget } from '@lcs/node';
import type { IniView, Service } from '@lcs/platform';
import type { StorePlace } from '@lcs/platform/sql-reader';
import type { LeaderContext } from '../core/leader-context.ts';
import { DatasetCatalog } from '../datasets/dataset-catalog.ts';
import { sqlQueryDataset } from '../datasets/query-rows.ts';
import { datasetHandlers } from './dataset-handlers.ts';
import { DatasetThreads, refusedDatasets, type StartDatasets } from './dataset-threads.ts';
import type { RefusedDataset } from './export-protocol.ts';
import { exportLimits, exportRetention } from './export-settings.ts';
import { exportTasks } from './export-tasks.ts';
import { ExportsFolder } from './exports-folder.ts';
import { hostResources } from './resource-limits.ts';

export interface ExportsOptions {
  readonly context: LeaderContext;
  readonly place: StorePlace;
  readonly version: string;
  /** The effective configuration. */
  readonly config: () => IniView;
  readonly usb: UsbTarget;
  readonly descriptors: Pick<NodeDescriptors, 'readingSources'>;
  /** How work on datasets is started. Default: each in a thread of its own. */
  readonly startDatasets?: StartDatasets | undefined;
  /** Zone of local times in the files; absent: the machine's. */
  readonly timeZone?: string;
}

/** Datasets, their previews and exports. */
export interface Exports {
  readonly handlers: Handlers<typeof datasetRoutes>;
  /** Finished files; for other kinds of exports, too. */
  readonly folder: ExportsFolder;
  /** Start it after the configuration and before the tasks. */
  readonly parts: readonly Service[];
  /** Invalid files of datasets, and those with an invalid query. */
  problems(): Promise<DescriptorProblem[]>;
  /**
   * Rows of a SELECT over the classic views.
   * @throws ApiError dataset_unreadable, dataset_too_slow
   */
  query(sql: string, options: QueryOptions): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

interface QueryOptions {
  readonly mostRows: number;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

const problemOf = ({ file, cause }: RefusedDataset): DescriptorProblem[] =>
  file === undefined ? [] : [{ kind: 'datasets', file, line: null, reason: cause }];

/** Creates the feature; registers the kinds of its tasks. */
export function createExports(options: ExportsOptions): Exports {
  const { context, place, version, config, usb, descriptors, startDatasets, timeZone } = options;
  const { dataFolder, clock, wire, log, tasks } = context;
  const catalog = new DatasetCatalog({ dataFolder, log, descriptors });
  const threads = new DatasetThreads({
    place,
    startDatasets,
    wire,
    log,
    statementLimitMs: () => exportLimits(config()).maxQueryMs,
  });
  const folder = new ExportsFolder({
    path: join(dataFolder, 'exports'),
    log,
    now: () => clock.now(),
    retention: () => exportRetention(config()),
  });
  const kinds = exportTasks({
    context,
    catalog,
    threads,
    folder,
    usb,
    version,
    limits: () => exportLimits(config()),
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  for (const kind of [kinds.toFolder, kinds.toUsb]) tasks.register(kind);
  return {
    handlers: datasetHandlers(context, {
      catalog,
      threads,
      folder,
      kinds,
      availableBytes: (place) => hostResources.freeDisk(place) - exportLimits(config()).minFreeDiskBytes,
    }),
    folder,
    parts: [folder, threads],
    problems: async () => {
      const refused = await refusedDatasets(threads, await catalog.list(), new AbortController().signal);
      return [...(await catalog.problems()), ...refused.flatMap(problemOf)];
    },
    query: async (sql, { mostRows, limitMs, signal }) => {
      const dataset = sqlQueryDataset(sql);
      const order = { dataset, rows: mostRows, experiment: undefined, isNewestFirst: false };
      const reply = await threads.run({ is: 'preview', order }, { signal, limitMs });
      return reply.is === 'preview' ? reply.rows : [];
    },
  };
}
