import { ApiError, FinishedTask, PassedOnError } from '@lcs/contract';
import type { TaskContext, UploadStore } from '@lcs/platform';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { failed, jsonOf } from '../../fleet/outcome.ts';
import type { LeaderContext } from '../../leader-context.ts';
import type { UnitFiles } from './unit-files.ts';

export interface ImportTaskOptions {
  readonly context: Pick<LeaderContext, 'fleet' | 'wire'>;
  readonly uploads: UploadStore;
  readonly files: UnitFiles;
}

interface ImportInput {
  readonly [name: string]: string;
  readonly unit: string;
  readonly uploadId: string;
}

const limitMs = 1_800_000;
const pollMs = 1000;
const pollLimitMs = 3000;

const Followed = Type.Object({ result_url_path: Type.String() });
const Locked = Type.Object({ lock: Type.String(), remediation: Type.String() });

/** Hands an archive to a unit and follows the unit's own task, over the restart of the unit. */
export function importTask({ context, uploads, files }: ImportTaskOptions) {
  const { fleet, wire } = context;

  /** The end of the unit's task; a unit that does not answer meanwhile is restarting. */
  const follow = async (unit: string, path: string, signal: AbortSignal): Promise<FinishedTask | undefined> => {
    for (const begun = wire.monotonic(); wire.monotonic() - begun < limitMs; await wire.sleep(pollMs, signal)) {
      try {
        const { body } = await fleet.passOn(unit, { method: 'GET', path, limitMs: pollLimitMs, signal });
        if (Value.Check(FinishedTask, body)) return body;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ApiError)) throw error;
      }
    }
    return undefined;
  };

  const run = async ({ unit, uploadId }: ImportInput, { signal, progress }: TaskContext) => {
    const archive = await uploads.find(uploadId);
    if (archive === undefined) throw new ApiError('data_archive_invalid', { cause: 'It is not kept any more.' });
    try {
      progress(0.1, `Sending the archive to ${unit}`);
      const file = { field: 'archive', path: archive.path, fileName: archive.fileName };
      const { body } = await files.send(unit, '/unit_api/import_zipped_dot_reactor', file, signal);
      if (Value.Check(Locked, body)) {
        const { lock, remediation } = body;
        return jsonOf({
          [unit]: failed(unit, 'locked', { message: `${unit} is busy (${lock}).`, remediation }, 202, true),
        });
      }
      if (!Value.Check(Followed, body)) throw new ApiError('unit_gave_no_answer', { unit, cause: 'It names no task.' });
      progress(0.5, `${unit} is replacing its data`);
      const end = await follow(unit, body.result_url_path, signal);
      if (end === undefined) {
        const message = `The task of ${unit} has not ended.`;
        return jsonOf({ [unit]: failed(unit, 'task_timeout', { message }, 202, true) });
      }
      if (end.status === 'succeeded') return jsonOf({ [unit]: { ok: true, unit, value: end.result } });
      const { error: message, cause, remediation } = end;
      return jsonOf({ [unit]: failed(unit, 'task_failed', { message, cause, remediation }, 200, false) });
    } catch (error) {
      if (!(error instanceof PassedOnError)) throw error;
      const { error: message, cause, remediation, status } = error.body;
      const outcome = failed(unit, 'http_error', { message, cause, remediation }, status, status >= 500);
      return jsonOf({ [unit]: outcome });
    } finally {
      await uploads.remove(archive);
    }
  };
  return { kind: 'import_unit_data', lane: 'stop' as const, run };
}
