import type { PlannedAction, PreflightFinding, ProfilePlan } from '@lcs/contract';
import { dosingAutomationJob } from '../../automations/automation-jobs.ts';
import { biomassSignalSetting } from '../../automations/biomass.ts';
import { formatMl } from '../../automations/dosing-automation.ts';
import { jobsReadByDosing } from '../../automations/readings-of-dosing.ts';
import { usualExchange } from '../../dosing/dosing-forecast.ts';
import { stirringJob } from '../../jobs/built-in-jobs.ts';
import { isTooSlowToMeasure, slowestMeasuredRpm, stirringTargets } from '../../stirring/measured-speed.ts';
import { plannedValue } from '../planned-value.ts';
import { parsePluginConstraint, satisfies } from '../plugin-version.ts';
import type { Profile } from '../profile.ts';
import { calibrationFindings } from './calibration-findings.ts';
import { isCertain, leastPumped, moreToVerify, optionOf, plannedNumber } from './planned-dosing.ts';
import type { PreflightFacts, PreflightUnit, ReportedJob } from './preflight-facts.ts';

export const preflightChecks: readonly string[] = [
  ...['plugins', 'reachability', 'jobs', 'readings', 'clock', 'disk', 'model', 'calibrations', 'pumps', 'bottles'],
];

/** A unit with less free space is about to refuse readings; the leader warns of its own disk at the same level. */
const leastDiskBytes = 512 * 1024 * 1024;
/** Readings of a run are compared with each other across units: chosen. */
const mostClockSkewMs = 5_000;

type Findings = Generator<PreflightFinding>;
type About = Omit<PreflightFinding, 'severity' | 'code'>;

const blocks = (code: string, about: About): PreflightFinding => ({ severity: 'blocks', code, ...about });
const warns = (code: string, about: About): PreflightFinding => ({ severity: 'warns', code, ...about });

function* leaderFindings({ plugins: required }: Profile, { leaderDisk, plugins }: PreflightFacts): Findings {
  for (const { name, version } of required) {
    const constraint = parsePluginConstraint(version);
    const found = plugins.find((plugin) => plugin.name === name);
    if (found && constraint && satisfies(found.version, constraint)) continue;
    const present = found ? `version ${found.version} is installed` : 'it is not installed on the leader';
    yield blocks('plugin_missing', {
      reactor_unit: null,
      message: `The profile requires ${name} ${version}; ${present}.`,
      remediation: 'Install the plugin on the leader and its units.',
    });
  }
  if (leaderDisk === 'enough') return;
  yield warns('leader_disk_low', {
    reactor_unit: null,
    message: `The disk of the leader is ${leaderDisk === 'full' ? 'full' : 'nearly full'}.`,
    remediation: 'Delete experiments, exports or other files before a long run.',
  });
}

function* stateFindings(
  { reactor_unit, unreachable, clockOffsetMs, freeDiskBytes }: PreflightUnit,
  actions: readonly PlannedAction[],
): Findings {
  if (unreachable !== undefined) {
    const byPath = new Map(actions.map((action) => [action.path, action]));
    const startsAtOnce = actions.some(
      (action) => action.at_s === 0 && action.action === 'start' && isCertain(action, byPath),
    );
    const finding = startsAtOnce ? blocks : warns;
    yield finding('unit_unreachable', {
      reactor_unit,
      message: `${reactor_unit} does not answer: ${unreachable}${startsAtOnce ? ' The profile starts a job on it at once.' : ''}`,
      remediation: 'Switch the unit on and check its network, then check again.',
    });
    return;
  }
  if (clockOffsetMs !== null && Math.abs(clockOffsetMs) > mostClockSkewMs)
    yield warns('clock_skew', {
      reactor_unit,
      message: `The clock of ${reactor_unit} differs from that of the leader by ${Math.round(clockOffsetMs / 100) / 10} s.`,
      remediation: 'Set the clocks (POST /api/system/utc_clock).',
    });
  if (freeDiskBytes !== undefined && freeDiskBytes < leastDiskBytes)
    yield warns('unit_disk_low', {
      reactor_unit,
      message: `The disk of ${reactor_unit} has ${Math.floor(freeDiskBytes / 1024 / 1024)} MB of free space.`,
      remediation: 'Delete files on the unit before a long run.',
    });
}

/** Settings of a job that say what it does. */
const tellingSettings = {
  automation_name: (name: string | number) => String(name),
  target_rpm: (rpm: string | number) => `${rpm} RPM`,
  target_temperature: (celsius: string | number) => `target ${celsius} °C`,
  target_biomass: (biomass: string | number) => `target ${biomass}`,
} as const;

