import type { PlannedAction, ProfilePlan } from '@lcs/contract';
import { ownValue } from '@lcs/contract/own-value';
import type { Position } from '../yaml/locate-yaml.ts';
import { conditionText } from './expressions/brackets.ts';
import { type ParsedProfile, positionOf } from './parse-profile.ts';
import { PlannedSettings, type PlannedStep, withInputs } from './planned-settings.ts';
import type { Profile, ProfileAction, ProfileCondition, ProfileJobs, ProfileValues } from './profile.ts';
import {
  byTime,
  followingItems,
  isBasicAction,
  isItemOf,
  iterationsOf,
  offsetOf,
  type ProfileItem,
  type ProfileUnits,
  periodOf,
  profileItems,
} from './timeline.ts';

export const planLimits = {
  units: 200,
  /** Of each unit. */
  actions: 1_000,
  /** Of all planned actions as JSON. */
  characters: 10_000_000,
} as const;

type ValidProfile = Pick<Extract<ParsedProfile, { is: 'valid' }>, 'profile' | 'positions'>;

/** What a condition says as it is written; undefined: it always holds. */
const written = (condition: ProfileCondition | null): string | undefined =>
  condition === null || condition === true ? undefined : String(condition).trim();

function conditionOf(action: ProfileAction): string | null {
  const conditions = [written(action.if)];
  if (action.type === 'repeat') conditions.push(written(action.while));
  if (action.type === 'when') conditions.push(written(action.wait_until ?? action.condition));
  return conditions.filter((condition) => condition !== undefined).join(' and ') || null;
}

const enclosingPath = (path: string): string | null => /^(.*\.actions\[\d+\])\.actions\[\d+\]$/.exec(path)?.[1] ?? null;

const optionsOf = (action: ProfileAction): ProfileValues => ('options' in action ? { ...action.options } : {});

/** The condition with the values of the inputs; nothing where it is written so. */
function plannedCondition(condition: string | null, inputs: ProfileValues): Pick<PlannedAction, 'planned_condition'> {
  const inner = condition === null ? '' : conditionText(condition);
  // One of several conditions is in brackets.
  if (inner.includes('{{')) return {};
  const planned = withInputs(inner, inputs);
  return planned === inner ? {} : { planned_condition: planned };
}

interface PlanSource {
  readonly positions: ReadonlyMap<string, Position>;
  readonly inputs: ProfileValues;
}

function plannedAction({ item, step }: Unrolled, { positions, inputs }: PlanSource): PlannedAction {
  const { atMs, job, path, iteration, action } = item;
  const condition = conditionOf(action);
  return {
    at_s: atMs / 1000,
    job_name: job,
    path,
    iteration,
    action: action.type,
    options: optionsOf(action),
    ...(Object.keys(step.options).length > 0 && { planned_options: { ...step.options } }),
    ...(step.signal !== undefined && { biomass_signal: step.signal }),
    condition,
    ...plannedCondition(condition, inputs),
    depends_on: enclosingPath(path),
    ...positionOf(positions, path),
  };
}

/** What follows when each condition holds at once. A condition that is written as false never does. */
function plannedItems(item: ProfileItem): readonly ProfileItem[] {
  const { action } = item;
  if (action.if === false) return [];
  if (isItemOf(item, 'repeat')) return item.action.while === false ? [] : followingItems(item, 'entered', item.atMs);
  if (!isItemOf(item, 'when')) return [];
  return (item.action.wait_until ?? item.action.condition) === false ? [] : followingItems(item, 'held', item.atMs);
}

/** Behind those of the same time and kind. */
function insert(waiting: ProfileItem[], item: ProfileItem): void {
  let from = 0;
  let to = waiting.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const other = waiting[middle];
    if (other !== undefined && byTime(other, item) <= 0) from = middle + 1;
    else to = middle;
  }
  waiting.splice(from, 0, item);
}

interface Unrolled {
  readonly item: ProfileItem;
  readonly step: PlannedStep;
}

