import type { PlannedAction, ProfilePlan } from '@lcs/contract';

/** A time in which a job runs, in seconds from the start of the profile. */
interface Bar {
  readonly fromS: number;
  readonly toS: number;
  readonly isPaused: boolean;
  /** The time is known only when a wait has ended. */
  readonly isUncertain: boolean;
}

export interface Mark {
  readonly action: PlannedAction;
  readonly isUncertain: boolean;
}

/** A row of the timeline: the actions on one job of one unit. */
export interface Lane {
  readonly jobName: string;
  readonly bars: readonly Bar[];
  readonly marks: readonly Mark[];
}

export interface UnitLanes {
  readonly unit: string;
  readonly label: string | null;
  readonly isTruncated: boolean;
  readonly lanes: readonly Lane[];
}

export interface Timeline {
  /** Seconds; the axis ends here. */
  readonly endS: number;
  readonly units: readonly UnitLanes[];
}

/** A job that is still on at the end of the axis runs on: the axis is longer than the last action by this share. */
const roomAfterLast = 0.05;
const shortestAxisS = 60;

function barsOf(marks: readonly Mark[], endS: number): readonly Bar[] {
  const bars: Bar[] = [];
  let open: Omit<Bar, 'toS'> | undefined;
  const close = (toS: number): void => {
    if (open !== undefined && toS > open.fromS) bars.push({ ...open, toS });
    open = undefined;
  };
  for (const { action, isUncertain } of marks) {
    const { action: type, at_s: fromS } = action;
    if (!['start', 'pause', 'resume', 'stop'].includes(type)) continue;
    const wasOn = open !== undefined;
    close(fromS);
    if (type === 'start' || (wasOn && type !== 'stop')) open = { fromS, isPaused: type === 'pause', isUncertain };
  }
  close(endS);
  return bars;
}

/** The rows of a plan, in the order of its actions. */
export function timelineOf(plan: Pick<ProfilePlan, 'units'>): Timeline {
  const lastS = Math.max(0, ...plan.units.map(({ actions }) => Math.max(0, ...actions.map(({ at_s }) => at_s))));
  const endS = Math.max(lastS * (1 + roomAfterLast), shortestAxisS);
  const units = plan.units.map(({ reactor_unit: unit, label, is_truncated: isTruncated, actions }) => {
    const waits = new Set(actions.filter(({ action }) => action === 'when').map(({ path }) => `${path}.`));
    const afterWait = ({ path }: PlannedAction): boolean => [...waits].some((wait) => path.startsWith(wait));
    const byJob = new Map<string, Mark[]>();
    for (const action of actions) {
      const marks = byJob.get(action.job_name) ?? [];
      byJob.set(action.job_name, marks);
      marks.push({ action, isUncertain: afterWait(action) });
    }
    const lanes = [...byJob].map(([jobName, marks]) => ({ jobName, marks, bars: barsOf(marks, endS) }));
    return { unit, label, isTruncated, lanes };
  });
  return { endS, units };
}

/** When the last action is due, in seconds: a loop may end before its time is over. Null: conditions decide about it. */
export function lastActionS({ length_s, omitted_units, units }: ProfilePlan): number | null {
  const isWhole = omitted_units === 0 && units.length > 0 && units.every(({ is_truncated }) => !is_truncated);
  if (length_s === null || !isWhole) return length_s;
  return Math.max(...units.flatMap(({ actions }) => actions.map(({ at_s }) => at_s)), 0);
}

/** Whether a plan without an experiment is one for each unit, whatever its name: the profile names none. */
export const isForEachUnit = ({ units }: Pick<ProfilePlan, 'units'>): boolean =>
  units.length === 1 && units.every(({ actions }) => actions.every(({ path }) => path.startsWith('common.')));

/** All actions of a unit by their time. */
export const marksInOrder = ({ lanes }: Pick<UnitLanes, 'lanes'>): readonly Mark[] =>
  lanes.flatMap(({ marks }) => marks).sort((one, other) => one.action.at_s - other.action.at_s);

const steps = [
  [10, 1, 's'],
  [30, 1, 's'],
  [60, 60, 'min'],
  [300, 60, 'min'],
  [600, 60, 'min'],
  [1800, 60, 'min'],
  [3600, 3600, 'h'],
  [7200, 3600, 'h'],
  [21_600, 3600, 'h'],
  [43_200, 3600, 'h'],
  [86_400, 86_400, 'd'],
  [172_800, 86_400, 'd'],
  [432_000, 86_400, 'd'],
  [864_000, 86_400, 'd'],
  [2_592_000, 86_400, 'd'],
  [31_536_000, 86_400, 'd'],
] as const;

const mostTicks = 4;

/** Round times on the axis with their texts. */
export function elapsedTicks(endS: number): readonly { readonly atS: number; readonly text: string }[] {
  const [step, unitS, unit] = steps.find(([each]) => endS / each <= mostTicks) ?? steps[steps.length - 1] ?? steps[0];
  return Array.from({ length: Math.floor(endS / step) + 1 }, (_, index) => ({
    atS: index * step,
    text: index === 0 ? '0' : `${(index * step) / unitS} ${unit}`,
  }));
}

/** The line of the action that the caret is in: the nearest one at or above it. */
export function actionLineAt(plan: Pick<ProfilePlan, 'units'>, line: number): number | undefined {
  const lines = plan.units
    .flatMap(({ actions }) => actions.map((action) => action.line))
    .filter((each) => each <= line);
  return lines.length === 0 ? undefined : Math.max(...lines);
}
