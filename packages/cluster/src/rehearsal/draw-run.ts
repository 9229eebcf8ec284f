import { type CalibrationContent, hourMs } from '@lcs/contract';
import {
  bioreactorSettings,
  type DrawnAction,
  type DrawnFinding,
  type DrawnRun,
  drawVial,
  isItemOf,
  mostIterations,
  type Profile,
  type ProfileItem,
  type Pump,
  parseProfile,
  SeededStream,
  settingOrDefault,
  usualPumpFlow,
  volumeIn,
} from '@lcs/domain';
import type { VialPlantSettings } from '@lcs/hardware';
import { type DrawOrder, type RehearsalInput, type RehearsalUnit, rehearsedRun } from '@lcs/leader';
import { type Clock, silentLog, VirtualClock } from '@lcs/platform';
import { MemoryUnit, performOnUnit } from '@lcs/unit';
import { Course } from './course.ts';
import { pointsOfCourse } from './hours-of-course.ts';

/** After its last action a profile is simulated a little further, so that the effect of this action is seen. */
const afterwardsHours = 0.25;

interface Rehearsed {
  readonly unit: MemoryUnit;
  readonly course: Course;
}

/** Time never waits for work in this process: all of it is done when the promises have settled. */
const withoutHolds = (clock: VirtualClock): Clock => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  after: (delayMs, action) => clock.after(delayMs, action),
  every: (intervalMs, action) => clock.every(intervalMs, action),
  sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
  hold: () => () => {},
});

function validProfile(text: string): Profile {
  const parsed = parseProfile(text);
  if (parsed.is !== 'valid') throw new RangeError('Only a valid profile is rehearsed.');
  return parsed.profile;
}

/** By the calibration of each pump, ml/s at full duty. */
function flowOf({ calibrations }: RehearsalUnit): Readonly<Record<Pump, number>> {
  const flow = (pump: Pump): number => {
    const content = calibrations[`${pump}_pump`];
    const isUsable = content?.calibration_type === 'simple_peristaltic_pump' && content.dc > 0;
    return isUsable ? (volumeIn(content, 1) * 100) / content.dc : usualPumpFlow[pump];
  };
  return { media: flow('media'), alt_media: flow('alt_media'), waste: flow('waste') };
}

/** The calibration that an uncalibrated pump is given, as if it was made before the real run. */
function calibrationOf(unit: string, mlPerSecond: number): CalibrationContent {
  return {
    calibration_type: 'simple_peristaltic_pump',
    calibration_name: 'rehearsal',
    calibrated_on_reactor_unit: unit,
    created_at: '2026-01-01T00:00:00.000Z',
    curve_data_: { type: 'poly', coefficients: [mlPerSecond, 0] },
    x: 'Duration',
    y: 'Volume',
    recorded_data: { x: [1, 10], y: [mlPerSecond, 10 * mlPerSecond] },
    hz: 250,
    dc: 100,
    voltage: 12,
  };
}

const pumps: readonly Pump[] = ['media', 'alt_media', 'waste'];

function vialOf(unit: RehearsalUnit, { typicalUnits, seed }: RehearsalInput, draw: number): VialPlantSettings {
  const isTypical = draw === 0 && typicalUnits.includes(unit.name);
  const stream = isTypical ? undefined : new SeededStream(`${seed}/${draw}`).split(unit.name);
  return {
    ...drawVial(unit.culture, flowOf(unit), stream),
    unit: unit.name,
    capacityMl: unit.model.reactor_capacity_ml > 20 ? 40 : 20,
    volumeMl: unit.volumeMl,
    effluxMl: settingOrDefault(unit.config, bioreactorSettings.effluxTubeVolume),
    reservoirMl: unit.bottleMl,
    ambientC: unit.ambientC,
    isTypical,
  };
}

function rehearsedUnit(input: RehearsalInput, unit: RehearsalUnit, draw: number, clock: Clock): Rehearsed {
  const flow = flowOf(unit);
  const calibrations = new Map(Object.entries(unit.calibrations));
  for (const pump of pumps) {
    const device = `${pump}_pump`;
    if (!calibrations.has(device)) calibrations.set(device, calibrationOf(unit.name, flow[pump]));
  }
  const startMs = clock.monotonic();
  const memory: MemoryUnit = new MemoryUnit({
    name: unit.name,
    experiment: { name: input.experiment, uid: 'rehearsal' },
    model: unit.model,
    config: unit.config,
    calibrations,
    hasCalibratedOd: unit.hasCalibratedOd,
    vial: vialOf(unit, input, draw),
    seed: 1000 * input.seed + draw,
    clock,
    log: silentLog(),
    sink: {
      reading: (_job, reading) => course.reading(reading),
      event: () => {},
      log: ({ jobName }, level, message) => course.log(jobName, level, message),
      state: () => {},
      setting: () => {},
    },
  });
  const course: Course = new Course(memory, () => (clock.monotonic() - startMs) / hourMs);
  return { unit: memory, course };
}