/** The items of one unit in the order of execution. `lists` are in this order, and the earlier one goes first at the same time. */
function* unrolled(lists: readonly (readonly ProfileItem[])[], inputs: ProfileValues): Generator<Unrolled> {
  const settings = new PlannedSettings(inputs);
  const following: ProfileItem[] = [];
  const all = [...lists, following].map((items) => ({ items, next: 0 }));
  while (true) {
    let first: (typeof all)[number] | undefined;
    for (const list of all) {
      const item = list.items[list.next];
      const before = first?.items[first.next];
      if (item !== undefined && (before === undefined || byTime(item, before) < 0)) first = list;
    }
    const item = first?.items[first.next];
    if (first === undefined || item === undefined) return;
    if (first.items === following) following.shift();
    else first.next += 1;
    const step = settings.take(item);
    // The loop has reached what it is for.
    if (!step.holds && item.action.type === 'repeat' && item.iteration > 0) continue;
    yield { item, step };
    if (step.holds) for (const next of plannedItems(item)) insert(following, next);
  }
}

/** Milliseconds until the end of an action that begins at `fromMs`; undefined: a condition decides about it. */
function endOf(action: ProfileAction, fromMs: number): number | undefined {
  if (action.if === false || isBasicAction(action)) return fromMs;
  if (action.type === 'when') return undefined;
  if (action.while === false) return fromMs;
  const iterations = iterationsOf(action);
  if (!Number.isFinite(iterations)) return undefined;
  const periodMs = periodOf(action);
  const offsets = action.actions.map(offsetOf).filter((offset) => offset <= periodMs);
  return fromMs + (iterations - 1) * periodMs + Math.max(0, ...offsets);
}

/** Milliseconds until the last action of these jobs; undefined: a condition decides about it. */
function lengthOf(jobs: ProfileJobs): number | undefined {
  let lastMs = 0;
  for (const { actions } of Object.values(jobs)) {
    for (const action of actions) {
      const endMs = endOf(action, offsetOf(action));
      if (endMs === undefined) return undefined;
      lastMs = Math.max(lastMs, endMs);
    }
  }
  return lastMs;
}

interface Budget extends PlanSource {
  /** Of one unit. */
  readonly characters: number;
}

function plannedUnit(lists: readonly (readonly ProfileItem[])[], { characters, ...source }: Budget) {
  const actions: PlannedAction[] = [];
  let left = characters;
  for (const each of unrolled(lists, source.inputs)) {
    const action = plannedAction(each, source);
    left -= JSON.stringify(action).length;
    if (left < 0 || actions.length === planLimits.actions) return { is_truncated: true, actions };
    actions.push(action);
  }
  return { is_truncated: false, actions };
}

/** The units that a profile names, else `unit1`: those of a plan without an experiment. */
export function namedUnits({ reactors }: Profile): ProfileUnits {
  const names = Object.keys(reactors);
  return names.length === 0 ? { common: ['unit1'], own: [] } : { common: names, own: names };
}

/** The timeline of a valid profile for each of its units. A condition that the run decides counts as one that holds at once. */
export function profilePlan({ profile, positions }: ValidProfile, { common, own }: ProfileUnits): ProfilePlan {
  const isCommon = new Set(common);
  const isOwn = new Set(own);
  const all = [...new Set([...common, ...own])];
  const units = all.slice(0, planLimits.units);
  const { inputs } = profile;
  const budget = { positions, inputs, characters: planLimits.characters / Math.max(1, units.length) };
  const anyUnit = '';
  const commonItems = profileItems(profile, { common: [anyUnit], own: [] }).get(anyUnit) ?? [];
  // The many units without a block of their own have the same actions.
  const shared = units.some((unit) => !isOwn.has(unit)) ? plannedUnit([commonItems], budget) : undefined;
  const lengths = [
    ...(common.length > 0 ? [lengthOf(profile.common.jobs)] : []),
    ...all.flatMap((unit) => {
      const jobs = isOwn.has(unit) ? ownValue(profile.reactors, unit)?.jobs : undefined;
      return jobs === undefined ? [] : [lengthOf(jobs)];
    }),
  ];
  const known = lengths.filter((length) => length !== undefined);
  const isOpenEnded = known.length < lengths.length;
  return {
    length_s: isOpenEnded ? null : known.reduce((longest, length) => Math.max(longest, length), 0) / 1000,
    is_open_ended: isOpenEnded,
    omitted_units: all.length - units.length,
    units: units.map((unit) => {
      const label = isOwn.has(unit) ? (ownValue(profile.reactors, unit)?.label ?? null) : null;
      if (!isOwn.has(unit) && shared !== undefined) return { reactor_unit: unit, label, ...shared };
      const ownItems = profileItems(profile, { common: [], own: [unit] }).get(unit) ?? [];
      const lists = isCommon.has(unit) ? [commonItems, ownItems] : [ownItems];
      return { reactor_unit: unit, label, ...plannedUnit(lists, budget) };
    }),
  };
}
