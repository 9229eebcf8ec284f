import { checkBiomass } from './check-biomass.ts';
import { checkExpressions } from './check-expressions.ts';
import { unknownNames } from './check-names.ts';
import { checkOrder } from './check-order.ts';
import { maxFindings, type ProfileFinding } from './diagnostic.ts';
import { parsePluginConstraint } from './plugin-version.ts';
import type { Profile, ProfileAction, ProfileJobs, RepeatAction, WhenAction } from './profile.ts';
import { profileTime } from './profile-time.ts';
import { shortened } from './shortened.ts';

type Report = (finding: ProfileFinding) => void;

/** Parses a time and reports why it is not valid. */
function checkTime(report: Report, path: string, value: number | string, isLength = false): number | undefined {
  const time = profileTime(value);
  const shown = shortened(JSON.stringify(value));
  if (!time.ok && time.is === 'negative') {
    report({ severity: 'error', code: 'time.negative', message: `The time ${shown} must not be negative.`, path });
    return undefined;
  }
  if (!time.ok) {
    const hint = "Write a number of hours, or a number with its unit: '10s', '15m', '1.5h', '2d'.";
    report({ severity: 'error', code: 'time.invalid', message: `The time ${shown} is not valid.`, path, hint });
    return undefined;
  }
  if (isLength && time.ms === 0) {
    report({ severity: 'error', code: 'time.non_positive', message: `The time ${shown} must be above 0.`, path });
    return undefined;
  }
  return time.ms;
}

/** The time of an action, in milliseconds; undefined: not valid, and reported. */
function checkStart(report: Report, path: string, { t, hours_elapsed }: ProfileAction): number | undefined {
  const base = { severity: 'error', path } as const;
  if (t === null && hours_elapsed === null) {
    report({ ...base, code: 'action.time.missing', message: 'The action has no time.', hint: "Add 't'." });
    return undefined;
  }
  if (t !== null && hours_elapsed !== null) {
    const message = "The action has two times: 't' and 'hours_elapsed'.";
    report({ ...base, code: 'action.time.conflict', message, hint: "Keep 't'." });
    return undefined;
  }
  return t === null
    ? checkTime(report, `${path}.hours_elapsed`, hours_elapsed ?? 0)
    : checkTime(report, `${path}.t`, t);
}

function checkPeriod(
  report: Report,
  path: string,
  { every, repeat_every_hours: hours }: RepeatAction,
): number | undefined {
  if (every === null && hours === null) {
    const message = "The loop has no period: 'every' is missing.";
    report({ severity: 'error', code: 'repeat.every.missing', message, path });
    return undefined;
  }
  if (every !== null && hours !== null) {
    const message = "The loop has two periods: 'repeat_every_hours' applies, 'every' is ignored.";
    report({ severity: 'warning', code: 'repeat.every.ambiguous', message, path, hint: 'Keep one of them.' });
  }
  if (hours !== null) return checkTime(report, `${path}.repeat_every_hours`, hours, true);
  return every === null ? undefined : checkTime(report, `${path}.every`, every, true);
}

function checkRepeat(report: Report, path: string, action: RepeatAction): void {
  const periodMs = checkPeriod(report, path, action);
  if (action.max_time !== null) checkTime(report, `${path}.max_time`, action.max_time, true);
  if (action.max_hours !== null) checkTime(report, `${path}.max_hours`, action.max_hours, true);
  for (const [index, nested] of action.actions.entries()) {
    const own = `${path}.actions[${index}]`;
    const offsetMs = checkAction(report, own, nested);
    if (offsetMs === undefined || periodMs === undefined || offsetMs <= periodMs) continue;
    const message = 'The time of the action is after the end of the period: the action is never executed.';
    report({ severity: 'warning', code: 'repeat.unreachable_action', message, path: own });
  }
}

function checkWhen(report: Report, path: string, { condition, wait_until, actions }: WhenAction): void {
  if (condition === null && wait_until === null) {
    const message = "The action has no condition: 'wait_until' is missing.";
    report({ severity: 'error', code: 'when.condition.missing', message, path });
  }
  if (condition !== null && wait_until !== null) {
    const message = "The action has two conditions: 'wait_until' applies, 'condition' is ignored.";
    report({ severity: 'warning', code: 'when.condition.ambiguous', message, path, hint: 'Keep one of them.' });
  }
  for (const [index, nested] of actions.entries()) checkAction(report, `${path}.actions[${index}]`, nested);
}

/** Returns the time of the action, in milliseconds. */
function checkAction(report: Report, path: string, action: ProfileAction): number | undefined {
  const startMs = checkStart(report, path, action);
  if (action.type === 'repeat') checkRepeat(report, path, action);
  if (action.type === 'when') checkWhen(report, path, action);
  return startMs;
}

/** The groups of jobs of a profile, with their paths: those of all units, then those of each unit in the order of the file. */
export function jobGroups(profile: Profile): readonly (readonly [path: string, jobs: ProfileJobs])[] {
  return [
    ['common.jobs', profile.common.jobs],
    ...Object.entries(profile.reactors).map(([unit, { jobs }]) => [`reactors.${unit}.jobs`, jobs] as const),
  ];
}

/** What is wrong with the meaning of a profile. */
export interface ProfileFindings {
  readonly errors: readonly ProfileFinding[];
  readonly warnings: readonly ProfileFinding[];
}

/** The findings about the meaning of a profile whose structure is valid. Pure. */
export function checkProfile(profile: Profile): ProfileFindings {
  const errors: ProfileFinding[] = [];
  const warnings: ProfileFinding[] = [];
  const report: Report = (finding) => (finding.severity === 'error' ? errors : warnings).push(finding);
  for (const [index, { version }] of profile.plugins.entries()) {
    if (parsePluginConstraint(version) !== undefined) continue;
    const message = `The version ${JSON.stringify(shortened(version))} is not valid.`;
    const hint = "Write a version, or one after '==', '>=' or '<='.";
    report({ severity: 'error', code: 'plugin.version.invalid', message, path: `plugins[${index}].version`, hint });
  }
  const groups = jobGroups(profile);
  for (const [path, jobs] of groups) {
    for (const [job, { actions }] of Object.entries(jobs)) {
      for (const [index, action] of actions.entries()) {
        const own = `${path}.${job}.actions[${index}]`;
        checkAction(report, own, action);
        checkExpressions(report, own, action);
      }
    }
  }
  checkBiomass(report, groups);
  checkOrder(report, profile);
  for (const finding of unknownNames(groups, profile.inputs)) {
    // Suggestions take time, and more findings are not shown.
    if (warnings.length >= maxFindings) break;
    report(finding);
  }
  return { errors, warnings };
}
