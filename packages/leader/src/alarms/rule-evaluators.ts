import { hourMs, type LiveJob, minuteMs, type UnitStatus } from '@lcs/contract';
import {
  type AlarmMonitor,
  type AlarmRuleDefinition,
  dosingAutomationJob,
  expectedReadings,
  jobOfSource,
  jobsReadByDosing,
  namedSources,
  numericParameter,
  type RuleSettings,
  sideOfBand,
} from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import type { NewestReading } from './alarm-facts.ts';
import type { AlarmSubject } from './alarm-store.ts';
import { type ClusterSnapshot, cluster, type Evaluation, type Finding, ofUnit } from './evaluation.ts';

type Evaluator<Input extends AlarmMonitor['input'] = AlarmMonitor['input']> = (
  rule: AlarmRuleDefinition,
  monitor: Extract<AlarmMonitor, { input: Input }>,
  snapshot: ClusterSnapshot,
) => Evaluation;

/** A reading older than this does not describe the present state. */
const staleReadingMs = 15 * minuteMs;
/** After a start of the leader, every reachable unit answers within this time. */
const settlingMs = 120_000;

const liveness: Evaluator<'liveness'> = (_rule, _watch, { units, upMs }) => ({
  findings: units.map((unit) => ({
    subject: ofUnit(unit.reactor_unit),
    isTrue: isAway(unit, upMs),
    message: `${unit.reactor_unit} is offline${unit.last_heard_at === null ? '' : ` since ${unit.last_heard_at}`}.`,
  })),
  absent: 'over',
});

function isAway({ liveness: is, last_heard_at, trouble: fault }: UnitStatus, upMs: number): boolean | undefined {
  // A unit with a fault answers; rule unit_fault covers it.
  if (fault !== null || is === 'online') return false;
  // After a start of the leader no unit has answered yet.
  const isSettling = upMs < settlingMs && last_heard_at === null;
  return is === 'stale' || isSettling ? undefined : true;
}

const faultText = {
  foreign_leader: 'belongs to another leader',
  not_enrolled: 'has no leader any more',
  feed_epoch_changed: 'began a new numbering and has not enrolled with it',
  protocol_unsupported: 'uses another version of the protocol than this leader',
  revoked: 'has revoked credentials',
} as const;

const unitFault: Evaluator<'unit_fault'> = (_rule, _watch, { units }) => ({
  findings: units.map(({ reactor_unit, trouble: fault }) => ({
    subject: ofUnit(reactor_unit),
    isTrue: fault !== null,
    message: fault === null ? '' : `${reactor_unit} ${faultText[fault]}: the leader does not receive its records.`,
  })),
  absent: 'over',
});

/** At least three readings of a job are due within the time that counts as silence; undefined: the job does not run. */
function silenceMs(job: LiveJob | undefined, rule: RuleSettings): number {
  const interval = job?.settings.interval;
  const intervalMs = typeof interval === 'number' ? interval * 1_000 : 0;
  return Math.max((numericParameter(rule, 'minutes') ?? 10) * minuteMs, 3 * intervalMs);
}

const seriesSilence: Evaluator<'series_silence'> = (rule, _watch, snapshot) => {
  const { jobs, facts, conditionsOf, nowMs, upMs, units } = snapshot;
  const watched = new Set(units.map(({ reactor_unit }) => reactor_unit));
  const away = new Set(units.filter(({ liveness: is }) => is !== 'online').map(({ reactor_unit }) => reactor_unit));
  const findings = jobs.flatMap((job): Finding[] => {
    const { job_name, reactor_unit, experiment, state, since } = job;
    const expected = expectedReadings(job_name);
    if (expected === undefined || !watched.has(reactor_unit)) return [];
    const subject = { unit: reactor_unit, experiment: experimentOr(experiment), detail: job_name };
    const receivedMs = facts.lastReceivedMs(reactor_unit, expected.sources);
    const message = `${reactor_unit}: ${job_name} is running, and the leader has received no reading of it`;
    if (state === 'sleeping') return [{ subject, isTrue: false, message }];
    // A unit that does not answer raises one alarm, not one for each of its series.
    if (state !== 'ready' || away.has(reactor_unit) || (receivedMs === undefined && expected.onlyAfterFirst))
      return [{ subject, isTrue: undefined, message }];
    // Silence counts from the start of the leader.
    const backMs = conditionsOf(reactor_unit).answeringSinceMs;
    const silentSinceMs = Math.max(Date.parse(since), nowMs - upMs, backMs, receivedMs ?? Number.NEGATIVE_INFINITY);
    const silentMs = nowMs - silentSinceMs;
    const isTrue = silentMs >= silenceMs(job, snapshot.settings(rule, subject));
    return [{ subject, isTrue, message: `${message} for ${Math.floor(silentMs / minuteMs)} minutes.` }];
  });
  return { findings, absent: upMs < settlingMs ? 'unknown' : 'over' };
};

