import { jobGroups } from './check-profile.ts';
import type { BasicAction, Profile, ProfileAction, ProfileJobs, RepeatAction, WhenAction } from './profile.ts';
import { profileTime } from './profile-time.ts';

/** An action of a profile that waits for its time on one unit. */
export interface ProfileItem<Action extends ProfileAction = ProfileAction> {
  readonly unit: string;
  readonly job: string;
  /** Path in the profile. */
  readonly path: string;
  /** Of the loop that it is, or that encloses it, from 0. With unit and path it identifies the item in its run. */
  readonly iteration: number;
  /** Since the start of the profile, in milliseconds. */
  readonly atMs: number;
  readonly action: Action;
}

/** The units of a profile. */
export interface ProfileUnits {
  /** Units to which the common jobs apply. */
  readonly common: readonly string[];
  /** Units whose own block applies. */
  readonly own: readonly string[];
}

/** The order of actions at the same time: stops come after starts, messages come last. */
const priorities: Readonly<Record<ProfileAction['type'], number>> = {
  start: 0,
  stop: 1,
  pause: 2,
  resume: 3,
  update: 4,
  when: 5,
  repeat: 6,
  log: 10,
};

/** Time and kind decide; other items keep their order. */
export const byTime = (a: ProfileItem, b: ProfileItem): number =>
  a.atMs - b.atMs || priorities[a.action.type] - priorities[b.action.type];

/** A time of a valid profile, in milliseconds. */
function validMs(value: number | string): number {
  const time = profileTime(value);
  if (!time.ok) throw new RangeError('The profile must be valid.');
  return time.ms;
}

/** The time of an action after the start of the profile, the iteration, or the moment of its condition, in milliseconds. */
export const offsetOf = ({ t, hours_elapsed }: Pick<ProfileAction, 't' | 'hours_elapsed'>): number =>
  validMs(t ?? hours_elapsed ?? 0);

/** The period of a loop, in milliseconds. */
export const periodOf = ({ repeat_every_hours, every }: RepeatAction): number =>
  validMs(repeat_every_hours ?? every ?? Number.NaN);

/** The number of iterations of a loop at most. */
export function iterationsOf(action: RepeatAction): number {
  const limit = action.max_time ?? action.max_hours;
  return limit === null ? Number.POSITIVE_INFINITY : Math.ceil(validMs(limit) / periodOf(action));
}

export const isBasicAction = (action: ProfileAction): action is BasicAction =>
  action.type !== 'repeat' && action.type !== 'when';
export const isItemOf = <Type extends ProfileAction['type']>(
  item: ProfileItem,
  type: Type,
): item is ProfileItem<Extract<ProfileAction, { type: Type }>> => item.action.type === type;
export const isBasicItem = (item: ProfileItem): item is ProfileItem<BasicAction> => isBasicAction(item.action);

function itemsOf(jobs: ProfileJobs, path: string, unit: string): readonly ProfileItem[] {
  return Object.entries(jobs).flatMap(([job, { actions }]) =>
    actions.map((action, index) => ({
      unit,
      job,
      action,
      path: `${path}.${job}.actions[${index}]`,
      iteration: 0,
      atMs: offsetOf(action),
    })),
  );
}

/**
 * What a valid profile does on each of its units, in the order of execution: by time, then by the type of the action, then common jobs
 * before those of the unit, then in the order of the file. Loops and waits are entered when they are due.
 */
export function profileItems(
  profile: Profile,
  { common, own }: ProfileUnits,
): ReadonlyMap<string, readonly ProfileItem[]> {
  const units = [...common, ...own.filter((unit) => !common.includes(unit))];
  return new Map(
    units.map((unit) => {
      const jobs =
        own.includes(unit) && Object.hasOwn(profile.reactors, unit) ? profile.reactors[unit]?.jobs : undefined;
      const items = [
        ...(common.includes(unit) ? itemsOf(profile.common.jobs, 'common.jobs', unit) : []),
        ...(jobs === undefined ? [] : itemsOf(jobs, `reactors.${unit}.jobs`, unit)),
      ];
      return [unit, items.sort(byTime)];
    }),
  );
}

/** The waiting items with further ones: behind those of the same time and kind. */
export function withItems(waiting: readonly ProfileItem[], added: readonly ProfileItem[]): readonly ProfileItem[] {
  return [...waiting, ...added].sort(byTime);
}

function nested(item: ProfileItem<RepeatAction | WhenAction>, fromMs: number): readonly ProfileItem[] {
  const { unit, job, path, iteration } = item;
  return item.action.actions.map((action, index) => ({
    unit,
    job,
    action,
    iteration,
    path: `${path}.actions[${index}]`,
    atMs: fromMs + offsetOf(action),
  }));
}

/** What follows from an iteration of a loop that is entered: its actions within the period, and the next iteration. */
export function enteredItems(item: ProfileItem<RepeatAction>): readonly ProfileItem[] {
  const periodMs = periodOf(item.action);
  const actions = nested(item, item.atMs).filter(({ atMs }) => atMs - item.atMs <= periodMs);
  return [...actions, ...nextIteration(item)];
}

/** The next iteration of a loop; none after its last one. */
export function nextIteration(item: ProfileItem<RepeatAction>): readonly ProfileItem<RepeatAction>[] {
  const iteration = item.iteration + 1;
  if (iteration >= iterationsOf(item.action)) return [];
  return [{ ...item, iteration, atMs: item.atMs + periodOf(item.action) }];
}

