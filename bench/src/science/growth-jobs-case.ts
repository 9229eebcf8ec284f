import { defaultGrowthRateParameters, GrowthReplay } from '@lcs/domain';
import { exactCalibration } from './exact-calibration.ts';
import { between, type Estimated, rateError, shareWithin } from './growth-estimates.ts';
import { jobWorld } from './job-world.ts';
import { noiseOf, type Plant } from './plants.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';

const hourS = 3600;
const untilS = 5 * hourS;
/** From here on the culture has left its lag, and it has not used up its medium before the end. */
const steadyS = 2.5 * hourS;
const lookS = 30;

/** A culture at 37 °C in a unit that stirs and reads; the growth rate of its jobs, and the truth. */
async function grown(plant: Plant, noise: string) {
  const calibration = exactCalibration(plant);
  const truths: number[] = [];
  await using unit = await jobWorld(plant, {
    vial: { noise: noiseOf(noise), ambientC: 37 },
    start: { volumeMl: 15, od: 0.03, reservoirMl: 1000 },
    oversampling: 'closed_form',
    devices: { calibrationOf: (device) => (device === 'od90' ? calibration : undefined) },
  });
  const startMs = unit.clock.now();
  const passed = (atMs: number): number => (atMs - startMs) / 1000;
  await unit.run('stirring');
  await unit.run('od_reading');
  await unit.run('growth_rate_calculating');
  while (passed(unit.clock.now()) < untilS) {
    await unit.pass(lookS);
    truths[Math.floor(passed(unit.clock.now()) / lookS)] = unit.plant.vial.growthRate;
  }
  const beside = (atMs: number, rate: number, rateSd: number): Estimated => {
    const timeS = passed(atMs);
    return { timeS, rate, rateSd, truth: truths[Math.round(timeS / lookS)] ?? Number.NaN, flags: [] };
  };
  const deviations = unit.recorded.values('growth_rate_sd');
  const computed = unit.recorded
    .of('growth_rate')
    .map(({ atMs, value }, index) => beside(atMs, value, deviations[index] ?? 0));
  const replay = new GrowthReplay(defaultGrowthRateParameters);
  const raw = unit.recorded.of('raw_od').flatMap(({ atMs, value }) => {
    const estimate = replay.take({ atMs, ods: { '2': value } });
    return estimate === undefined ? [] : [beside(atMs, estimate.rate, estimate.rateSd)];
  });
  return { computed: computed.filter(isKnown), raw: raw.filter(isKnown) };
}

const isKnown = ({ truth }: Estimated): boolean => Number.isFinite(truth);

/** All parts from the chips to the growth rate, with the jobs that units run. */
export const growthJobsCase: ScienceCase = {
  name: 'growth-jobs',
  about:
    'The jobs od_reading and growth_rate_calculating read a batch culture at 37 °C behind simulated chips, calibrated with exact standards. Without a target: the error with the uncalibrated signal, which is not linear in OD.',
  run: async (plant) => {
    const figures: ScienceFigure[] = [];
    for (const noise of ['typical', 'wandering']) {
      const { computed, raw } = await grown(plant, noise);
      const settled = between(computed, steadyS, untilS);
      const error = (points: readonly Estimated[]) => rateError(between(points, steadyS, untilS));
      figures.push(
        { name: `${noise}: error`, unit: 'h⁻¹', value: error(computed), aim: { atMost: 0.02 } },
        {
          name: `${noise}: error with the lag phase`,
          unit: 'h⁻¹',
          value: rateError(between(computed, hourS / 2, untilS)),
        },
        { name: `${noise}: error with the uncalibrated signal`, unit: 'h⁻¹', value: error(raw) },
        { name: `${noise}: coverage of the reported ±1 SD interval`, unit: '', value: shareWithin(settled, 1) },
        { name: `${noise}: coverage of the reported ±2 SD interval`, unit: '', value: shareWithin(settled, 2) },
      );
    }
    return figures;
  },
};
