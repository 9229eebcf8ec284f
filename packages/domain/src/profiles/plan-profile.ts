import { jobGroups } from './check-profile.ts';
import { bracketedExpression, expressionsIn } from './expressions/brackets.ts';
import type { BasicAction, Profile, ProfileAction, ProfileJobs, ProfileValues } from './profile.ts';
import { profileTime } from './profile-time.ts';

/** One action on one job of one unit at one time. */
export interface ProfileStep {
  /** From 0, in the order of execution; the same each time the same profile is planned for the same units. */
  readonly position: number;
  /** Since the start of the profile, in milliseconds. */
  readonly atMs: number;
  readonly unit: string;
  readonly job: string;
  /** Path in the profile. */
  readonly path: string;
  readonly action: BasicAction;
}

/** The units of a profile. */
export interface ProfileUnits {
  /** Units to which the common jobs apply. */
  readonly common: readonly string[];
  /** Units whose own block applies. */
  readonly own: readonly string[];
}

/** The order of actions at the same time: stops come after starts, messages come last. */
const priorities: Readonly<Record<BasicAction['type'], number>> = {
  start: 0,
  stop: 1,
  pause: 2,
  resume: 3,
  update: 4,
  log: 10,
};

const isBasic = (action: ProfileAction): action is BasicAction => action.type !== 'repeat' && action.type !== 'when';

/** The time of an action of a valid profile. */
function momentOf({ t, hours_elapsed }: BasicAction): number {
  const time = profileTime(t ?? hours_elapsed ?? 0);
  if (!time.ok) throw new RangeError('The profile must be valid.');
  return time.ms;
}

function stepsOf(jobs: ProfileJobs, path: string, units: readonly string[]): readonly Omit<ProfileStep, 'position'>[] {
  return Object.entries(jobs).flatMap(([job, { actions }]) =>
    actions.flatMap((action, index) => {
      if (!isBasic(action) || action.if !== true) return [];
      const own = { atMs: momentOf(action), job, path: `${path}.${job}.actions[${index}]`, action };
      return units.map((unit) => ({ ...own, unit }));
    }),
  );
}

/**
 * The steps of a valid profile without expressions, in the order of execution: by time, then by the type of the action, then common
 * jobs before those of single units, then in the order of the file.
 */
export function planProfile(profile: Profile, { common, own }: ProfileUnits): readonly ProfileStep[] {
  const steps = [
    ...stepsOf(profile.common.jobs, 'common.jobs', common),
    ...Object.entries(profile.reactors).flatMap(([unit, { jobs }]) =>
      own.includes(unit) ? stepsOf(jobs, `reactors.${unit}.jobs`, [unit]) : [],
    ),
  ];
  return steps
    .sort((a, b) => a.atMs - b.atMs || priorities[a.action.type] - priorities[b.action.type])
    .map((step, position) => ({ position, ...step }));
}

/** A part of a profile that the leader cannot execute yet. */
export interface UnsupportedPart {
  readonly path: string;
  /** For the middle of a sentence. */
  readonly feature: string;
}

const hasExpression = (values: ProfileValues): boolean =>
  Object.values(values).some((value) => typeof value === 'string' && bracketedExpression(value) !== undefined);

function unsupportedIn(action: ProfileAction, path: string, job: string): readonly UnsupportedPart[] {
  const parts: UnsupportedPart[] = [];
  if (typeof action.if === 'string') parts.push({ path: `${path}.if`, feature: "a condition ('if')" });
  switch (action.type) {
    case 'repeat':
      parts.push({ path, feature: "a loop ('repeat')" });
      break;
    case 'when':
      parts.push({ path, feature: "waiting for a condition ('when')" });
      break;
    case 'start':
      if (hasExpression(action.config_overrides))
        parts.push({ path: `${path}.config_overrides`, feature: 'an expression in config_overrides' });
      if (hasExpression(action.options)) parts.push({ path: `${path}.options`, feature: 'an expression in options' });
      break;
    case 'update':
      if (hasExpression(action.options)) parts.push({ path: `${path}.options`, feature: 'an expression in options' });
      break;
    case 'log':
      if (expressionsIn(action.options.message).length > 0)
        parts.push({ path: `${path}.options.message`, feature: 'an expression in a message' });
      break;
    case 'resume':
      if (job === 'led_intensity') parts.push({ path, feature: "'resume' of led_intensity" });
      break;
  }
  return parts;
}

/** The parts of a profile that need values at run time; the leader can execute a profile without such parts. */
export function unsupportedParts(profile: Profile): readonly UnsupportedPart[] {
  return jobGroups(profile).flatMap(([path, jobs]) =>
    Object.entries(jobs).flatMap(([job, { actions }]) =>
      actions.flatMap((action, index) => unsupportedIn(action, `${path}.${job}.actions[${index}]`, job)),
    ),
  );
}