/** The iteration of a loop that is under way at `nowMs`: those before it were missed. */
export function currentIteration(item: ProfileItem<RepeatAction>, nowMs: number): ProfileItem<RepeatAction> {
  const periodMs = periodOf(item.action);
  const missed = Math.max(0, Math.floor((nowMs - item.atMs) / periodMs));
  const iteration = Math.min(item.iteration + missed, iterationsOf(item.action) - 1);
  return { ...item, iteration, atMs: item.atMs + (iteration - item.iteration) * periodMs };
}

/** The actions after a condition that holds since `heldMs`. */
export const heldItems = (item: ProfileItem<WhenAction>, heldMs: number): readonly ProfileItem[] =>
  nested(item, heldMs);

/**
 * What became of an item. `entered`: a loop, its actions follow; `ended`: a loop, its condition no longer holds; `held`: a wait, its
 * condition holds.
 */
export const itemOutcomes = ['done', 'failed', 'skipped', 'missed', 'entered', 'ended', 'held'] as const;
export type ItemOutcome = (typeof itemOutcomes)[number];

/** A settled item as it was recorded. */
export interface SettledItem {
  readonly unit: string;
  readonly path: string;
  readonly iteration: number;
  readonly outcome: ItemOutcome;
  /** The time of the profile at which it was settled, in milliseconds. */
  readonly settledMs: number;
}

/** The items that follow from a settled one. */
export function followingItems(item: ProfileItem, outcome: ItemOutcome, settledMs: number): readonly ProfileItem[] {
  if (isItemOf(item, 'repeat')) {
    if (outcome === 'entered') return enteredItems(item);
    // An iteration whose condition could not be evaluated: the loop tries the next one.
    return outcome === 'failed' ? nextIteration(item) : [];
  }
  return isItemOf(item, 'when') && outcome === 'held' ? heldItems(item, settledMs) : [];
}

/** Identifies an item on its unit. */
export const itemKey = ({ path, iteration }: Pick<ProfileItem, 'path' | 'iteration'>): string => `${path}#${iteration}`;

/** The items of a unit that still wait after these were settled: what a run continues with. */
export function waitingItems(first: readonly ProfileItem[], settled: readonly SettledItem[]): readonly ProfileItem[] {
  const newest = new Map<string, number>();
  const known = new Map<string, SettledItem>();
  for (const each of settled) {
    known.set(itemKey(each), each);
    newest.set(each.path, Math.max(each.iteration, newest.get(each.path) ?? 0));
  }
  let waiting = first;
  const left: ProfileItem[] = [];
  while (waiting.length > 0) {
    const [item, ...others] = waiting;
    if (item === undefined) break;
    const at = isItemOf(item, 'repeat') ? iterationAt(item, newest.get(item.path)) : item;
    const record = known.get(itemKey(at));
    if (record === undefined) left.push(at);
    const following = record === undefined ? [] : followingItems(at, record.outcome, record.settledMs);
    const messages = at === item ? [] : lastMessages(at, known);
    waiting = withItems(others, [...messages, ...following]);
  }
  return left.sort(byTime);
}

/** Messages at the end of the iteration before come after the beginning of this one. */
function lastMessages(item: ProfileItem, known: ReadonlyMap<string, SettledItem>): readonly ProfileItem[] {
  if (!isItemOf(item, 'repeat')) return [];
  const before = { ...item, iteration: item.iteration - 1, atMs: item.atMs - periodOf(item.action) };
  if (known.get(itemKey(before))?.outcome !== 'entered') return [];
  return enteredItems(before).filter(({ action, atMs }) => action.type === 'log' && atMs === item.atMs);
}

/** A loop continues with the newest of its iterations that was settled. */
function iterationAt(item: ProfileItem<RepeatAction>, newest: number | undefined): ProfileItem<RepeatAction> {
  if (newest === undefined || newest <= item.iteration) return item;
  return { ...item, iteration: newest, atMs: item.atMs + (newest - item.iteration) * periodOf(item.action) };
}

/** The actions of a profile by their paths, with those in loops and waits. */
export function actionsByPath(
  profile: Profile,
): ReadonlyMap<string, { readonly job: string; readonly action: ProfileAction }> {
  const found = new Map<string, { readonly job: string; readonly action: ProfileAction }>();
  const add = (job: string, actions: readonly ProfileAction[], path: string): void => {
    for (const [index, action] of actions.entries()) {
      const own = `${path}.actions[${index}]`;
      found.set(own, { job, action });
      if (!isBasicAction(action)) add(job, action.actions, own);
    }
  };
  for (const [path, jobs] of jobGroups(profile))
    for (const [job, { actions }] of Object.entries(jobs)) add(job, actions, `${path}.${job}`);
  return found;
}

/** The jobs that a profile starts, changes or stops, by unit. Messages change nothing. */
export function changedJobs(profile: Profile, units: ProfileUnits): ReadonlyMap<string, ReadonlySet<string>> {
  const changes = ({ action }: ProfileItem): boolean => changesJob(action);
  return new Map(
    [...profileItems(profile, units)].map(([unit, items]) => [
      unit,
      new Set(items.filter(changes).map(({ job }) => job)),
    ]),
  );
}

const changesJob = (action: ProfileAction): boolean =>
  isBasicAction(action) ? action.type !== 'log' && action.if !== false : action.actions.some(changesJob);
