import {
  ApiError,
  type HistoryQuery,
  hasShape,
  type Json,
  PreflightReport,
  type ProfileItemKey,
  type ProfileRunAction,
  type ProfileRunDetails,
  type ProfileRunExport,
  type WaitingQuery,
} from '@lcs/contract';
import { actionsByPath, type ProfileItem } from '@lcs/domain';
import type { TextReader } from '@lcs/node';
import { toTimestamp } from '@lcs/platform';
import { noLimit } from '../core/leader-context.ts';
import type { LeaderReader } from '../queries/experiments.ts';
import { profileRun, storedKey, storedRun, unitsIn } from './run-store.ts';

/** What is next in a run. */
export interface Progress {
  readonly isPaused: boolean;
  /** The missed action about which it asks; it is paused. */
  readonly asksAbout: ProfileItem | undefined;
  /** By time, each with its time in milliseconds since 1970, and whether it is a wait that is being evaluated. */
  readonly waiting: readonly (readonly [item: ProfileItem, dueAt: number, isEvaluated: boolean])[];
}

export interface RunRecordOptions {
  readonly database: LeaderReader;
  readonly texts: TextReader;
  /** Undefined: the run has ended. */
  readonly progressOf: (runId: string) => Progress | undefined;
}

export interface RunKey {
  readonly experiment: string;
  readonly run_id: string;
}

/** @throws ApiError profile_run_not_found */
export async function expectRun(database: LeaderReader, { experiment, run_id }: RunKey) {
  const run = await storedRun(database, experiment, run_id);
  if (run === undefined) throw new ApiError('profile_run_not_found', { run: run_id, experiment });
  return run;
}

/** Null: the run is older than the check. */
function storedPreflight(json: string | null): PreflightReport | null {
  if (json === null) return null;
  const value: Json = JSON.parse(json);
  return hasShape(PreflightReport, value) ? value : null;
}

/** The key of an item as the API shows it. */
export const itemKeyOf = (item: ProfileItem | undefined): ProfileItemKey | null =>
  item === undefined ? null : { reactor_unit: item.unit, path: item.path, iteration: item.iteration };

/** Pauses, skips and questions of a run, oldest first. */
export async function changesOfRun(database: LeaderReader, runId: number): Promise<ProfileRunExport['changes']> {
  const changes = await database
    .selectFrom('profile_changes')
    .where('run_id', '=', runId)
    .selectAll()
    .orderBy('at')
    .orderBy('id')
    .execute();
  return changes.map(({ at, kind, account, item }) => {
    const about = item === null ? undefined : storedKey(item);
    const shown = about && { reactor_unit: about.unit, path: about.path, iteration: about.iteration };
    return { at: toTimestamp(at), kind, account, item: shown ?? null };
  });
}

/** The waiting items that a query asks for, by time. */
export function waitingFor(waiting: Progress['waiting'], query: WaitingQuery): Progress['waiting'] {
  const { waiting_per_unit: perUnit = noLimit, waiting_limit: limit = noLimit } = query;
  const counts = new Map<string, number>();
  const isAmongFirst = ([{ unit }]: Progress['waiting'][number]): boolean => {
    const place = counts.get(unit) ?? 0;
    counts.set(unit, place + 1);
    return place < perUnit;
  };
  const chosen = perUnit === noLimit ? waiting : waiting.filter(isAmongFirst);
  return limit === noLimit ? chosen : chosen.slice(0, limit);
}

/** @throws ApiError profile_run_not_found */
export async function runDetails(
  { database, progressOf }: RunRecordOptions,
  key: RunKey,
  query: WaitingQuery = {},
): Promise<ProfileRunDetails> {
  const run = await expectRun(database, key);
  const progress = progressOf(key.run_id);
  return {
    ...profileRun(run, key.experiment),
    profile_text: run.profile_text,
    common_units: [...unitsIn(run.common_units)],
    own_units: [...unitsIn(run.own_units)],
    is_paused: progress?.isPaused ?? false,
    asks_about: itemKeyOf(progress?.asksAbout),
    preflight: storedPreflight(run.preflight),
    changes: await changesOfRun(database, run.id),
    waiting_count: progress?.waiting.length ?? 0,
    waiting: waitingFor(progress?.waiting ?? [], query).map(
      ([{ unit, job, path, iteration, action }, dueAt, isEvaluated]) => ({
        reactor_unit: unit,
        job_name: job,
        path,
        iteration,
        action: action.type,
        planned_at: progress?.isPaused ? null : toTimestamp(dueAt),
        ...(isEvaluated && { is_evaluated: true as const }),
      }),
    ),
  };
}

interface SettledTimes {
  readonly at: number;
  readonly settled_ms: number;
  readonly planned_ms: number;
  readonly outcome: string;
}

/**
 * When an action was planned, by the clock. The time of the run stands still in its pauses, so only the delay is certain. A run that was
 * moved past an action has jumped: that is no delay, and the action was not planned before its time in a run without pauses.
 */
function plannedAt({ at, settled_ms, planned_ms, outcome }: SettledTimes, startedAt: number): number {
  const byDelay = at - (settled_ms - planned_ms);
  const hasJumped = outcome === 'skipped' || byDelay < startedAt;
  return hasJumped ? Math.min(at, Math.max(byDelay, startedAt + planned_ms)) : byDelay;
}

/** What a run has done, newest first. @throws ApiError profile_run_not_found */
export async function runActions(
  { database, texts }: RunRecordOptions,
  key: RunKey,
  { skip = 0, limit = noLimit }: HistoryQuery,
): Promise<ProfileRunAction[]> {
  const { id, profile_text, started_at } = await expectRun(database, key);
  const parsed = await texts.read('profile', profile_text);
  const actions = 'profile' in parsed ? actionsByPath(parsed.profile) : new Map<string, never>();
  const rows = await database
    .selectFrom('profile_items')
    .where('run_id', '=', id)
    .select(['reactor_unit', 'path', 'iteration', 'planned_ms', 'settled_ms', 'at', 'outcome', 'reason'])
    .orderBy('at', 'desc')
    .orderBy('planned_ms', 'desc')
    .orderBy('reactor_unit')
    .orderBy('path')
    .limit(limit)
    .offset(skip)
    .execute();
  return rows.flatMap(({ planned_ms, settled_ms, at, outcome, ...row }) => {
    if (settled_ms === null || outcome === null) return [];
    const found = actions.get(row.path);
    return [
      {
        ...row,
        job_name: found?.job ?? '',
        action: found?.action.type ?? '',
        planned_at: toTimestamp(plannedAt({ at, settled_ms, planned_ms, outcome }, started_at)),
        settled_at: toTimestamp(at),
        outcome,
      },
    ];
  });
}
