import type { ProfileRunAction, ProfileRunDetails } from '@lcs/contract';
import { delayText } from './run-words.ts';

type WaitingItem = ProfileRunDetails['waiting'][number];

/** A step that several units have at the same time: one row for all of them. */
export interface StepGroup<Step> {
  /** The step of the first unit. */
  readonly step: Step;
  readonly units: readonly string[];
}

function grouped<Step extends { readonly reactor_unit: string }>(
  steps: readonly Step[],
  keyOf: (step: Step) => string,
): readonly StepGroup<Step>[] {
  const groups = new Map<string, { readonly step: Step; readonly units: string[] }>();
  for (const step of steps) {
    const key = keyOf(step);
    const group = groups.get(key) ?? { step, units: [] };
    groups.set(key, group);
    group.units.push(step.reactor_unit);
  }
  return [...groups.values()];
}

/** What comes next. Waits are decided for each unit, and paused steps have no time: they keep their own rows. */
export const nextGroups = (waiting: readonly WaitingItem[]): readonly StepGroup<WaitingItem>[] =>
  grouped(waiting, ({ action, path, iteration, planned_at, reactor_unit }) =>
    [path, iteration, planned_at, ...(action === 'when' || planned_at === null ? [reactor_unit] : [])].join(' '),
  );

type Waiting = Pick<ProfileRunDetails, 'waiting' | 'waiting_count'>;

/** Whether more waits than was read. */
export const isCut = ({ waiting, waiting_count }: Waiting): boolean => waiting.length < waiting_count;

/** What was read of what waits, without the actions of its last moment: other units may have them, too. */
export function completeWaiting(run: Waiting): readonly WaitingItem[] {
  if (!isCut(run)) return run.waiting;
  const last = run.waiting.at(-1)?.planned_at;
  const earlier = run.waiting.filter(({ planned_at }) => planned_at !== last);
  return earlier.length === 0 ? run.waiting : earlier;
}

/** What was done: units that were equally late, with the same outcome for the same reason, together. */
export const doneGroups = (actions: readonly ProfileRunAction[]): readonly StepGroup<ProfileRunAction>[] =>
  grouped(actions, (each) =>
    [each.path, each.iteration, each.planned_at, delayText(each), each.outcome, each.reason].join(' '),
  );
