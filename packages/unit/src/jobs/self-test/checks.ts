import {
  type CheckEvaluation,
  correlation,
  evaluateAmbientLight,
  evaluateBlank,
  evaluateDarkOffset,
  evaluateLight,
  evaluateReference,
  evaluateReferencePosition,
  evaluateResponse,
  evaluateSupply,
  evaluation,
  type SelfTestName,
  type StirredPairs,
} from '@lcs/domain';
import type { TestBench } from './test-bench.ts';

/** %, the low ones first and then mixed, so that warming up does not look like correlation. */
const intensities = [35, 85, 75, 55, 45, 65, 80, 50];
const correlatedFrom = 0.9;
const stirredRpm = 500;
const rpmTolerance = 150;
const usualIntensity = 80;
const heaterDuties = Array.from({ length: 10 }, (_, index) => 3 * index);
const stirrerPoints = 8;

/** The result of a check with its explanation. */
export interface CheckResult extends CheckEvaluation {
  /** Correlated pairs of LED and photodiode. */
  readonly pairs?: readonly (readonly [led: string, photodiode: string])[];
}

export type Check = (bench: TestBench) => Promise<CheckResult>;

const signalsOf = (bench: TestBench) => bench.od.channels.filter(({ angle }) => angle !== 'REF');
const referenceOf = (bench: TestBench) => bench.od.channels.find(({ angle }) => angle === 'REF')?.channel;
const intensityOf = ({ od }: TestBench) => (od.intensity === 'auto' ? usualIntensity : od.intensity);
const noReference = evaluation(true, 'No photodiode is configured as the reference.');

async function boardAnswers(bench: TestBench): Promise<CheckResult> {
  await bench.light(1);
  await bench.light(0);
  const seen = await bench.volts();
  const supplyV = await bench.devices.supply?.readVolts();
  const told = supplyV === undefined ? '' : `, its supply is at ${supplyV.toFixed(2)} V`;
  return evaluation(true, `LEDs and ${Object.keys(seen).length} photodiodes answer${told}.`);
}

async function lightIsSeen(bench: TestBench): Promise<CheckResult> {
  await bench.spinUp(bench.devices.calibrationOf('stirring')?.dutyFor(stirredRpm) ?? bench.initialDuty, 3_000);
  const rpm = await bench.rpm(2_000);
  const points: { readonly intensity: number; readonly volts: Readonly<Record<string, number>> }[] = [];
  for (const intensity of intensities) {
    await bench.light(intensity);
    points.push({ intensity, volts: await bench.meanVolts(3) });
    await bench.light(0);
    await bench.rest(10 * intensity);
  }
  const correlations = Object.fromEntries(
    bench.od.channels.map(({ channel }) => [
      channel,
      correlation(points.map(({ intensity, volts }) => [intensity, volts[channel] ?? 0])),
    ]),
  );
  const led = bench.irLed;
  const pairs = Object.entries(correlations).flatMap(([channel, r]) =>
    r > correlatedFrom ? [[led, channel] as const] : [],
  );
  const isFar = Math.abs(rpm - stirredRpm) > rpmTolerance;
  const { passed, why } = evaluateLight(correlations);
  return { passed, why: isFar ? `${why} The stirrer was at ${rpm} RPM instead of ${stirredRpm}.` : why, pairs };
}

async function darkIsDark(bench: TestBench): Promise<CheckResult> {
  await bench.light(0);
  return evaluateAmbientLight(await bench.volts());
}

async function darkIsSubtracted(bench: TestBench): Promise<CheckResult> {
  await bench.light(0);
  const offset = await bench.meanVolts(2);
  await bench.light(35);
  await bench.rest(750);
  await bench.volts();
  await bench.light(0);
  const all: Readonly<Record<string, number>>[] = [];
  for (let index = 0; index < 8; index += 1) all.push(await bench.volts());
  const corrected = bench.od.channels.map(({ channel }) => [
    channel,
    all.map((volts) => (volts[channel] ?? 0) - (offset[channel] ?? 0)),
  ]);
  return evaluateDarkOffset(Object.fromEntries(corrected));
}

