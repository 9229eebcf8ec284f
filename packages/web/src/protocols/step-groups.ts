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

/** What was done: units that were equally late, with the same outcome for the same reason, together. */
export const doneGroups = (actions: readonly ProfileRunAction[]): readonly StepGroup<ProfileRunAction>[] =>
  grouped(actions, (each) =>
    [each.path, each.iteration, each.planned_at, delayText(each), each.outcome, each.reason].join(' '),
  );