const settingsText = ({ settings }: ReportedJob): string => {
  const values = Object.entries(tellingSettings).flatMap(([name, textOf]) => {
    const value = settings[name];
    return typeof value === 'number' || typeof value === 'string' ? [textOf(value)] : [];
  });
  return values.length === 0 ? '' : ` (${values.join(', ')})`;
};

/** Whether a running job has every value that a start would give it. */
function runsAsPlanned({ settings }: ReportedJob, { options, planned_options }: PlannedAction): boolean {
  const planned = Object.entries({ ...options, ...planned_options });
  return planned.length > 0 && planned.every(([key, value]) => settings[key.replaceAll('-', '_')] === value);
}

/** A later start may find the job stopped by then: chosen. */
const soonS = 600;

/** A job that runs refuses a start, and keeps its values: a run that begins with one does not do what it says, and must be confirmed. */
function* jobFindings({ reactor_unit, runningJobs }: PreflightUnit, actions: readonly PlannedAction[]): Findings {
  const byPath = new Map(actions.map((action) => [action.path, action]));
  for (const running of runningJobs) {
    const { job } = running;
    const first = actions.find(({ job_name, action }) => job_name === job && action !== 'log');
    if (first?.action !== 'start') continue;
    const isAsPlanned = runsAsPlanned(running, first);
    const finding = first.at_s <= soonS && isCertain(first, byPath) && !isAsPlanned ? blocks : warns;
    const kept = isAsPlanned
      ? 'with the values of this start: it changes nothing'
      : 'this start fails, and the job keeps its present values';
    yield finding('job_running', {
      reactor_unit,
      message: `Line ${first.line}: ${job} is running on ${reactor_unit} already${settingsText(running)}${isAsPlanned ? ' ' : ': '}${kept}.`,
      remediation: isAsPlanned ? 'The run goes on with the job as it is.' : 'Stop the job before the run.',
      job_name: job,
    });
  }
}

/** Automation and settings with which an action leaves dosing; undefined: it ends or pauses it, or is of another job. */
function dosingAfter(action: PlannedAction, { runningJobs }: PreflightUnit, { inputs }: Profile) {
  if (action.job_name !== dosingAutomationJob.name || !['start', 'update', 'resume'].includes(action.action))
    return undefined;
  const running = runningJobs.find(({ job }) => job === dosingAutomationJob.name);
  const before = action.action === 'start' ? {} : (running?.settings ?? {});
  const settingOf = (name: string) => plannedValue(optionOf(action, name), inputs) ?? before[name];
  return { automation: settingOf('automation_name'), signal: settingOf(biomassSignalSetting) };
}

/** Dosing that waits for readings stays on and doses nothing. */
function* readingFindings(unit: PreflightUnit, actions: readonly PlannedAction[], profile: Profile): Findings {
  const { reactor_unit, runningJobs, unreachable } = unit;
  if (unreachable !== undefined) return;
  const seen = new Set<string>();
  for (const action of actions) {
    const dosing = dosingAfter(action, unit, profile);
    if (dosing === undefined) continue;
    for (const needed of jobsReadByDosing(dosing.automation, { [biomassSignalSetting]: dosing.signal })) {
      const isStarted = actions.some(
        ({ job_name, action: what, at_s }) => job_name === needed && what === 'start' && at_s <= action.at_s,
      );
      if (seen.has(needed) || isStarted || runningJobs.some(({ job }) => job === needed)) continue;
      seen.add(needed);
      yield warns('readings_off', {
        reactor_unit,
        message: `Line ${action.line}: ${dosing.automation} needs the readings of ${needed}, which is off on ${reactor_unit}: nothing is dosed without them.`,
        remediation: `Start ${needed} in the profile before this line, or by hand.`,
        job_name: needed,
      });
    }
  }
}

/** The same rule as for a start by hand. */
function* speedFindings(
  { reactor_unit }: PreflightUnit,
  actions: readonly PlannedAction[],
  { inputs }: Profile,
): Findings {
  for (const action of actions) {
    if (action.job_name !== stirringJob.name) continue;
    const slow = stirringTargets
      .map((name) => plannedNumber(optionOf(action, name), inputs))
      .find((rpm) => rpm !== undefined && isTooSlowToMeasure(rpm));
    if (slow === undefined) continue;
    yield warns('stirring_too_slow', {
      reactor_unit,
      message: `Line ${action.line}: ${slow} RPM is slower than the speed sensor can measure: the stirrer of ${reactor_unit} counts as stalled.`,
      remediation: `Choose at least ${slowestMeasuredRpm} RPM, or 0 to stop the stirrer.`,
    });
  }
}

