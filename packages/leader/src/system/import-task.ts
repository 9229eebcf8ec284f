import {
  AcceptedTask,
  ApiError,
  type FinishedTask,
  hasShape,
  nodeApi,
  PassedOnError,
  type StagedUpload,
} from '@lcs/contract';
import type { TaskContext } from '@lcs/platform';
import { type Static, Type } from 'typebox';
import type { LeaderContext } from '../core/leader-context.ts';
import { askUnit } from '../fleet/ask-unit.ts';
import { failed, failureText, jsonOf } from '../fleet/outcome.ts';
import type { UnitFiles } from './unit-files.ts';

interface ImportInput {
  readonly [name: string]: string;
  readonly unit: string;
  /** Of the unit. */
  readonly taskId: string;
}

const limitMs = 1_800_000;
const pollMs = 1000;
const pollLimitMs = 3000;

const Locked = Type.Object({ lock: Type.String() });

/**
 * Sends an archive to a unit, which checks it at once: returns its task, or the lock that is held there.
 * @throws PassedOnError with the unit's refusal
 * @throws ApiError unit_gave_no_answer
 */
export async function sendImport(
  files: UnitFiles,
  unit: string,
  archive: StagedUpload,
  signal: AbortSignal,
): Promise<AcceptedTask | Static<typeof Locked>> {
  const file = { field: 'archive', path: archive.path, fileName: archive.fileName };
  const { body } = await files.send(unit, '/unit_api/import_zipped_dot_reactor', file, signal);
  if (hasShape(Locked, body) || hasShape(AcceptedTask, body)) return body;
  throw new ApiError('unit_gave_no_answer', { unit, cause: 'Its answer contains no task.' });
}

/** Follows the import task of a unit, over the restart of the unit. */
export function importTask({ fleet, wire }: Pick<LeaderContext, 'fleet' | 'wire'>) {
  /** The end of the unit's task; a unit that does not answer meanwhile is restarting. */
  const follow = async (unit: string, taskId: string, signal: AbortSignal): Promise<FinishedTask | undefined> => {
    for (const begun = wire.monotonic(); wire.monotonic() - begun < limitMs; await wire.sleep(pollMs, signal)) {
      try {
        const options = { limitMs: pollLimitMs, signal };
        const task = await askUnit(fleet, unit, nodeApi.getTaskResult, { params: { task_id: taskId } }, options);
        if (task.status === 'succeeded' || task.status === 'failed') return task;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ApiError)) throw error;
      }
    }
    return undefined;
  };

  const run = async ({ unit, taskId }: ImportInput, { signal, progress }: TaskContext) => {
    try {
      progress(0.5, `${unit} is replacing its data`);
      const end = await follow(unit, taskId, signal);
      if (end === undefined) {
        const message = `The task of ${unit} has not ended.`;
        return jsonOf({ [unit]: failed(unit, 'task_timeout', { message }, 202, true) });
      }
      if (end.status === 'succeeded') return jsonOf({ [unit]: { ok: true, unit, value: end.result } });
      return jsonOf({ [unit]: failed(unit, 'task_failed', failureText(end), 200, false) });
    } catch (error) {
      if (!(error instanceof PassedOnError)) throw error;
      const { status } = error.body;
      const outcome = failed(unit, 'http_error', failureText(error.body), status, status >= 500);
      return jsonOf({ [unit]: outcome });
    }
  };
  return { kind: 'import_unit_data', lane: 'stop' as const, run };
}