/** Why a profile has not ended, one finding for each unit that waits. */
function unfinished(waiting: readonly ProfileItem[], hours: number): readonly DrawnFinding[] {
  const units = new Map(waiting.map((item) => [item.unit, item]));
  return [...units.values()].map((item) => {
    const [first = item] = waiting.filter(({ unit }) => unit === item.unit);
    const wait = isItemOf(first, 'when') ? ` It waits at ${first.path}.` : '';
    const message = `The profile has not ended after ${Number(hours.toPrecision(4))} h.${wait}`;
    return { severity: 'error', code: 'not_finished', unit: item.unit, message, atHours: null };
  });
}

/**
 * What the summary uses: the first actions of the first draw, and the decided conditions of all draws. A profile may have a million
 * actions, and the leader holds those of all draws.
 */
function usedActions(actions: readonly DrawnAction[], draw: number): readonly DrawnAction[] {
  const counts = new Map<string, number>();
  return actions.filter(({ unit, outcome }) => {
    const isDecided = outcome === 'held' || outcome === 'ended';
    const kept = [...(draw === 0 ? [unit] : []), ...(isDecided ? [`${unit} decided`] : [])].filter((list) => {
      const count = (counts.get(list) ?? 0) + 1;
      counts.set(list, count);
      return count <= mostIterations;
    });
    return kept.length > 0;
  });
}

/**
 * Computes one draw: the profile on simulated vials, by the runner and the jobs of real runs, on virtual time. The same order gives the same
 * run. @param onProgress receives the share that is done, 0 to 1
 */
export async function drawRun({ input, draw }: DrawOrder, onProgress: (share: number) => void): Promise<DrawnRun> {
  const virtual = new VirtualClock({ turns: 'microtasks', batchesTimers: true });
  const clock = withoutHolds(virtual);
  const rehearsed = input.units.map((unit) => rehearsedUnit(input, unit, draw, clock));
  const ending = new AbortController();
  for (const { unit } of rehearsed) await unit.start(ending.signal);
  const random = new SeededStream(`${input.seed}/${draw}`).split('expressions');
  /** The first error of each unit: a loop may have a million. */
  const findings = new Map<string, DrawnFinding>();
  let endedHours: number | null = null;
  const done = rehearsedRun({
    profile: validProfile(input.text),
    text: input.text,
    filename: input.filename,
    experiment: input.experiment,
    units: rehearsed.map(({ unit }, index) => ({
      name: unit.name,
      isActive: input.units[index]?.isActive ?? true,
      model: modelOf(input.units[index]),
      perform: (request) => performOnUnit(unit, request),
    })),
    appliesTo: { common: input.commonUnits, own: input.ownUnits },
    clock,
    log: silentLog(),
    random: () => random.uniform(),
    onEntry: (unit, level, message) => {
      if (level !== 'ERROR' || findings.has(unit)) return;
      const atHours = virtual.monotonic() / hourMs;
      findings.set(unit, { severity: 'error', code: 'action_failed', unit, message, atHours });
    },
    signal: ending.signal,
  }).then((run) => {
    endedHours = run.waiting.length === 0 ? virtual.monotonic() / hourMs : null;
    return run;
  });
  // A failure of the run is reported below; until then it must not end the process.
  done.catch(() => {});
  const isOver = (): boolean => endedHours !== null && virtual.monotonic() >= (endedHours + afterwardsHours) * hourMs;
  for (let point = 1; point <= pointsOfCourse && !isOver(); point += 1) {
    await virtual.advance((input.hours * hourMs) / pointsOfCourse);
    for (const { course } of rehearsed) course.sample();
    onProgress(point / pointsOfCourse);
  }
  ending.abort();
  const { actions, waiting } = await done;
  for (const { unit } of rehearsed) await unit.stop();
  return {
    endedHours,
    actions: usedActions(actions, draw),
    units: rehearsed.map(({ course }) => course.drawn),
    findings: [
      ...unfinished(waiting, input.hours),
      ...findings.values(),
      ...rehearsed.flatMap(({ course }) => course.findings),
    ],
  };
}

const modelOf = (unit: RehearsalUnit | undefined) => ({
  name: unit?.model.model_name ?? '',
  version: unit?.model.model_version ?? '',
});
