import { exactCalibration } from './exact-calibration.ts';
import { jobWorld } from './job-world.ts';
import { noiseOf, type Plant } from './plants.ts';
import { weighedPumps } from './pump-calibrations.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';

const hourS = 3600;
const volumeMl = 15;
const startOd = 0.4;
const targetOd = 0.6;
const lengthH = 30;
const lastH = 10;
const lookS = 120;

/** The share of the alternative medium at which growth is half as fast: of a drug that is weak at the concentration of its bottle. */
const drugs = { weak: { halfShare: 0.3, steepness: 2 }, strong: { halfShare: 0.05, steepness: 2 } } as const;

interface Course {
  readonly targetRate: number;
  readonly drug: keyof typeof drugs;
}

const courses: readonly Course[] = [
  { targetRate: 0.12, drug: 'weak' },
  { targetRate: 0.2, drug: 'weak' },
  { targetRate: 0.2, drug: 'strong' },
];

/** The mean true growth rate in the last hours, per hour. */
async function lastGrowth(plant: Plant, { targetRate, drug }: Course): Promise<number> {
  const calibration = exactCalibration(plant);
  await using unit = await jobWorld(plant, {
    vial: { noise: noiseOf('typical'), ambientC: 37, inhibition: drugs[drug] },
    start: { volumeMl, od: startOd, reservoirMl: 1000 },
    oversampling: 'closed_form',
    config: {
      bioreactor: { initial_volume_ml: String(volumeMl), efflux_tube_volume_ml: String(volumeMl) },
      // Dense enough readings for the filter, few enough for a hundred runs.
      'od_reading.config': { samples_per_second: '0.05' },
    },
    devices: { calibrationOf: (device) => (device === 'od90' ? calibration : undefined) },
    pumpCalibrationOf: weighedPumps(plant, 0.2, 1),
  });
  const vial = () => {
    unit.plant.boardCelsius(unit.clock.monotonic());
    return unit.plant.vial;
  };
  for (const job of ['stirring', 'od_reading', 'growth_rate_calculating']) await unit.run(job);
  while (unit.recorded.of('od_filtered').length === 0) await unit.pass(20);
  const target_normalized_od = targetOd / vial().od;
  const options = {
    automation_name: 'pid_morbidostat',
    target_normalized_od,
    target_growth_rate: targetRate,
    duration: 30,
  };
  await unit.run('dosing_automation', { options });
  await unit.pass((lengthH - lastH) * hourS);
  let [sum, count] = [0, 0];
  for (let atS = 0; atS < lastH * hourS; atS += lookS) {
    await unit.pass(lookS);
    sum += vial().growthRate;
    count += 1;
  }
  return sum / count;
}

/** The job `dosing_automation` as a morbidostat. */
export const morbidostatCase: ScienceCase = {
  name: 'morbidostat',
  about: `The job dosing_automation as pid_morbidostat in ${volumeMl} ml for ${lengthH} h, with the growth filter: the mean true growth rate of the last ${lastH} h compared with its target. The alternative medium halves growth at a share of ${drugs.weak.halfShare} (a weak drug) or ${drugs.strong.halfShare} in the vial, with a Hill coefficient of 2. Unknown: the drug, growth, pumps beside their guided calibration, evaporation. A reading every 20 s, noise 'typical', an exchange every 30 min.`,
  run: async (plant) => {
    const figures: ScienceFigure[] = [];
    for (const course of courses) {
      const { targetRate, drug } = course;
      const growth = await lastGrowth(plant, course);
      const name = `target ${targetRate} per hour, ${drug} drug`;
      figures.push(
        {
          name: `${name}: deviation of the mean growth`,
          unit: '%',
          value: 100 * Math.abs(growth / targetRate - 1),
          aim: { atMost: 15 },
        },
        { name: `${name}: mean growth`, unit: 'h⁻¹', value: growth },
      );
    }
    return figures;
  },
};
