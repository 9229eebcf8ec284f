import { jobWorld } from './job-world.ts';
import type { Plant } from './plants.ts';
import { weighedPumps } from './pump-calibrations.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';

const hourS = 3600;
const volumeMl = 15;
const heldH = 12;

interface Course {
  readonly exchangeMl: number;
  readonly everyMin: number;
  /** The volumes that a person enters in the guided calibration. */
  readonly calibratedFor: readonly number[];
  /** Without a target: so slow that the unknown evaporation, off by up to 30 %, is up to 1.2 % of the rate. */
  readonly isSlow?: true;
}

const courses: readonly Course[] = [
  { exchangeMl: 0.5, everyMin: 20, calibratedFor: [0.5] },
  // The parts of this exchange are 0.75 ml.
  { exchangeMl: 1.5, everyMin: 20, calibratedFor: [0.75] },
  { exchangeMl: 0.1, everyMin: 4, calibratedFor: [0.1] },
  { exchangeMl: 0.1, everyMin: 6, calibratedFor: [0.1, 1] },
  { exchangeMl: 0.1, everyMin: 12, calibratedFor: [0.1, 1], isSlow: true },
];

/** Per hour: of an inert substance in the vial, by ln(1 + v/V) per exchange with all that evaporates. */
async function washOut(plant: Plant, { exchangeMl, everyMin, calibratedFor }: Course): Promise<number> {
  await using unit = await jobWorld(plant, {
    vial: { ambientC: 37 },
    start: { volumeMl, od: 0.3, reservoirMl: 1000 },
    config: { bioreactor: { initial_volume_ml: String(volumeMl), efflux_tube_volume_ml: String(volumeMl) } },
    pumpCalibrationOf: weighedPumps(plant, ...calibratedFor),
  });
  const tracer = (): number => unit.plant.state(unit.clock.monotonic()).vial.state.tracer ?? 1;
  const options = { automation_name: 'chemostat', exchange_volume_ml: exchangeMl, duration: everyMin };
  await unit.run('dosing_automation', { options });
  // From the middle between two exchanges, so that each hour has the same number of them.
  await unit.pass((everyMin * 60) / 2);
  const before = tracer();
  await unit.pass(heldH * hourS);
  return Math.log(before / tracer()) / heldH;
}

/** Chosen: a tenth of what a person would see in a steady state. */
const exact = { atMost: 1.5 } as const;

/** The true wash-out of a chemostat. */
export const washOutCase: ScienceCase = {
  name: 'wash-out',
  about: `The job dosing_automation as a chemostat in ${volumeMl} ml, for ${heldH} h: how fast an inert substance in the vial is washed out, compared with the dilution rate of the settings, exchange_volume_ml / volume × 60 / duration. An exchange of v in V washes out ln(1 + v/V) (Novick and Szilard 1950 for the limit of small doses); evaporation concentrates. Unknown to the unit: the flow of the pumps beside their guided calibration (ten weighings, to 0.01 g, with several pulses where one is below 0.5 g), the 0.01 ml that each start loses, the 2 % by which runs differ, and the evaporation, which is off by up to 30 % from the setting evaporation_ml_per_hour.`,
  run: async (plant) => {
    const figures: ScienceFigure[] = [];
    for (const course of courses) {
      const { exchangeMl, everyMin, isSlow = false } = course;
      const set = (exchangeMl / volumeMl) * (60 / everyMin);
      const off = (100 * (await washOut(plant, course))) / set - 100;
      const name = `${exchangeMl} ml every ${everyMin} min: deviation of the wash-out rate`;
      figures.push(
        { name, unit: '%', value: Math.abs(off), ...(!isSlow && { aim: exact }) },
        { name: `${name}, with its sign`, unit: '%', value: off },
      );
    }
    return figures;
  },
};
