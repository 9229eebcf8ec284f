import { sourceWithoutAccount } from '@lcs/contract';
import { countedFailures } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import { type RawBuilder, sql } from 'kysely';
import type { ProfileStep, Profiles } from '../profiles/create-profiles.ts';
import type { LeaderReader } from '../queries/experiments.ts';
import { jobName, lowered } from './job-names.ts';
import { type FoundEntry, type TimelineFilter, type TimelineSource, withoutFacts } from './timeline-source.ts';

/** The actions of a profile by their paths, from its text. */
export type StepsOf = Profiles['stepsOf'];

/** What concerns a whole run. */
interface RunRow {
  readonly at: number;
  /** `begun`, `ended`, or a change of a person. */
  readonly what: string;
  readonly run_id: number;
  readonly account: string | null;
  readonly outcome: string | null;
  /** How many of its steps failed; of its end only. */
  readonly failed: number;
}

/** An action that a run has settled on one unit. */
interface ItemRow {
  readonly at: number;
  readonly run_id: number;
  readonly reactor_unit: string;
  readonly path: string;
  readonly iteration: number;
  readonly outcome: string;
  readonly reason: string | null;
}

/** The same action on several units within the same interval of the clock is one step. */
const togetherMs = 2_000;

/** A window from the first moment up to the other, without it. */
interface StepWindow {
  readonly from: number;
  readonly to: number;
}

/** Beginnings, ends and changes of runs: few, even in a year. */
export const runQuery = (
  { experimentId, by }: TimelineFilter,
  { from, to }: StepWindow,
): RawBuilder<RunRow> => sql<RunRow>`
  select * from (
    select r.started_at as at, 'begun' as what, r.id as run_id, ifnull(r.started_by, ${sourceWithoutAccount}) as account, null as outcome, 0 as failed
    from profile_runs r where r.experiment_id = ${experimentId}
    union all
    select r.ended_at, 'ended', r.id, null, r.outcome,
      (select count(*) from profile_items i where i.run_id = r.id and i.outcome = 'failed')
    from profile_runs r where r.experiment_id = ${experimentId} and r.ended_at is not null
    union all
    select c.at, c.kind, r.id, iif(c.kind = 'asked', null, ifnull(c.account, ${sourceWithoutAccount})), null, 0
    from profile_runs r join profile_changes c on c.run_id = r.id where r.experiment_id = ${experimentId}
  ) where at >= ${from} and at < ${to} ${by === undefined ? sql`` : sql`and account = ${by}`}`;

/** The newest settled actions of a run. */
export const itemQuery = (
  runId: number,
  unit: string | undefined,
  { from, to }: StepWindow,
  limit: number,
): RawBuilder<ItemRow> => sql<ItemRow>`
  select i.at, i.run_id, i.reactor_unit, i.path, i.iteration, i.outcome, i.reason
  from profile_items i indexed by profile_items_by_time
  where i.run_id = ${runId} and i.outcome is not null and i.at >= ${from} and i.at < ${to}
    and i.outcome in ('done', 'failed', 'skipped', 'missed')
    ${unit === undefined ? sql`` : sql`and i.reactor_unit = ${unit}`}
  order by i.at desc limit ${limit}`;

/** A step: the same action with the same outcome, oldest unit first. */
type StepItems = readonly [ItemRow, ...ItemRow[]];

const slotOf = (at: number): number => Math.floor(at / togetherMs);

/** Groups settled actions, newest first, into steps. */
function stepsOfItems(items: readonly ItemRow[]): readonly StepItems[] {
  const steps = new Map<string, StepItems>();
  for (const item of items) {
    const key = JSON.stringify([item.run_id, item.path, item.iteration, item.outcome, slotOf(item.at)]);
    const others = steps.get(key);
    steps.set(key, others === undefined ? [item] : [item, ...others]);
  }
  return [...steps.values()];
}

/** The newest steps of a run that began in a window, at least `limit` of them if there are so many. */
async function readSteps(
  reads: LeaderReader,
  runId: number,
  unit: string | undefined,
  window: StepWindow,
  limit: number,
): Promise<readonly StepItems[]> {
  const whole = { from: slotOf(window.from) * togetherMs, to: (slotOf(window.to - 1) + 1) * togetherMs };
  for (let most = unitsPerStep * limit; ; most *= 4) {
    const { rows } = await itemQuery(runId, unit, whole, most).execute(reads);
    const isAll = rows.length < most;
    const oldest = rows.at(-1)?.at ?? 0;
    const steps = stepsOfItems(rows).filter(
      ([{ at }]) => at >= window.from && at < window.to && (isAll || slotOf(at) > slotOf(oldest)),
    );
    if (isAll || steps.length >= limit) return steps;
  }
}

/** A step is mostly taken by no more units than this. */
const unitsPerStep = 24;

interface StoredRun {
  readonly id: number;
  readonly uid: string;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly experiment_profile_name: string;
  readonly profile_text: string;
  readonly is_dry_run: number;
}

const runsOf = (reads: LeaderReader, experimentId: number): Promise<readonly StoredRun[]> =>
  reads
    .selectFrom('profile_runs')
    .where('experiment_id', '=', experimentId)
    .select(['id', 'uid', 'started_at', 'ended_at', 'experiment_profile_name', 'profile_text', 'is_dry_run'])
    .execute();

