import { toTimestamp } from '@lcs/platform';
import { type RawBuilder, sql } from 'kysely';
import type { ProfileStep, Profiles } from '../profiles/create-profiles.ts';
import { type FoundEntry, type TimelineFilter, type TimelineSource, withoutFacts } from './timeline-source.ts';

/** The actions of a profile by their paths, from its text. */
export type StepsOf = Profiles['stepsOf'];

interface StepRow {
  readonly at: number;
  /** `begun`, `ended`, a change of a person, or `step`. */
  readonly what: string;
  readonly run_id: number;
  readonly uid: string;
  readonly name: string;
  readonly profile_text: string;
  readonly is_dry_run: number;
  readonly account: string | null;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly path: string | null;
  readonly iteration: number | null;
  /** JSON array. */
  readonly units: string | null;
}

/** Steps of several units within this time are one entry. */
const togetherMs = 2_000;

/** The beginnings and ends of runs, what people changed, and what the runs did. Entries of one moment are not divided. */
const stepsQuery = (filter: TimelineFilter): RawBuilder<StepRow> => {
  const { experimentId, unit, by, since = 0, until = Number.MAX_SAFE_INTEGER, before, limit } = filter;
  // All entries of a moment have the same ID: `before` is in front of all of them, or behind.
  const end = before === undefined ? until : Math.min(until, before.id > stepId ? before.at + 1 : before.at);
  const found = sql`
    select r.started_at as at, 'begun' as what, r.id as run_id, r.started_by as account, null as outcome, null as reason,
      null as path, null as iteration, null as units
    from profile_runs r where r.experiment_id = ${experimentId}
    union all
    select r.ended_at, 'ended', r.id, null, r.outcome, null, null, null, null
    from profile_runs r where r.experiment_id = ${experimentId} and r.ended_at is not null
    union all
    select c.at, c.kind, r.id, c.account, null, null, null, null, null
    from profile_runs r join profile_changes c on c.run_id = r.id where r.experiment_id = ${experimentId}
    union all
    select min(i.at), 'step', r.id, null, i.outcome, min(i.reason), i.path, i.iteration, json_group_array(i.reactor_unit)
    from profile_runs r join profile_items i on i.run_id = r.id
    where r.experiment_id = ${experimentId} and i.outcome in ('done', 'failed', 'skipped', 'missed')
      ${unit === undefined ? sql`` : sql`and i.reactor_unit = ${unit}`}
    group by r.id, i.path, i.iteration, i.outcome, i.at / ${togetherMs}`;
  return sql<StepRow>`
    with found as (select * from (${found}) where at >= ${since} and at < ${end}
        ${by === undefined ? sql`` : sql`and account = ${by}`}),
      page as (select * from found where at >= coalesce(
        (select min(at) from (select at from found order by at desc limit ${limit})), 0))
    select p.*, r.uid, r.experiment_profile_name as name, r.profile_text, r.is_dry_run
    from page p join profile_runs r on r.id = p.run_id
    order by p.at desc, p.run_id desc, p.what = 'ended' desc, p.what = 'begun', p.path desc, p.iteration desc`;
};

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

function textOf({ what, name, is_dry_run, outcome, path, iteration }: StepRow, step: ProfileStep | undefined): string {
  if (what !== 'step') {
    const rehearsed = is_dry_run === 1 ? ' (dry run)' : '';
    return `Profile “${name}” ${runWords.get(outcome ?? what) ?? words(what)}${rehearsed}`;
  }
  const job = step?.job ?? /\bjobs\.([^.[]+)/.exec(path ?? '')?.[1] ?? '';
  const action = step?.action ?? 'step';
  const again = (iteration ?? 0) > 0 ? `, iteration ${(iteration ?? 0) + 1}` : '';
  return `Profile “${name}”: ${words(action)} ${words(job)}${again}${outcomeWords.get(outcome ?? '') ?? ''}`;
}

function unitsOf(json: string | null): readonly string[] {
  const parsed: unknown = json === null ? [] : JSON.parse(json);
  return Array.isArray(parsed) ? [...new Set(parsed.filter((one) => typeof one === 'string'))] : [];
}

/** Runs of profiles, what people did to them, and their steps; the same step on several units is one entry. */
export const profileSource =
  (stepsOf: StepsOf): TimelineSource =>
  async (reads, filter) => {
    const { rows } = await stepsQuery(filter).execute(reads);
    const texts = new Set(rows.flatMap(({ what, profile_text }) => (what === 'step' ? [profile_text] : [])));
    const steps = new Map(await Promise.all([...texts].map(async (text) => [text, await stepsOf(text)] as const)));
    return rows.map((row): FoundEntry => {
      const units = unitsOf(row.units);
      const step = row.path === null ? undefined : steps.get(row.profile_text)?.get(row.path);
      const [unit] = units;
      return {
        id: stepId,
        at: row.at,
        entry: {
          ...withoutFacts,
          entry_id: `profile-${[row.run_id, row.what, row.at, row.path, row.iteration].filter((part) => part !== null).join('-')}`,
          kind: 'profile',
          at: toTimestamp(row.at),
          reactor_unit: units.length === 1 && unit !== undefined ? unit : null,
          text: units.length > 1 ? `${textOf(row, step)} on ${units.length} units` : textOf(row, step),
          why: row.reason,
          by: row.account,
          run_id: row.uid,
        },
      };
    });
  };
