import { type Service, type TaskDatabase, TaskStore } from '@lcs/platform';
import { importKindName } from './archive-handlers.ts';
import { importPlan } from './data-import.ts';
import { locks } from './node-system.ts';

/**
 * After an import, the store of tasks is that of the archive, without the task of the import: inserts it, so that clients receive its end.
 * Call this after the start of the database and before that of the task runner.
 */
export const adoptImport = (dataFolder: string, database: TaskDatabase): Service => ({
  name: 'task of an import',
  start: async () => {
    const plan = await importPlan(dataFolder);
    if (plan?.phase !== 'done') return;
    const store = new TaskStore(database);
    const { task_id: taskId, created_at_ms: createdAt } = plan;
    if ((await store.find(taskId)) !== undefined) return;
    const record = {
      taskId,
      kind: importKindName,
      locks: [locks.import],
      status: 'pending',
      progress: null,
      message: null,
      cancelRequested: false,
      startedBy: null,
      createdAt,
      startedAt: null,
      finishedAt: null,
    } as const;
    await store.write((transaction) => store.insert(transaction, record, { uploadId: '' }));
  },
  stop: async () => {},
});
