import { defaultGrowthRateParameters, type NoiseProfile, photodiodeVolts } from '@lcs/domain';
import { median } from '../../../packages/domain/src/growth-rate/robust-statistics.ts';
import { exactCalibration } from './exact-calibration.ts';
import { jobWorld } from './job-world.ts';
import { noiseOf, type Plant, plantOf } from './plants.ts';
import { takenForUsual } from './pump-calibrations.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';

const hourS = 3600;
const startOd = 0.45;
const readingS = 5;
const targetOd = 0.5;
const volumeMl = 15;
/** Longest time to the target; time from the target to the measurement; time of the measurement. */
const longestWayS = 6 * hourS;
const settleS = hourS;
const heldS = 3 * hourS;
const lookS = 20;
/** Until readings without noise have settled. */
const lightS = 60;
/** The normalised OD is 1 in the middle of these readings. */
const referenceReadings = defaultGrowthRateParameters.warmUpReadings;
const band = 0.05;
/** The band is a tenth of the target wide: a larger share of the vial, exchanged at once, would leave it by itself. */
const smallExchangeMl = 0.5;
const usualExchangeMl = 1;

interface Course {
  readonly noise: string;
  /** The signal of the automation: each reading, or the output of the growth filter. */
  readonly signal: 'od' | 'normalized_od';
  readonly exchangeMl: number;
}

/** A culture at the start OD in a unit with all its jobs; `light`: for which its photodiode is calibrated. */
function unitOf(plant: Plant, noise: NoiseProfile, light?: number) {
  const calibration = exactCalibration(plant, light);
  return jobWorld(plant, {
    vial: { noise, ambientC: 37 },
    start: { volumeMl, od: startOd, reservoirMl: 1000 },
    oversampling: 'closed_form',
    config: { bioreactor: { initial_volume_ml: String(volumeMl), efflux_tube_volume_ml: String(volumeMl) } },
    devices: { calibrationOf: (device) => (device === 'od90' ? calibration : undefined) },
    pumpCalibrationOf: takenForUsual,
  });
}

/**
 * Light of the LED in a run, relative to that of the standards: a warm room dims it by 2 %, and readings are relative to the first one of the
 * run. A calibration without this factor would lower all readings of an OD by 1.8 %, and so hide that exchanges begin at the target.
 */
async function lightOf(plant: Plant): Promise<number> {
  await using unit = await unitOf(plant, { ...noiseOf('typical'), readingDeviation: 0, shockChance: 0 });
  for (const job of ['stirring', 'od_reading']) await unit.run(job);
  await unit.pass(lightS);
  const seen = unit.recorded.values('od').at(-1) ?? Number.NaN;
  unit.plant.boardCelsius(unit.clock.monotonic());
  return photodiodeVolts('90', seen) / photodiodeVolts('90', unit.plant.vial.od);
}

/** True OD by its target, from an hour after it was reached on; empty when it never was. */
async function held(plant: Plant, { noise, signal, exchangeMl }: Course): Promise<readonly number[]> {
  await using unit = await unitOf(plant, noiseOf(noise), await lightOf(plant));
  const od = (): number => {
    unit.plant.boardCelsius(unit.clock.monotonic());
    return unit.plant.vial.od;
  };
  for (const job of ['stirring', 'od_reading', 'growth_rate_calculating']) await unit.run(job);
  const warmUp: number[] = [];
  while (unit.recorded.of('od_filtered').length === 0) {
    warmUp.push(od());
    await unit.pass(readingS);
  }
  const target_biomass = signal === 'od' ? targetOd : targetOd / median(warmUp.slice(-referenceReadings));
  const setting = { biomass_signal: signal, target_biomass, exchange_volume_ml: exchangeMl };
  await unit.run('dosing_automation', { options: { automation_name: 'turbidostat', ...setting } });
  for (let atS = 0; od() < (1 - band / 2) * targetOd; atS += lookS) {
    if (atS > longestWayS) return [];
    await unit.pass(lookS);
  }
  await unit.pass(settleS);
  const ratios: number[] = [];
  for (let atS = 0; atS < heldS; atS += lookS) {
    await unit.pass(lookS);
    ratios.push(od() / targetOd);
  }
  return ratios;
}

/** Per cent of the time within the band; not a number when the target was never reached. */
const shareWithin = (ratios: readonly number[]): number =>
  (100 * ratios.filter((ratio) => Math.abs(ratio - 1) <= band).length) / ratios.length;

async function figuresOf(plant: Plant, course: Course, isJudged: boolean): Promise<readonly ScienceFigure[]> {
  const ratios = await held(plant, course);
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  const name = `${course.signal}, ${course.exchangeMl} ml per dose, ${course.noise}`;
  const value = shareWithin(ratios);
  return [
    { name: `${name}: time within ±5 %`, unit: '%', value, ...(isJudged && { aim: { atLeast: 98 } }) },
    { name: `${name}: error of the mean`, unit: '%', value: 100 * Math.abs(mean - 1) },
  ];
}

/** The job `dosing_automation` as a turbidostat. */
export const turbidostatCase: ScienceCase = {
  name: 'turbidostat',
  about:
    'The job dosing_automation, as a turbidostat, holds OD 0.5 in 15 ml for 3 h, from one hour after it first reached the target. Figures are of the true OD. Each run uses one signal (each OD reading, or the output of the growth filter) and one of the four noises. The photodiode is calibrated with exact standards, in the light of the run; the target of a normalised OD is relative to the true OD at its reference readings. Pumps are not calibrated, so that in every second run their flow differs by up to 30 %. One run with the default exchange of 1 ml has no target: 1 ml in 15 ml exceeds the width of the band.',
  run: (plant) => {
    const drawn = <T>(what: string, of: readonly [T, ...T[]]): T =>
      of[Math.floor(of.length * plant.chance.split(what).uniform())] ?? of[0];
    const signal = drawn('signal', ['od', 'normalized_od'] as const);
    const noise = drawn('noise', ['typical', 'wandering', 'noisy', 'field']);
    return figuresOf(plant, { noise, signal, exchangeMl: smallExchangeMl }, true);
  },
  fixed: () => {
    const course = { noise: 'typical', signal: 'od', exchangeMl: usualExchangeMl } as const;
    return figuresOf(plantOf('usual exchange', false), course, false);
  },
};