function* modelFindings(
  { reactor_unit, model }: PreflightUnit,
  actions: readonly PlannedAction[],
  { inputs }: Profile,
): Findings {
  const setting = actions.filter(({ action }) => action === 'start' || action === 'update');
  if (model === undefined) {
    yield warns('model_unknown', {
      reactor_unit,
      message: `The vial model of ${reactor_unit} is not known: volumes and temperatures were not checked.`,
      remediation: 'Select the model of the unit on its page.',
    });
    return;
  }
  const limits = [
    [
      'temperature_automation',
      'target_temperature',
      model.max_temp_to_disable_heating,
      '°C',
      'heating is disabled there',
    ],
    ['dosing_automation', 'current_volume_ml', model.reactor_max_fill_volume_ml, 'mL', 'the vial is full there'],
    ['dosing_automation', 'efflux_tube_volume_ml', model.reactor_max_fill_volume_ml, 'mL', 'the vial is full there'],
  ] as const;
  const byPath = new Map(actions.map((action) => [action.path, action]));
  const seen = new Set<string>();
  for (const action of setting) {
    for (const [job, option, limit, unit, why] of limits) {
      const value = action.job_name === job ? plannedNumber(optionOf(action, option), inputs) : undefined;
      if (value === undefined || value <= limit || seen.has(`${action.path} ${option}`)) continue;
      seen.add(`${action.path} ${option}`);
      const finding = isCertain(action, byPath) ? blocks : warns;
      yield finding('model_limit', {
        reactor_unit,
        message: `Line ${action.line}: ${option} ${value} ${unit} is above the limit of ${model.display_name}, ${limit} ${unit}: ${why}.`,
        remediation: `Choose a value of at most ${limit} ${unit}.`,
      });
    }
  }
}

const bottleNames = { media: 'medium', alt_media: 'alternative medium', waste: 'waste' } as const;

function* bottleFindings(
  { reactor_unit, bottlesMl, culture }: PreflightUnit,
  actions: readonly PlannedAction[],
  { inputs }: Profile,
): Findings {
  const needed = leastPumped(actions, inputs, {
    volumeMl: culture?.volume_ml ?? undefined,
    maxSubdoseMl: culture?.exchange?.max_subdose_ml ?? usualExchange.maxSubdoseMl,
    evaporationMlPerHour: culture?.evaporation_ml_per_hour ?? usualExchange.evaporationMlPerHour,
  });
  for (const pump of ['media', 'alt_media', 'waste'] as const) {
    const needMl = needed[pump];
    const leftMl = bottlesMl[pump];
    if (needMl === 0) continue;
    const need = `The profile ${pump === 'waste' ? 'removes' : 'needs'} at least ${formatMl(needMl)}`;
    const bottle = `the ${bottleNames[pump]} bottle of ${reactor_unit}`;
    if (leftMl === undefined)
      yield warns('bottle_unknown', {
        reactor_unit,
        message: `${need}; the volume ${pump === 'waste' ? 'that is free' : 'left'} in ${bottle} is not known.`,
        remediation: `Enter it (${pump}_bottle_left_ml), or check the bottle.`,
      });
    else if (leftMl < needMl)
      yield blocks('bottle_too_small', {
        reactor_unit,
        message: `${need}; ${bottle} has ${formatMl(leftMl)} ${pump === 'waste' ? 'free' : 'left'}.`,
        remediation: `${pump === 'waste' ? 'Empty' : 'Change'} the bottle and enter its volume, or plan fewer or smaller doses.`,
      });
    else if (pump !== 'alt_media' && leftMl < needMl + moreToVerify(needed.exchanged))
      yield warns('bottle_tight', {
        reactor_unit,
        message: `${need}, and up to ${formatMl(needMl + moreToVerify(needed.exchanged))} with the larger exchanges that verify that waste leaves; ${bottle} has ${formatMl(leftMl)} ${pump === 'waste' ? 'free' : 'left'}.`,
        remediation: `${pump === 'waste' ? 'Empty' : 'Change'} the bottle and enter its volume, or watch it near the end of the run.`,
      });
  }
}

/** The findings about the start of a profile with this plan. Pure. Those that block come first. */
export function preflightFindings(profile: Profile, plan: ProfilePlan, facts: PreflightFacts): PreflightFinding[] {
  const findings = [...leaderFindings(profile, facts)];
  for (const unit of facts.units) {
    const actions = plan.units.find(({ reactor_unit }) => reactor_unit === unit.reactor_unit)?.actions ?? [];
    if (actions.length === 0) continue;
    findings.push(...stateFindings(unit, actions), ...jobFindings(unit, actions));
    findings.push(...readingFindings(unit, actions, profile));
    findings.push(...speedFindings(unit, actions, profile));
    findings.push(...modelFindings(unit, actions, profile));
    findings.push(...calibrationFindings(unit, actions, { profile, nowMs: facts.nowMs }));
    findings.push(...bottleFindings(unit, actions, profile));
  }
  return findings.sort((a, b) => Number(b.severity === 'blocks') - Number(a.severity === 'blocks'));
}
