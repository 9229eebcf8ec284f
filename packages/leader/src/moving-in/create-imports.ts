import { ApiError, type Handlers, type importRoutes, type Json, type PioreactorImport } from '@lcs/contract';
import type { UploadStore } from '@lcs/node';
import type { TaskKind } from '@lcs/platform';
import { acceptedTask } from '../core/tasks.ts';
import { ImportReports } from './import-reports.ts';
import { type ImportOptions, ImportRun, type ImportTask } from './import-run.ts';
import { reportText } from './report-text.ts';
import { checkArchive, findSource } from './source-folder.ts';

export interface CreateImportsOptions extends ImportOptions {
  readonly uploads: Pick<UploadStore, 'find'>;
}

/** Imports from another system: a task, and its report. Create it before the tasks start. */
export function createImports(options: CreateImportsOptions): Handlers<typeof importRoutes> {
  const { context, uploads } = options;
  const reports = new ImportReports(context.dataFolder);

  /** The uploaded archive. @throws ApiError import_source_invalid */
  const archiveOf = async ({ folder, upload_id }: PioreactorImport): Promise<ImportTask['archive']> => {
    if ((folder === undefined) === (upload_id === undefined))
      throw new ApiError('import_source_invalid', { cause: 'Give either a folder or the ID of an upload.' });
    if (upload_id === undefined) return undefined;
    const staged = await uploads.find(upload_id);
    if (staged === undefined)
      throw new ApiError('import_source_invalid', { cause: 'There is no such upload; they are kept for 24 hours.' });
    return { path: staged.path, name: staged.fileName };
  };

  const kind: TaskKind<PioreactorImport> = {
    kind: 'import_pioreactor',
    // Rows of a deleted experiment are removed only when none is being added.
    lock: 'delete-experiment-lock',
    resumable: true,
    run: async (request, task): Promise<Json> => {
      const report = await new ImportRun(options, request, task).run(await archiveOf(request));
      await reports.save(report);
      return { import_id: report.import_id, is_verified: report.is_verified };
    },
  };
  context.tasks.register(kind);

  return {
    importPioreactor: async ({ body, caller }) => {
      const archive = await archiveOf(body);
      if (archive !== undefined) await checkArchive(archive.path);
      else if (caller.kind !== 'local') throw new ApiError('import_folder_remote', {});
      else await findSource(body.folder ?? '');
      const { taskId } = await context.tasks.submit(kind, { ...body });
      return { status: 202, body: acceptedTask(context.leader, taskId) };
    },
    listImports: async () => {
      const all = await reports.list();
      const body = all.map(({ import_id, source, is_dry_run, is_verified, ended_at }) => ({
        import_id,
        source,
        is_dry_run,
        is_verified,
        ended_at,
      }));
      return { status: 200, body };
    },
    getImport: async ({ params }) => ({ status: 200, body: await reports.get(params.import_id) }),
    getImportText: async ({ params }) => ({ status: 200, body: reportText(await reports.get(params.import_id)) }),
  };
}