/** A dosing automation that waits for readings: it stays on, and doses nothing. */
const dosingReadings: Evaluator<'dosing_readings'> = (rule, _watch, snapshot) => {
  const { jobs, facts, conditionsOf, nowMs, upMs, units } = snapshot;
  const online = new Map(units.map(({ reactor_unit, liveness: is }) => [reactor_unit, is === 'online']));
  const dosing = jobs.filter(
    ({ job_name, reactor_unit, state }) =>
      job_name === dosingAutomationJob.name && state === 'ready' && online.has(reactor_unit),
  );
  const findings = dosing.flatMap(({ reactor_unit, experiment, settings, since }) =>
    jobsReadByDosing(settings.automation_name, settings).map((needed): Finding => {
      const subject = { unit: reactor_unit, experiment: experimentOr(experiment), detail: needed };
      const job = jobs.find((each) => each.reactor_unit === reactor_unit && each.job_name === needed);
      const receivedMs = facts.lastReceivedMs(reactor_unit, expectedReadings(needed)?.sources ?? []);
      const backMs = conditionsOf(reactor_unit).answeringSinceMs;
      const silentMs =
        nowMs - Math.max(Date.parse(since), nowMs - upMs, backMs, receivedMs ?? Number.NEGATIVE_INFINITY);
      const isSilent = silentMs >= silenceMs(job, snapshot.settings(rule, subject));
      const why = job === undefined ? ` ${needed} is off.` : '';
      return {
        subject,
        isTrue: online.get(reactor_unit) === true ? isSilent : undefined,
        message: `${reactor_unit}: dosing (${settings.automation_name}) doses nothing: no value of ${needed} for ${Math.floor(silentMs / minuteMs)} min.${why}`,
      };
    }),
  );
  return { findings, absent: upMs < settlingMs ? 'unknown' : 'over' };
};

const experimentOr = (name: string): string | null => (name.startsWith('$') ? null : name);

/** Units that follow a number; those of ratios and of densities say nothing there. */
const plainUnits: ReadonlySet<string> = new Set(['°C', 'mL', 'RPM', '%', 'V']);

/** The unit of a source after a number; '': it has none. */
const shownUnit = (source: string): string => {
  const unit = namedSources.find(([name]) => name === source)?.[1].unit ?? '';
  return plainUnits.has(unit) ? ` ${unit}` : '';
};

const detailOf = ({ source, channel }: NewestReading): string => (channel === null ? source : `${source} ${channel}`);

/** As people read it: `OD (channel 2)`, so that no number of a channel is taken for a value. */
const namedDetail = ({ source, channel }: NewestReading): string =>
  `${source.replace(/^od\b/, 'OD')}${channel === null ? '' : ` (channel ${channel})`}`;

const mostDigits = 15;

/** A value with three digits, or as many as show on which side of the limits it is. */
function shortValue(
  value: number,
  { low, high }: { readonly low: number | null; readonly high: number | null },
): number {
  const isAsNear = (rounded: number): boolean =>
    (low === null || Math.sign(rounded - low) === Math.sign(value - low)) &&
    (high === null || Math.sign(rounded - high) === Math.sign(value - high));
  let digits = 3;
  while (digits < mostDigits && !isAsNear(Number(value.toPrecision(digits)))) digits += 1;
  return Number(value.toPrecision(digits));
}