/** All entries of a moment have the same ID: `before` is in front of all of them, or behind. */
const stepId = 1;

const runWords: ReadonlyMap<string, string> = new Map([
  ['begun', 'started'],
  ['ended', 'ended'],
  ['finished', 'finished'],
  ['stopped', 'stopped'],
  ['failed', 'failed'],
  ['paused', 'paused'],
  ['resumed', 'resumed'],
  ['skipped', 'skipped to a later step'],
  ['asked', 'asks about a missed step'],
]);

const outcomeWords: ReadonlyMap<string, string> = new Map([
  ['failed', ' failed'],
  ['skipped', ' skipped'],
  ['missed', ' missed'],
]);

const words = (name: string): string => name.replaceAll('_', ' ');

function runText({ experiment_profile_name: name, is_dry_run }: StoredRun, { what, outcome, failed }: RunRow): string {
  const failures = failed === 0 ? '' : ` with ${countedFailures(failed)}`;
  return `Profile “${name}” ${runWords.get(outcome ?? what) ?? words(what)}${failures}${is_dry_run === 1 ? ' (dry run)' : ''}`;
}

function stepText(name: string, [item, ...others]: StepItems, step: ProfileStep | undefined): string {
  const job = step?.job ?? /\bjobs\.([^.[]+)/.exec(item.path)?.[1] ?? '';
  const again = item.iteration > 0 ? `, iteration ${item.iteration + 1}` : '';
  const units = others.length === 0 ? '' : ` on ${others.length + 1} units`;
  const outcome = outcomeWords.get(item.outcome) ?? '';
  return `Profile “${name}”: ${words(step?.action ?? 'step')} ${job === '' ? '' : lowered(jobName(job))}${again}${outcome}${units}`;
}

interface Placed extends FoundEntry {
  /** The order within a moment: a run begins before its steps, and ends after them. */
  readonly order: number;
}

function runEntry(run: StoredRun, row: RunRow): Placed {
  return {
    id: stepId,
    at: row.at,
    order: row.what === 'begun' ? 0 : row.what === 'ended' ? 2 : 1,
    entry: {
      ...withoutFacts,
      entry_id: `profile-${run.id}-${row.what}-${row.at}`,
      kind: 'profile',
      at: toTimestamp(row.at),
      reactor_unit: null,
      text: runText(run, row),
      by: row.account,
      severity: row.failed > 0 || row.outcome === 'failed' ? 'error' : null,
      run_id: run.uid,
    },
  };
}

function stepEntry(run: StoredRun, items: StepItems, step: ProfileStep | undefined): Placed {
  const [first, ...others] = items;
  return {
    id: stepId,
    at: first.at,
    order: 1,
    entry: {
      ...withoutFacts,
      entry_id: `profile-${run.id}-${first.path}-${first.iteration}-${first.outcome}-${slotOf(first.at)}`,
      kind: 'profile',
      at: toTimestamp(first.at),
      reactor_unit: others.length === 0 ? first.reactor_unit : null,
      text: stepText(run.experiment_profile_name, items, step),
      why: items.find(({ reason }) => reason !== null)?.reason ?? null,
      severity: first.outcome === 'failed' ? 'error' : null,
      run_id: run.uid,
    },
  };
}

const newestFirst = (one: Placed, other: Placed): number =>
  other.at - one.at || other.order - one.order || (one.entry.entry_id < other.entry.entry_id ? 1 : -1);

/** So many entries, and those of the moment of the last one. */
function withWholeMoments(sorted: readonly Placed[], limit: number): readonly Placed[] {
  const last = sorted[limit - 1];
  return last === undefined ? sorted : sorted.filter(({ at }) => at >= last.at);
}

/** Runs of profiles, what people did to them, and their steps; the same step on several units is one entry. */
export const profileSource =
  (stepsOf: StepsOf): TimelineSource =>
  async (reads, filter) => {
    const { experimentId, unit, by, since: from = 0, until = Number.MAX_SAFE_INTEGER, before, limit } = filter;
    const behind = before === undefined ? until : before.id > stepId ? before.at + 1 : before.at;
    const window = { from, to: Math.min(until, behind) };
    const runs = await runsOf(reads, experimentId);
    const changes = (await runQuery(filter, window).execute(reads)).rows;
    // A person does not take steps.
    const active = by === undefined ? runs.filter(({ started_at }) => started_at < window.to) : [];
    const entries = await Promise.all(
      active.map(async (run) => {
        if (run.ended_at !== null && run.ended_at < window.from - togetherMs) return [];
        const found = await readSteps(reads, run.id, unit, window, limit);
        const known = found.length === 0 ? undefined : await stepsOf(run.profile_text);
        return found.map((items) => stepEntry(run, items, known?.get(items[0].path)));
      }),
    );
    const ofRuns = changes.flatMap((row) => {
      const run = runs.find(({ id }) => id === row.run_id);
      return run === undefined ? [] : [runEntry(run, row)];
    });
    return withWholeMoments([...entries.flat(), ...ofRuns].sort(newestFirst), limit);
  };
