import { jobWorld } from './job-world.ts';
import { type Plant, plants } from './plants.ts';
import { exactPumps } from './pump-calibrations.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';

const doses = 1000;
const doseMl = 0.25;
const volumeMl = 14;
/** Far below the liquid: the waste pump never draws air, and nothing puts the volume right but the ledger. */
const effluxMl = 2;
/** Of so many doses the last two are stopped on their way. */
const stoppedEach = 20;
/** Longer than a dose takes the slowest pump, s. */
const doseS = 8;
/** Rounding of times and volumes in a thousand doses, ml. */
const nothing = { atMost: 0.001 } as const;

/** A thousand doses, in and out in turn: what the ledger says and what is true. */
async function pumped(plant: Plant, isNoisy: boolean) {
  await using unit = await jobWorld(plant, {
    vial: { effluxMl, ...(!isNoisy && { pumpRunDeviation: 0, pumpStartDeficitMl: 0 }) },
    start: { volumeMl, od: 0.1, reservoirMl: 1000 },
    config: { bioreactor: { initial_volume_ml: String(volumeMl), efflux_tube_volume_ml: String(effluxMl) } },
    pumpCalibrationOf: isNoisy ? exactPumps(plant) : exactPumps(plant, 0),
  });
  const truth = () => unit.plant.state(unit.clock.monotonic()).vial.state;
  const chance = plant.chance.split('doses that are stopped');
  let squares = 0;
  let before = truth().ledger;
  for (let dose = 0; dose < doses; dose += 1) {
    const job = dose % 2 === 0 ? 'add_media' : 'remove_waste';
    await unit.run(job, { options: { ml: doseMl } });
    if (dose % stoppedEach >= stoppedEach - 2) {
      await unit.pass(chance.uniform() * (doseMl / plant.of('pumps.media')));
      await unit.stop(job);
    }
    await unit.pass(doseS);
    const now = truth().ledger;
    squares += (now.media - before.media + now.waste - before.waste) ** 2;
    before = now;
  }
  const { volumeMl: leftMl, ledger } = truth();
  const recorded = unit.liquids.ledger.values('exp1');
  return {
    // Evaporation is not in the ledger.
    volumeOffMl: Math.abs(recorded.current_volume_ml - leftMl - ledger.evaporated),
    mediumOffMl: Math.abs(recorded.cumulative_media_added_ml - ledger.media),
    /** Runs are independent: their variances add up. */
    permittedMl: plants.pumpNoise.runDeviation * Math.sqrt(squares),
    evaporatedMl: ledger.evaporated,
    movedMl: ledger.media + ledger.waste,
  };
}

const silentFigures = ({ volumeOffMl, mediumOffMl }: Awaited<ReturnType<typeof pumped>>): readonly ScienceFigure[] => [
  { name: 'pumps without noise: error of the volume', unit: 'ml', value: volumeOffMl, aim: nothing },
  { name: 'pumps without noise: error of the added medium', unit: 'ml', value: mediumOffMl, aim: nothing },
];

/** The ledger of liquids compared with the truth. */
export const ledgerCase: ScienceCase = {
  name: 'ledger',
  about: `The jobs add_media and remove_waste make ${doses} doses of ${doseMl} ml in turn; one in ten is stopped early. The waste tube never draws air. One series has pumps without noise: the ledger must be right. The other has the pump noise of the data file (a standard deviation of 2 % per run, and 0.01 ml lost at each start, whose mean is part of the calibration): the ledger may differ by the accumulated noise.`,
  run: async (plant) => {
    const noisy = await pumped(plant, true);
    const deviations = noisy.volumeOffMl / noisy.permittedMl;
    return [
      // Only the flow of these pumps is random: the runs with other flows, half of all, are enough.
      ...(plant.isOff ? silentFigures(await pumped(plant, false)) : []),
      { name: 'noisy pumps: error of the volume', unit: 'ml', value: noisy.volumeOffMl },
      { name: 'noisy pumps: expected standard deviation', unit: 'ml', value: noisy.permittedMl },
      // 99 % of all sums of independent runs.
      {
        name: 'noisy pumps: error of the volume, in expected standard deviations',
        unit: '',
        value: deviations,
        aim: { atMost: 2.58 },
      },
      { name: 'noisy pumps: moved volume', unit: 'ml', value: noisy.movedMl },
      { name: 'noisy pumps: evaporated volume, not in the ledger', unit: 'ml', value: noisy.evaporatedMl },
    ];
  },
};
