import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  ApiError,
  AppVersion,
  hasShape,
  isErrorBody,
  type Json,
  ownValue,
  PassedOnError,
  type StagedUpload,
  type UnitOutcome,
  Uploaded,
} from '@lcs/contract';
import { compareVersions } from '@lcs/domain';
import type { UploadStore } from '@lcs/node';
import { errnoOf, type TaskContext, untilAborted, writeFileDurably } from '@lcs/platform';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { LeaderContext } from '../core/leader-context.ts';
import { failed, jsonOf, valueIn } from '../fleet/outcome.ts';
import type { UnitFiles } from './unit-files.ts';

export interface ClusterUpdateOptions {
  readonly context: LeaderContext;
  /** Of the running program. */
  readonly version: string;
  readonly uploads: UploadStore;
  readonly files: UnitFiles;
}

export interface ClusterUpdateInput {
  readonly [name: string]: string | readonly string[];
  /** Of the verified archive. */
  readonly uploadId: string;
  readonly to: string;
  readonly units: readonly string[];
}

/** State that the restart of the leader must preserve. */
const Progress = Type.Object({
  from: Type.Record(Type.String(), Type.String()),
  outcomes: Type.Record(Type.String(), Type.Unknown()),
  has_asked_leader: Type.Boolean(),
});
type Progress = Type.Static<typeof Progress>;

const updateLimitMs = 1_800_000;

/** A release that is being installed. */
interface Release {
  readonly archive: StagedUpload;
  readonly to: string;
  readonly signal: AbortSignal;
}

/**
 * Installs a release on units: first on all workers concurrently, then on the leader. The leader's own
 * update ends this process; the task continues after it, from its state on disk and the running versions.
 */
export class ClusterUpdate {
  readonly kind = 'cluster_update';
  readonly lock = 'cluster-update-lock';
  readonly whenBusy = 'refuse';
  readonly resumable = true;
  readonly #options: ClusterUpdateOptions;

  constructor(options: ClusterUpdateOptions) {
    this.#options = options;
  }

  readonly run = async ({ uploadId, to, units }: ClusterUpdateInput, task: TaskContext): Promise<Json> => {
    const { context, uploads } = this.#options;
    const { leader, dataFolder } = context;
    const { taskId, signal, progress } = task;
    const note = join(dataFolder, 'run', `cluster-update-${taskId}.json`);
    const archive = await uploads.find(uploadId);
    if (archive === undefined) throw new ApiError('update_option_invalid', { cause: 'The archive has expired.' });
    const release = { archive, to, signal };
    let state = await readProgress(note);
    if (state === undefined) {
      progress(0.05, 'Asking for versions');
      state = { from: await this.#versionsOf(units), outcomes: {}, has_asked_leader: false };
      await saveProgress(note, state);
    }
    const { from, outcomes: done } = state;
    const workers = units.filter((unit) => unit !== leader && !Object.hasOwn(done, unit));
    if (workers.length > 0) {
      progress(0.1, `Updating workers to ${to}`);
      state = { ...state, outcomes: { ...done, ...(await this.#updateWorkers(workers, from, release)) } };
      await saveProgress(note, state);
    }
    if (units.includes(leader)) {
      progress(0.8, `Updating the leader to ${to}`);
      const own = await this.#updateLeader(state, note, release);
      state = { ...state, outcomes: { ...state.outcomes, [leader]: own } };
    }
    await rm(note, { force: true });
    const { outcomes } = state;
    return jsonOf(Object.fromEntries(units.map((unit) => [unit, outcomes[unit]])));
  };

  async #versionsOf(units: readonly string[]): Promise<Record<string, string>> {
    const outcomes = await this.#options.context.fleet.read(units, '/unit_api/versions/app');
    return Object.fromEntries(
      Object.entries(outcomes).flatMap(([unit, outcome]) => {
        const found = valueIn(outcome, AppVersion)?.version;
        return found === undefined ? [] : [[unit, found]];
      }),
    );
  }

  async #updateWorkers(workers: readonly string[], from: Progress['from'], release: Release) {
    const now = await this.#versionsOf(workers);
    const ended = await Promise.all(
      workers.map(async (unit): Promise<UnitOutcome> => {
        const before = ownValue(from, unit);
        if (before === undefined) return unreachable(unit);
        if (ownValue(now, unit) === release.to) return { ok: true, unit, value: { from: before, to: release.to } };
        return this.#updateUnit(unit, before, release);
      }),
    );
    return Object.fromEntries(ended.map((outcome) => [outcome.unit, outcome]));
  }

  async #updateUnit(unit: string, from: string, { archive, to, signal }: Release): Promise<UnitOutcome> {
    const { context, files } = this.#options;
    if (from === to) return { ok: true, unit, value: { from, to } };
    if (compareVersions(from, to) > 0) {
      const message = `${unit} runs ${from}, which is newer.`;
      return failed(unit, 'task_failed', { message }, null, false);
    }
    try {
      const path = '/unit_api/system/upload';
      const file = { field: 'file', path: archive.path, fileName: archive.fileName };
      const isLeader = unit === context.leader;
      const source = isLeader ? archive.uploadId : idOf(unit, (await files.send(unit, path, file, signal)).body);
      const body = { options: { source } };
      const command = { unit, method: 'POST', path: '/unit_api/system/update/app', body } as const;
      const sent = context.fleet.command([command], { lane: 'command', taskMs: updateLimitMs });
      return (
        ownValue(await untilAborted(signal, sent), unit) ??
        failed(unit, 'task_exception', { message: `${unit} was not contacted.` }, null, true)
      );
    } catch (error) {
      signal.throwIfAborted();
      return refused(unit, error);
    }
  }

  async #updateLeader(state: Progress, note: string, release: Release): Promise<UnitOutcome> {
    const { context, version } = this.#options;
    const { leader } = context;
    const { to } = release;
    const from = ownValue(state.from, leader) ?? version;
    if (version === to) return { ok: true, unit: leader, value: { from, to } };
    if (state.has_asked_leader) {
      const message = `Version ${to} is not running: the leader runs ${version}.`;
      return failed(leader, 'task_failed', { message }, null, false);
    }
    await saveProgress(note, { ...state, has_asked_leader: true });
    return this.#updateUnit(leader, from, release);
  }
}

const saveProgress = (path: string, state: Progress): Promise<void> =>
  writeFileDurably(path, `${JSON.stringify(state)}\n`);

async function readProgress(path: string): Promise<Progress | undefined> {
  try {
    const state: unknown = JSON.parse(await readFile(path, 'utf8'));
    return Value.Check(Progress, state) ? state : undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const unreachable = (unit: string): UnitOutcome =>
  failed(unit, 'connection_error', { message: `${unit} did not return its version.` }, null, true);

function idOf(unit: string, answer: unknown): string {
  if (hasShape(Uploaded, answer)) return answer.upload_id;
  throw new ApiError('unit_gave_no_answer', { unit, cause: 'It accepted the archive without an ID.' });
}

/** A refusal of a unit, or a failed request. */
function refused(unit: string, error: unknown): UnitOutcome {
  const body = error instanceof ApiError || error instanceof PassedOnError ? error.body : undefined;
  if (!isErrorBody(body)) {
    return failed(unit, 'task_exception', { message: `The update of ${unit} failed in the leader.` }, null, true);
  }
  const kind = error instanceof PassedOnError ? 'http_error' : 'connection_error';
  const status = error instanceof PassedOnError ? body.status : null;
  return failed(unit, kind, { message: body.error, cause: body.cause, remediation: body.remediation }, status, true);
}