const reading: Evaluator<'reading'> = (rule, { source: declared }, snapshot) => {
  const { facts, nowMs, units, experimentOf, isOn } = snapshot;
  const watched = new Set(units.map(({ reactor_unit }) => reactor_unit));
  const findings: Finding[] = [];
  const sources = declared === undefined ? facts.sources() : [declared];
  for (const newest of sources.flatMap((source) => [...facts.readingsOf(source)])) {
    const experiment = experimentOf(newest.experimentUid) ?? null;
    const isOld =
      jobOfSource(newest.source) === undefined
        ? isLeft(newest.unit, experiment, snapshot)
        : nowMs - newest.receivedMs > staleReadingMs;
    // `absent` decides whether an open alarm of an old reading stays.
    if (!watched.has(newest.unit) || isOld) continue;
    const subject: AlarmSubject = { unit: newest.unit, experiment, detail: detailOf(newest) };
    const settings = snapshot.settings(rule, subject);
    const isOther = declared === undefined && settings.parameters.source !== newest.source;
    if (isOther || !settings.isEnabled) continue;
    const band = {
      low: numericParameter(settings, 'low'),
      high: numericParameter(settings, 'high'),
      deadband: numericParameter(settings, 'deadband') ?? 0,
    };
    const { value } = newest;
    const isOut = (before: 'below' | 'inside' | 'above') => sideOfBand(value, band, before) !== 'inside';
    // The evaluation does not need to know which limit was passed: a value inside the deadband is inside both.
    const isTrue = isOn(rule.rule, subject) ? isOut('below') || isOut('above') : isOut('inside');
    const of = shownUnit(newest.source);
    const at = toTimestamp(newest.receivedMs);
    // The value changes while the alarm stays: the sentence says of when it is.
    const message = `${newest.unit}: ${namedDetail(newest)} was ${shortValue(value, band)}${of} at ${at}, ${passedText(band)}${of}.`;
    findings.push({ subject, isTrue: newest.isBackfill ? undefined : isTrue, message });
  }
  const absent = (subject: AlarmSubject) => {
    const source = sourceOf(subject);
    const isOther = declared === undefined && snapshot.settings(rule, subject).parameters.source !== source;
    return isOther ? 'over' : withoutReading(subject, source, snapshot);
  };
  return { findings, absent };
};

const sourceOf = ({ detail }: AlarmSubject): string => detail?.split(' ')[0] ?? '';

/**
 * The state of an alarm whose series has no recent value. Silence does not clear it: it clears only when no further value is
 * expected. It stays open while the unit or the sensor has failed.
 */
function withoutReading(
  { unit, experiment }: AlarmSubject,
  source: string,
  snapshot: ClusterSnapshot,
): 'over' | 'unknown' {
  const { units, jobs, facts } = snapshot;
  const status = units.find(({ reactor_unit }) => reactor_unit === unit);
  if (unit === null || status === undefined) return 'over';
  if (isLeft(unit, experiment, snapshot)) return 'over';
  const job = jobOfSource(source);
  if (status.liveness !== 'online' || status.trouble !== null || job === undefined) return 'unknown';
  const isRunning = jobs.some(({ reactor_unit, job_name }) => reactor_unit === unit && job_name === job);
  return !isRunning && facts.hasEndedOnPurpose(unit, job) ? 'over' : 'unknown';
}

/** Whether the unit has left this experiment. */
const isLeft = (unit: string, experiment: string | null, { experiments }: ClusterSnapshot): boolean =>
  experiment !== null && experiments.get(unit) !== experiment;

/** Where a value is that a rule is about: `above 0.2`, `outside of 5 to 40`. */
function passedText(band: { readonly low: number | null; readonly high: number | null }): string {
  if (band.low === null && band.high !== null) return `above ${band.high}`;
  if (band.high === null && band.low !== null) return `below ${band.low}`;
  return `outside of ${bandText(band)}`;
}

const bandText = ({ low, high }: { readonly low: number | null; readonly high: number | null }): string =>
  `${low ?? '…'} to ${high ?? '…'}`;

const bottles: Evaluator<'bottles'> = (rule, _watch, snapshot) => {
  const { facts, units, experimentOf, isOn } = snapshot;
  const watched = new Set(units.map(({ reactor_unit }) => reactor_unit));
  const findings = [...facts.bottles()].flatMap(({ unit, experimentUid, bottle, leftMl }): Finding[] => {
    const experiment = experimentOf(experimentUid) ?? null;
    if (!watched.has(unit) || isLeft(unit, experiment, snapshot)) return [];
    const subject = { unit, experiment, detail: bottle };
    const settings = snapshot.settings(rule, subject);
    const limitMl = numericParameter(settings, 'left_ml') ?? 0;
    const margin = isOn(rule.rule, subject) ? (numericParameter(settings, 'deadband') ?? 0) : 0;
    const where = bottle === 'waste' ? 'free in the waste bottle' : `left in the bottle of ${bottle}`;
    return [{ subject, isTrue: leftMl < limitMl + margin, message: `${unit}: ${Math.round(leftMl)} mL ${where}.` }];
  });
  // Units report bottle levels when they change: the last report stays valid.
  const absent = (subject: AlarmSubject) =>
    facts.isWithoutLevel(subject.unit, subject.detail) ? 'over' : withoutReading(subject, 'bottle', snapshot);
  return { findings, absent };
};

