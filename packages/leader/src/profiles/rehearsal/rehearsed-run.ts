import { hourMs, type LogLevel } from '@lcs/contract';
import {
  actionsByPath,
  type DrawnAction,
  itemOutcomes,
  type Profile,
  type ProfileItem,
  type ProfileUnits,
} from '@lcs/domain';
import { endedJobsInMemory } from '@lcs/node';
import type { Clock, Log } from '@lcs/platform';
import type { LeaderDatabase } from '../../core/leader-context.ts';
import { ProfileRun } from '../profile-run.ts';
import { runBeginning } from '../run-beginning.ts';
import { noItems, RunStore } from '../run-store.ts';
import { memoryLeader, type UnitInProcess } from './memory-leader.ts';

interface RehearsedRunOptions {
  readonly profile: Profile;
  readonly text: string;
  readonly filename: string;
  readonly experiment: string;
  readonly units: readonly UnitInProcess[];
  readonly appliesTo: ProfileUnits;
  readonly clock: Clock;
  readonly log: Log;
  /** Numbers from 0 to below 1. */
  readonly random: () => number;
  /** Entries of the event log about a unit. */
  readonly onEntry: (unit: string, level: LogLevel, message: string) => void;
  /** Ends the run, as a stop of the leader would. */
  readonly signal: AbortSignal;
}

interface RehearsedRun {
  /** What became of every action, by time. */
  readonly actions: readonly DrawnAction[];
  /** What had not been carried out at the end of the signal. */
  readonly waiting: readonly ProfileItem[];
}

/** Carries out a profile on units in this process, with the runner of real runs, up to the last action or to the end of the signal. */
export async function rehearsedRun(options: RehearsedRunOptions): Promise<RehearsedRun> {
  const { profile, text, filename, units, appliesTo, clock, random, onEntry, signal } = options;
  using leader = await memoryLeader(units, options);
  const { context, experiment } = leader;
  const store = new RunStore({ context, stoppedRuns: endedJobsInMemory() });
  const beganWith = await runBeginning(context.database.read, [...appliesTo.common, ...appliesTo.own]);
  const begun = {
    experiment,
    uid: 'rehearsal',
    startedAt: clock.now(),
    profileName: profile.experiment_profile_name,
    filename,
    text,
    isDryRun: false,
    commonUnits: appliesTo.common,
    ownUnits: appliesTo.own,
    firstJobId: 1,
    startedBy: null,
  };
  const stored = await store.begin(begun, beganWith);
  const run = new ProfileRun(stored, profile, noItems, {
    context,
    store,
    log: { log: ({ unit, level, message }) => onEntry(unit ?? '', level, message) },
    random,
    onCommand: () => {},
    onFailure: () => {},
  });
  // No action is ever late: nothing asks.
  await run.perform({ signal, publish: () => {}, rest: () => {} });
  await store.stop();
  const waiting = run.progress.waiting.map(([item]) => item);
  return { actions: await drawnActions(context.database, stored.id, profile), waiting };
}

async function drawnActions(
  database: Pick<LeaderDatabase, 'read'>,
  runId: number,
  profile: Profile,
): Promise<readonly DrawnAction[]> {
  const rows = await database.read
    .selectFrom('profile_items')
    .where('run_id', '=', runId)
    .where('outcome', 'is not', null)
    .orderBy('settled_ms')
    .selectAll()
    .execute();
  const actions = actionsByPath(profile);
  return rows.flatMap((row): readonly DrawnAction[] => {
    const found = actions.get(row.path);
    const outcome = itemOutcomes.find((known) => known === row.outcome);
    if (found === undefined || outcome === undefined) return [];
    const { reactor_unit: unit, path, iteration, reason, settled_ms } = row;
    const { job, action } = found;
    return [{ unit, job, path, iteration, action: action.type, atHours: (settled_ms ?? 0) / hourMs, outcome, reason }];
  });
}
