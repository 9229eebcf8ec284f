import { join } from 'node:path';
import { ApiError, type ExportFormat } from '@lcs/contract';
import { type UsbTarget, usbLock } from '@lcs/node';
import { inside, PathOutside, type TaskContext, type TaskKind } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import type { DatasetCatalog } from '../datasets/dataset-catalog.ts';
import type { DatasetThreads } from './dataset-threads.ts';
import type { ExportOrder, SkippedDataset } from './export-protocol.ts';
import { type ExportsFolder, exportName, prepareFolder, UnfinishedExport } from './exports-folder.ts';
import type { ExportLimits } from './resource-limits.ts';

/** Input of an export task. */
export type ExportInput = {
  readonly datasets: readonly string[];
  /** Null: all of them. */
  readonly experiments: readonly string[] | null;
  readonly by_unit: boolean;
  readonly by_experiment: boolean;
  /** Milliseconds since 1970 UTC, inclusive. */
  readonly from: number | null;
  readonly to: number | null;
  readonly format: ExportFormat;
};

export interface ExportParts {
  readonly context: Pick<LeaderContext, 'change' | 'clock' | 'newId'>;
  readonly catalog: DatasetCatalog;
  readonly threads: DatasetThreads;
  readonly folder: ExportsFolder;
  readonly usb: UsbTarget;
  readonly limits: () => ExportLimits;
  readonly version: string;
  /** Zone of local times in the files; absent: the machine's. */
  readonly timeZone?: string;
}

/** Only one export at a time uses the leader's disk. */
const exportLock = 'export-data-lock';
/** Below the mount point of a drive. */
const usbFolder = ['reactor', 'exports'];

export interface ExportTasks {
  readonly toFolder: TaskKind<ExportInput>;
  readonly toUsb: TaskKind<ExportInput>;
}

/** The export tasks; register them before the tasks start. */
export function exportTasks(parts: ExportParts): ExportTasks {
  return {
    toFolder: {
      kind: 'export_datasets',
      lock: exportLock,
      run: async (input, task) => {
        const name = exportName(parts.context.clock.now(), parts.context.newId);
        const { result } = await exported(parts, input, task, { name, target: parts.folder.begin(name) });
        await parts.folder.prune(name);
        return result;
      },
    },
    toUsb: {
      kind: 'export_datasets_to_usb',
      locks: () => [exportLock, usbLock],
      run: async (input, task) => {
        const { mountpoint } = await parts.usb.place();
        const folder = await folderOnDrive(mountpoint);
        await prepareFolder(folder);
        const name = exportName(parts.context.clock.now(), parts.context.newId);
        const { result, path } = await exported(parts, input, task, {
          name,
          target: new UnfinishedExport(folder, name),
        });
        return { ...result, path };
      },
    },
  };
}

/** A drive may contain links to any folder of this machine. @throws ApiError usb_unusable */
async function folderOnDrive(mountpoint: string): Promise<string> {
  try {
    await inside(mountpoint, join(...usbFolder));
  } catch (error) {
    if (error instanceof PathOutside) throw new ApiError('usb_unusable', { cause: error.message });
    throw error;
  }
  return join(mountpoint, ...usbFolder);
}

/** The requested datasets, divided into existing and unknown ones. */
async function chosen(catalog: DatasetCatalog, names: readonly string[]) {
  const found = await catalog.find(names);
  const datasets = [
    ...new Map(found.flatMap((one) => (one ? [[one.descriptor.dataset_name, one] as const] : []))).values(),
  ];
  const skipped: SkippedDataset[] = names
    .filter((_, index) => found[index] === undefined)
    .map((name) => ({ dataset_name: name, reason: 'There is no dataset of this name.' }));
  if (datasets.length === 0) throw new ApiError('datasets_unknown', { datasets: names });
  return { datasets, skipped };
}

async function orderOf(parts: ExportParts, input: ExportInput, path: string): Promise<ExportOrder> {
  const { datasets, skipped } = await chosen(parts.catalog, input.datasets);
  return {
    path,
    format: input.format,
    datasets,
    skipped,
    selected: input.datasets,
    experiments: input.experiments ?? undefined,
    byUnit: input.by_unit,
    byExperiment: input.by_experiment,
    ...(input.from === null ? {} : { fromMs: input.from }),
    ...(input.to === null ? {} : { toMs: input.to }),
    nowMs: parts.context.clock.now(),
    ...(parts.timeZone === undefined ? {} : { timeZone: parts.timeZone }),
    appVersion: parts.version,
    limits: parts.limits(),
  };
}

async function exported(
  parts: ExportParts,
  input: ExportInput,
  task: TaskContext,
  { name, target }: { readonly name: string; readonly target: UnfinishedExport },
) {
  const order = await orderOf(parts, input, target.path);
  await logInfo(parts, `Exporting ${order.datasets.length} datasets to ${name}.`);
  try {
    const done = await parts.threads.run(
      { is: 'export', order },
      { signal: task.signal, onProgress: (fraction, message) => task.progress(fraction, message) },
    );
    if (done.is !== 'exported') throw new Error('The thread returned an unexpected reply.');
    const path = await target.finish();
    const { bytes, sha256, rowCount } = done.file;
    const skipped = done.file.skipped.map(({ dataset_name }) => dataset_name);
    await logInfo(parts, `Exported ${rowCount} rows to ${name}.`);
    task.progress(1, `${rowCount} rows in all.`);
    return {
      path,
      result: { result: true, filename: name, msg: 'Finished', bytes, sha256, row_count: rowCount, skipped },
    };
  } catch (error) {
    await target.discard();
    throw error;
  }
}

const logInfo = ({ context }: ExportParts, message: string): Promise<void> =>
  context.change((_, effects) => effects.logEvent({ level: 'INFO', message, task: 'export_datasets' }));