const leaderDisk: Evaluator<'leader_disk'> = (_rule, _watch, { diskSpaceLevel }) => ({
  findings: [
    {
      subject: cluster,
      isTrue: diskSpaceLevel !== 'enough',
      message: diskSpaceLevel === 'full' ? 'The disk of the leader is full.' : 'The disk of the leader is nearly full.',
    },
  ],
  absent: 'over',
});

const mb = 1_000_000;

const unitDisk: Evaluator<'unit_disk'> = (rule, _watch, snapshot) => {
  const freeBytesOf = new Map<string, number>();
  for (const { unit, value } of snapshot.facts.readingsOf('disk_free')) freeBytesOf.set(unit, value);
  const findings = snapshot.units.map(({ reactor_unit, outbox_full, liveness: is }): Finding => {
    const subject = ofUnit(reactor_unit);
    const limitMb = numericParameter(snapshot.settings(rule, subject), 'free_mb') ?? 0;
    const freeBytes = freeBytesOf.get(reactor_unit);
    const isKnown = is === 'online' && (outbox_full || freeBytes !== undefined);
    const isLow = freeBytes !== undefined && freeBytes < limitMb * mb;
    const free = freeBytes === undefined ? '' : ` ${Math.round(freeBytes / mb)} MB are free.`;
    const message = outbox_full
      ? `${reactor_unit} refuses new readings because its disk is full.`
      : `The disk of ${reactor_unit} is nearly full.${free}`;
    return { subject, isTrue: isKnown ? outbox_full || isLow : undefined, message };
  });
  return { findings, absent: 'over' };
};

const unitRecords: Evaluator<'unit_records'> = (_rule, _watch, { units, conditionsOf }) => ({
  findings: units.map(({ reactor_unit, liveness: is }) => {
    const message = `${reactor_unit} cannot record stops and changes of jobs: its disk is full, or its database is locked.`;
    const isTrue = is === 'online' ? conditionsOf(reactor_unit).isUnrecorded : undefined;
    return { subject: ofUnit(reactor_unit), isTrue, message };
  }),
  absent: 'over',
});

const unitClock: Evaluator<'unit_clock'> = (rule, _watch, snapshot) => ({
  findings: snapshot.units.map(({ reactor_unit, clock_offset_ms: offMs, liveness: is }) => {
    const subject = ofUnit(reactor_unit);
    const limitMs = (numericParameter(snapshot.settings(rule, subject), 'offset_s') ?? 0) * 1_000;
    const isKnown = offMs !== null && is === 'online';
    const offS = ((offMs ?? 0) / 1_000).toFixed(1);
    const message = `The clock of ${reactor_unit} differs by ${offS} s from that of the leader.`;
    return { subject, isTrue: isKnown ? Math.abs(offMs) > limitMs : undefined, message };
  }),
  absent: 'over',
});

const unitDocument: Evaluator<'unit_document'> = (_rule, _watch, snapshot) => ({
  findings: snapshot.units.map((unit) => {
    const fault = documentFault(unit, snapshot);
    const isTrue = unit.liveness === 'online' ? fault !== undefined : undefined;
    return { subject: ofUnit(unit.reactor_unit), isTrue, message: fault ?? '' };
  }),
  absent: 'over',
});

/** Why the unit has not applied its document. */
function documentFault(
  { reactor_unit, desired_version, applied_version }: UnitStatus,
  { facts, conditionsOf }: Pick<ClusterSnapshot, 'facts' | 'conditionsOf'>,
) {
  if (applied_version < desired_version)
    return `${reactor_unit} has not applied version ${desired_version} of its instructions (it has ${applied_version}).`;
  const failed = facts.failedPartsOf(reactor_unit);
  if (failed !== undefined) return `${reactor_unit} could not apply parts of its instructions: ${failed}.`;
  const pending = conditionsOf(reactor_unit).pendingParts.join(', ');
  return pending === '' ? undefined : `${reactor_unit} is still applying parts of its instructions: ${pending}.`;
}