async function referenceIsInRange(bench: TestBench): Promise<CheckResult> {
  const reference = referenceOf(bench);
  if (reference === undefined) return noReference;
  await bench.light(intensityOf(bench));
  const all: number[] = [];
  for (let index = 0; index < 6; index += 1) all.push((await bench.volts())[reference] ?? 0);
  return evaluateReference(all);
}

async function referenceIsInPlace(bench: TestBench): Promise<CheckResult> {
  const reference = referenceOf(bench);
  if (reference === undefined) return noReference;
  await bench.light(intensityOf(bench));
  await bench.spinUp(90, 1_000);
  await bench.meanVolts(5);
  const pairs: (readonly [Readonly<Record<string, number>>, Readonly<Record<string, number>>])[] = [];
  for (let cycle = 0; cycle < 8; cycle += 1) {
    const halves: Readonly<Record<string, number>>[] = [];
    for (const duty of [0, 90]) {
      await bench.stir(duty);
      await bench.rest(1_000);
      await bench.volts();
      halves.push(await bench.meanVolts(2));
    }
    const [still, stirred] = halves;
    if (still !== undefined && stirred !== undefined) pairs.push([still, stirred]);
  }
  const of = (channel: string): StirredPairs =>
    pairs.map(([still, stirred]) => [still[channel] ?? 0, stirred[channel] ?? 0]);
  return evaluateReferencePosition(
    of(reference),
    signalsOf(bench).map(({ channel }) => of(channel)),
  );
}

async function blankIsClear(bench: TestBench): Promise<CheckResult> {
  await bench.light(intensityOf(bench));
  const means = await bench.meanVolts(6, 1_150);
  return evaluateBlank(signalsOf(bench).map(({ channel, angle }) => ({ channel, angle, volts: means[channel] ?? 0 })));
}

async function heaterBoardAnswers(bench: TestBench): Promise<CheckResult> {
  const celsius = await bench.boardC();
  return evaluation(celsius > -40 && celsius < 125, `Its sensor shows ${celsius.toFixed(1)} ℃.`);
}

async function heaterHeats(bench: TestBench): Promise<CheckResult> {
  const points: [number, number][] = [];
  for (const duty of heaterDuties) {
    await bench.heat(duty);
    await bench.rest(1_500);
    points.push([duty, await bench.boardC()]);
  }
  await bench.heat(0);
  return evaluateResponse(points, 'heating', 'the temperature of its board');
}

async function stirrerFollows(bench: TestBench): Promise<CheckResult> {
  const highest = Math.min(1.2 * bench.initialDuty, 100);
  const lowest = Math.max(0.8 * bench.initialDuty, 5);
  await bench.spinUp(highest, 1_500);
  const points: [number, number][] = [];
  for (let index = 0; index < stirrerPoints; index += 1) {
    const duty = highest - ((highest - lowest) * index) / (stirrerPoints - 1);
    await bench.stir(duty);
    await bench.rest(750);
    points.push([duty, await bench.rpm(3_000)]);
  }
  return evaluateResponse(points, 'power', 'speed');
}

async function supplyIsNotTooHigh(bench: TestBench): Promise<CheckResult> {
  const { supply } = bench.devices;
  if (supply === undefined) return evaluation(true, 'This board cannot measure its supply.');
  return evaluateSupply(await supply.readVolts());
}

/** By name, in the order of their execution. */
export const checks: Readonly<Record<SelfTestName, Check>> = {
  test_reactor_HAT_present: boardAnswers,
  test_all_positive_correlations_between_pds_and_leds: lightIsSeen,
  test_ambient_light_interference: darkIsDark,
  test_dark_offset_correction_is_effective: darkIsSubtracted,
  test_REF_is_lower_than_0_dot_256_volts: referenceIsInRange,
  test_REF_is_in_correct_position: referenceIsInPlace,
  test_PD_is_near_0_volts_for_blank: blankIsClear,
  test_detect_heating_pcb: heaterBoardAnswers,
  test_positive_correlation_between_temperature_and_heating: heaterHeats,
  test_positive_correlation_between_rpm_and_stirring: stirrerFollows,
  test_aux_power_is_not_too_high: supplyIsNotTooHigh,
};
