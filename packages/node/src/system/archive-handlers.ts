import { join } from 'node:path';
import { ApiError, type Handlers, type nodeSystemRoutes, StreamBody } from '@lcs/contract';
import { type TaskContext, toTimestamp } from '@lcs/platform';
import { checkDataArchive, unpackDataArchive } from '../archives/data-archive.ts';
import { dataFolderZip } from '../archives/data-folder-zip.ts';
import { acceptOrLocked, lockedAnswer } from './accept.ts';
import { beginImport, clearImport, importPlan, stageImport } from './data-import.ts';
import { expectFileAccess, expectUploads } from './markers.ts';
import { locks, type NodeSystemOptions } from './node-system.ts';
import { isNodeStopping, restartOwnProgram } from './own-restart.ts';
import { expectControl } from './power.ts';

type ArchiveRoutes = Pick<typeof nodeSystemRoutes, 'uploadToNode' | 'downloadDataFolder' | 'importDataFolder'>;

interface ImportInput {
  readonly [name: string]: string;
  /** Of the staged archive. */
  readonly uploadId: string;
}

export const importKindName = 'system.import';

/** The routes of uploads, the export of the data folder and its import. */
export function archiveHandlers(options: NodeSystemOptions): Handlers<ArchiveRoutes> {
  const { unit, isLeader, leader, version, dataFolder, clock, tasks, uploads, newId, uploadLimitBytes } = options;
  const importing = importKind(options);
  tasks.register(importing);
  return {
    uploadToNode: async ({ upload }) => {
      await expectUploads(dataFolder);
      const { path, uploadId, sha256 } = await upload.receive(
        uploadLimitBytes === undefined ? {} : { limitBytes: uploadLimitBytes },
      );
      return { status: 200, body: { message: 'The file has arrived.', save_path: path, upload_id: uploadId, sha256 } };
    },
    downloadDataFolder: async ({ signal }) => {
      await expectFileAccess(dataFolder);
      const metadata = {
        metadata_version: 1,
        name: unit,
        leader_hostname: leader(),
        is_leader: isLeader,
        app_version: version,
        exported_at_utc: toTimestamp(clock.now()),
      } as const;
      const workFolder = join(dataFolder, 'run', `zip-${newId()}`);
      return {
        status: 200,
        body: new StreamBody(dataFolderZip({ dataFolder, workFolder, metadata, signal })),
        headers: { 'content-disposition': `attachment; filename="${unit}_dot_reactor.zip"` },
      };
    },
    importDataFolder: async ({ upload }) => {
      await expectFileAccess(dataFolder);
      if (tasks.isBusy(locks.import)) return lockedAnswer(locks.import);
      expectControl(options, 'start itself again');
      const staged = await upload.receive();
      try {
        await checkDataArchive(staged.path, { unit, version });
        const answer = await acceptOrLocked(options, importing, { uploadId: staged.uploadId });
        if ('lock' in answer.body) await uploads.remove(staged);
        return answer;
      } catch (error) {
        await uploads.remove(staged);
        throw error;
      }
    },
  };
}

/** The task: it unpacks, requests the restart that exchanges the data, and succeeds after it. */
const importKind = (options: NodeSystemOptions) => ({
  kind: importKindName,
  lock: locks.import,
  whenBusy: 'refuse' as const,
  resumable: true,
  run: async ({ uploadId }: ImportInput, context: TaskContext) => {
    const { dataFolder, stopJobs, log } = options;
    const { taskId, signal, progress } = context;
    const plan = await importPlan(dataFolder);
    const isMine = plan?.task_id === taskId;
    if (isMine && plan.phase === 'done') {
      await clearImport(dataFolder);
      log.warn('An import replaced the data of this node', { kept: 'before-import' });
      return true;
    }
    if (!isMine) await stageArchive(options, uploadId, context);
    try {
      progress(0.9, 'Stopping jobs');
      await stopJobs();
      progress(0.95, 'Restarting');
      return await restartOwnProgram(options, signal);
    } catch (error) {
      // A remaining plan would be executed at the next start, even after this task has failed.
      if (!isNodeStopping(signal)) await clearImport(dataFolder);
      throw error;
    }
  },
});

/** Unpacks the uploaded archive beside the data, for the next start. The upload is kept only for a task that continues. */
async function stageArchive(
  { dataFolder, uploads, unit, version, clock }: NodeSystemOptions,
  uploadId: string,
  { taskId, signal, progress }: TaskContext,
): Promise<void> {
  const staged = await uploads.find(uploadId);
  if (staged === undefined)
    throw new ApiError('data_archive_invalid', { cause: 'The uploaded archive has expired and was removed.' });
  const incoming = await beginImport(dataFolder);
  try {
    progress(0, 'Unpacking');
    const toProgress = (fraction: number) => progress(fraction * 0.8, 'Unpacking');
    await unpackDataArchive(staged.path, { unit, version }, incoming, { signal, progress: toProgress });
    await stageImport(dataFolder, { task_id: taskId, created_at_ms: clock.now() });
  } catch (error) {
    await clearImport(dataFolder);
    if (!isNodeStopping(signal)) await uploads.remove(staged);
    throw error;
  }
  await uploads.remove(staged);
}