const store: Evaluator<'store'> = (rule, { table }, snapshot) => ({
  findings: snapshot.rows(table).map(({ unit, count, lastMs }) => {
    const subject = ofUnit(unit);
    const shownMs = (numericParameter(snapshot.settings(rule, subject), 'hours') ?? 24) * hourMs;
    const message =
      table === 'gaps'
        ? `Records of ${unit} are missing (${count === 1 ? 'one gap' : `${count} gaps`}), without a reason from the unit.`
        : `${unit} has readings of an experiment that this leader does not know. They are kept.`;
    return { subject, isTrue: table !== 'gaps' || snapshot.nowMs - lastMs < shownMs, message };
  }),
  absent: 'over',
});

/** This job evaluates the photodiodes: while it does not run, their state is unknown. */
const opticalJob = 'od_reading';

const signals: Evaluator<'signals'> = (_rule, _watch, { facts, jobs, units, upMs, experimentOf }) => {
  const watched = new Set(units.map(({ reactor_unit }) => reactor_unit));
  const measuring = jobs.filter(({ job_name }) => job_name === opticalJob).map(({ reactor_unit }) => reactor_unit);
  const findings = [...facts.signals()].flatMap(({ unit, experimentUid, detail, isOn }): Finding[] => {
    if (!watched.has(unit)) return [];
    const subject = { unit, experiment: experimentOf(experimentUid) ?? null, detail };
    const message = `${unit}: the optical signal is unreliable (${detail.replaceAll('_', ' ')}).`;
    const isMeasuring = measuring.includes(unit);
    // After a start of the leader the running jobs are not known yet.
    const isUnknown = isOn && !isMeasuring && upMs < settlingMs;
    return [{ subject, isTrue: isUnknown ? undefined : isOn && isMeasuring, message }];
  });
  const absent = ({ unit }: AlarmSubject) =>
    upMs < settlingMs || (unit !== null && measuring.includes(unit)) ? 'unknown' : 'over';
  return { findings, absent };
};

const events: Evaluator<'events'> = (rule, _watch, { triggerEvents, experimentOf }) => ({
  findings: triggerEvents
    .filter((trigger) => trigger.rule === rule.rule)
    .map(({ unit, experimentUid, detail, message }) => {
      const experiment = rule.scope === 'experiment' ? (experimentOf(experimentUid) ?? null) : null;
      return { subject: { unit, experiment, detail }, isTrue: true, message };
    }),
  absent: 'over',
});

const reports: Evaluator<'reports'> = (rule, _watch, snapshot) => {
  const findings = snapshot.reports(rule.rule);
  return { findings: findings ?? [], absent: findings === undefined ? 'unknown' : 'over' };
};

/** Evaluates one rule against the snapshot. */
export function evaluateRule(rule: AlarmRuleDefinition, snapshot: ClusterSnapshot): Evaluation {
  const { monitor } = rule;
  switch (monitor.input) {
    case 'liveness':
      return liveness(rule, monitor, snapshot);
    case 'unit_fault':
      return unitFault(rule, monitor, snapshot);
    case 'series_silence':
      return seriesSilence(rule, monitor, snapshot);
    case 'dosing_readings':
      return dosingReadings(rule, monitor, snapshot);
    case 'reading':
      return reading(rule, monitor, snapshot);
    case 'bottles':
      return bottles(rule, monitor, snapshot);
    case 'leader_disk':
      return leaderDisk(rule, monitor, snapshot);
    case 'unit_disk':
      return unitDisk(rule, monitor, snapshot);
    case 'unit_records':
      return unitRecords(rule, monitor, snapshot);
    case 'unit_clock':
      return unitClock(rule, monitor, snapshot);
    case 'unit_document':
      return unitDocument(rule, monitor, snapshot);
    case 'store':
      return store(rule, monitor, snapshot);
    case 'signals':
      return signals(rule, monitor, snapshot);
    case 'events':
      return events(rule, monitor, snapshot);
    case 'reports':
      return reports(rule, monitor, snapshot);
  }
}
