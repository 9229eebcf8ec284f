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
import type { SelfTestRig } from './self-test-rig.ts';

/** %, the low ones first and then mixed, so that warming up does not look like correlation. */
const intensities = [35, 85, 75, 55, 45, 65, 80, 50];
const correlatedFrom = 0.9;
const stirredRpm = 500;
const rpmTolerance = 150;
const defaultIntensity = 80;
const heaterDuties = Array.from({ length: 10 }, (_, index) => 3 * index);
const stirrerPoints = 8;

/** The result of a check with its explanation. */
export interface CheckResult extends CheckEvaluation {
  /** Correlated pairs of LED and photodiode. */
  readonly pairs?: readonly (readonly [led: string, photodiode: string])[];
}

export type Check = (rig: SelfTestRig) => Promise<CheckResult>;

const signalsOf = (rig: SelfTestRig) => rig.od.channels.filter(({ angle }) => angle !== 'REF');
const referenceOf = (rig: SelfTestRig) => rig.od.channels.find(({ angle }) => angle === 'REF')?.channel;
const intensityOf = ({ od }: SelfTestRig) => (od.intensity === 'auto' ? defaultIntensity : od.intensity);
const noReference = evaluation(true, 'No photodiode is configured as the reference.');

async function boardAnswers(rig: SelfTestRig): Promise<CheckResult> {
  await rig.light(1);
  await rig.light(0);
  const seen = await rig.volts();
  const supplyV = await rig.devices.supply?.readVolts();
  const supplyText = supplyV === undefined ? '' : `, its supply is at ${supplyV.toFixed(2)} V`;
  return evaluation(true, `LEDs and ${Object.keys(seen).length} photodiodes respond${supplyText}.`);
}

async function lightIsSeen(rig: SelfTestRig): Promise<CheckResult> {
  await rig.spinUp(rig.devices.calibrationOf('stirring')?.dutyFor(stirredRpm) ?? rig.initialDuty, 3_000);
  const rpm = await rig.rpm(2_000);
  const points: { readonly intensity: number; readonly volts: Readonly<Record<string, number>> }[] = [];
  for (const intensity of intensities) {
    await rig.light(intensity);
    points.push({ intensity, volts: await rig.meanVolts(3) });
    await rig.light(0);
    await rig.rest(10 * intensity);
  }
  const correlations = Object.fromEntries(
    rig.od.channels.map(({ channel }) => [
      channel,
      correlation(points.map(({ intensity, volts }) => [intensity, volts[channel] ?? 0])),
    ]),
  );
  const led = rig.irLed;
  const pairs = Object.entries(correlations).flatMap(([channel, r]) =>
    r > correlatedFrom ? [[led, channel] as const] : [],
  );
  const isFar = Math.abs(rpm - stirredRpm) > rpmTolerance;
  const { passed, why } = evaluateLight(correlations);
  return { passed, why: isFar ? `${why} The stirrer was at ${rpm} RPM instead of ${stirredRpm}.` : why, pairs };
}

async function darkIsDark(rig: SelfTestRig): Promise<CheckResult> {
  await rig.light(0);
  return evaluateAmbientLight(await rig.volts());
}

async function darkIsSubtracted(rig: SelfTestRig): Promise<CheckResult> {
  await rig.light(0);
  const offset = await rig.meanVolts(2);
  await rig.light(35);
  await rig.rest(750);
  await rig.volts();
  await rig.light(0);
  const all: Readonly<Record<string, number>>[] = [];
  for (let index = 0; index < 8; index += 1) all.push(await rig.volts());
  const corrected = rig.od.channels.map(({ channel }) => [
    channel,
    all.map((volts) => (volts[channel] ?? 0) - (offset[channel] ?? 0)),
  ]);
  return evaluateDarkOffset(Object.fromEntries(corrected));
}

async function referenceIsInRange(rig: SelfTestRig): Promise<CheckResult> {
  const reference = referenceOf(rig);
  if (reference === undefined) return noReference;
  await rig.light(intensityOf(rig));
  const all: number[] = [];
  for (let index = 0; index < 6; index += 1) all.push((await rig.volts())[reference] ?? 0);
  return evaluateReference(all);
}

async function referenceIsInPlace(rig: SelfTestRig): Promise<CheckResult> {
  const reference = referenceOf(rig);
  if (reference === undefined) return noReference;
  await rig.light(intensityOf(rig));
  await rig.spinUp(90, 1_000);
  await rig.meanVolts(5);
  const pairs: (readonly [Readonly<Record<string, number>>, Readonly<Record<string, number>>])[] = [];
  for (let cycle = 0; cycle < 8; cycle += 1) {
    const halves: Readonly<Record<string, number>>[] = [];
    for (const duty of [0, 90]) {
      await rig.stir(duty);
      await rig.rest(1_000);
      await rig.volts();
      halves.push(await rig.meanVolts(2));
    }
    const [still, stirred] = halves;
    if (still !== undefined && stirred !== undefined) pairs.push([still, stirred]);
  }
  const of = (channel: string): StirredPairs =>
    pairs.map(([still, stirred]) => [still[channel] ?? 0, stirred[channel] ?? 0]);
  return evaluateReferencePosition(
    of(reference),
    signalsOf(rig).map(({ channel }) => of(channel)),
  );
}

async function blankIsClear(rig: SelfTestRig): Promise<CheckResult> {
  await rig.light(intensityOf(rig));
  const means = await rig.meanVolts(6, 1_150);
  return evaluateBlank(signalsOf(rig).map(({ channel, angle }) => ({ channel, angle, volts: means[channel] ?? 0 })));
}

async function heaterBoardAnswers(rig: SelfTestRig): Promise<CheckResult> {
  const celsius = await rig.boardC();
  return evaluation(celsius > -40 && celsius < 125, `Its sensor shows ${celsius.toFixed(1)} °C.`);
}

async function heaterHeats(rig: SelfTestRig): Promise<CheckResult> {
  const points: [number, number][] = [];
  for (const duty of heaterDuties) {
    await rig.heat(duty);
    await rig.rest(1_500);
    points.push([duty, await rig.boardC()]);
  }
  await rig.heat(0);
  return evaluateResponse(points, 'heating', 'the temperature of its board');
}

async function stirrerFollows(rig: SelfTestRig): Promise<CheckResult> {
  const highest = Math.min(1.2 * rig.initialDuty, 100);
  const lowest = Math.max(0.8 * rig.initialDuty, 5);
  await rig.spinUp(highest, 1_500);
  const points: [number, number][] = [];
  for (let index = 0; index < stirrerPoints; index += 1) {
    const duty = highest - ((highest - lowest) * index) / (stirrerPoints - 1);
    await rig.stir(duty);
    await rig.rest(750);
    points.push([duty, await rig.rpm(3_000)]);
  }
  return evaluateResponse(points, 'power', 'speed');
}

async function supplyIsNotTooHigh(rig: SelfTestRig): Promise<CheckResult> {
  const { supply } = rig.devices;
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
