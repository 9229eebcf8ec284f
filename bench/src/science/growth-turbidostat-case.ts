import { exactCalibration } from './exact-calibration.ts';
import { between, type Estimated, rateError, shareWithin } from './growth-estimates.ts';
import { jobWorld } from './job-world.ts';
import { noiseOf, type Plant } from './plants.ts';
import { takenForUsual } from './pump-calibrations.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';

const hourS = 3600;
const volumeMl = 15;
const targetOd = 0.5;
const untilS = 6 * hourS;
/** From here on the culture has left its lag, and the turbidostat has dosed for a while. */
const settledS = 4 * hourS;
const lookS = 15;
/** Flow of the pumps in ml/s that their calibrations give, and what they give in truth, relative to it. */
const usualFlow = { media: 0.0911, alt_media: 0.0911, waste: 0.1048 } as const;
const gains = [0.8, 1, 1.2] as const;

/** The growth rate by the jobs while a turbidostat doses, beside the truth. */
async function grown(plant: Plant, gain: number): Promise<readonly Estimated[]> {
  const calibration = exactCalibration(plant);
  const truths: number[] = [];
  await using unit = await jobWorld(plant, {
    vial: {
      noise: noiseOf('typical'),
      ambientC: 37,
      pumpFlow: {
        media: gain * usualFlow.media,
        alt_media: gain * usualFlow.alt_media,
        waste: gain * usualFlow.waste,
      },
    },
    start: { volumeMl, od: 0.2, reservoirMl: 1000 },
    oversampling: 'closed_form',
    config: { bioreactor: { initial_volume_ml: String(volumeMl), efflux_tube_volume_ml: String(volumeMl) } },
    devices: { calibrationOf: (device) => (device === 'od90' ? calibration : undefined) },
    pumpCalibrationOf: takenForUsual,
  });
  const startMs = unit.clock.now();
  const passedS = (atMs: number): number => (atMs - startMs) / 1000;
  for (const job of ['stirring', 'od_reading', 'growth_rate_calculating']) await unit.run(job);
  const setting = { biomass_signal: 'od', target_biomass: targetOd, exchange_volume_ml: 1 };
  await unit.run('dosing_automation', { options: { automation_name: 'turbidostat', ...setting } });
  while (passedS(unit.clock.now()) < untilS) {
    await unit.pass(lookS);
    truths[Math.round(passedS(unit.clock.now()) / lookS)] = unit.plant.vial.growthRate;
  }
  const deviations = unit.recorded.values('growth_rate_sd');
  return unit.recorded.of('growth_rate').flatMap(({ atMs, value: rate, flags = [] }, index) => {
    const timeS = passedS(atMs);
    const truth = truths[Math.round(timeS / lookS)];
    return truth === undefined ? [] : [{ timeS, truth, rate, rateSd: deviations[index] ?? Number.NaN, flags }];
  });
}

const coverageOf = (gain: number): string => `pump gain ${gain}: coverage of the reported ±1 SD interval`;

/** The filter with real doses: their times and volumes as the jobs report them. */
export const growthTurbidostatCase: ScienceCase = {
  name: 'growth-turbidostat',
  about:
    'The jobs measure the growth rate while a turbidostat holds OD 0.5 with doses of 1 ml. The gain is the true flow of all pumps relative to their calibrations.',
  run: async (plant) => {
    const figures: ScienceFigure[] = [];
    for (const gain of gains) {
      const settled = between(await grown(plant, gain), settledS, untilS);
      const bias = settled.reduce((sum, { rate, truth }) => sum + rate - truth, 0) / settled.length;
      figures.push(
        { name: `pump gain ${gain}: bias`, unit: 'h⁻¹', value: Math.abs(bias), aim: { atMost: 0.01 }, share: 0.8 },
        { name: `pump gain ${gain}: error`, unit: 'h⁻¹', value: rateError(settled), aim: { atMost: 0.02 } },
        { name: coverageOf(gain), unit: '', value: shareWithin(settled, 1) },
        {
          name: `pump gain ${gain}: readings flagged dose_unseen`,
          unit: '',
          value: settled.filter(({ flags }) => flags.includes('dose_unseen')).length,
        },
      );
    }
    return figures;
  },
  overall: (runs) => {
    const values = runs.flatMap((figures) =>
      figures.filter(({ name }) => gains.some((gain) => name === coverageOf(gain))).map(({ value }) => value),
    );
    const value = values.reduce((sum, one) => sum + one, 0) / values.length;
    const name = 'all gains: coverage of the reported ±1 SD interval';
    return [
      { name: `${name} (lower bound)`, unit: '', value, aim: { atLeast: 0.6 } },
      { name: `${name} (upper bound)`, unit: '', value, aim: { atMost: 0.8 } },
    ];
  },
};
