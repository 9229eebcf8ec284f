import { ApiError, ExportResult, hasShape, type OldExportResult } from '@lcs/contract';
import type { TaskKind, TaskRunner } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import type { ExportInput } from './export-tasks.ts';

/** Time limit of older clients. */
const limitMs = 300_000;

interface AtOnce {
  readonly kind: TaskKind<ExportInput>;
  readonly input: ExportInput;
  readonly signal: AbortSignal;
}

/**
 * Exports and waits for the end, as older clients expect it.
 * @throws ApiError export_still_running, export_failed
 */
export async function exportedAtOnce(
  { tasks, wire }: Pick<LeaderContext, 'tasks' | 'wire'>,
  { kind, input, signal }: AtOnce,
): Promise<OldExportResult> {
  const ended = Promise.withResolvers<void>();
  const finished = new Set<string>();
  let waitsFor: string | undefined;
  const stopListening = tasks.onChange(({ taskId, finishedAt }) => {
    if (finishedAt === null) return;
    finished.add(taskId);
    if (taskId === waitsFor) ended.resolve();
  });
  const leave = () => ended.reject(signal.reason);
  signal.addEventListener('abort', leave);
  const cancelLimit = wire.after(limitMs, () => ended.resolve());
  try {
    const { taskId } = await tasks.submit(kind, input);
    waitsFor = taskId;
    if (!finished.has(taskId)) await ended.promise;
    return resultOf(await tasks.get(taskId), taskId);
  } finally {
    cancelLimit();
    signal.removeEventListener('abort', leave);
    stopListening();
  }
}

function resultOf(record: Awaited<ReturnType<TaskRunner['get']>>, taskId: string): OldExportResult {
  if (record === undefined || record.finishedAt === null) throw new ApiError('export_still_running', { taskId });
  if (record.status === 'failed') {
    const { error, cause } = record.error;
    throw new ApiError('export_failed', { cause: cause === error ? error : `${error} ${cause}` });
  }
  const { result } = record;
  if (!hasShape(ExportResult, result)) throw new Error('An export ended without a file.');
  return { result: true, filename: result.filename, msg: 'Finished' };
}
