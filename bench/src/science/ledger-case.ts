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
  const told = unit.liquids.ledger.values('exp1');
  return {
    // What evaporates is not on the ledger, and not a matter of doses.
    volumeOffMl: Math.abs(told.current_volume_ml - leftMl - ledger.evaporated),
    mediumOffMl: Math.abs(told.cumulative_media_added_ml - ledger.media),
    /** Runs are independent: the squares of what they scatter by add up. */
    permittedMl: plants.pumpNoise.runDeviation * Math.sqrt(squares),
    evaporatedMl: ledger.evaporated,
    movedMl: ledger.media + ledger.waste,
  };
}

const silentFigures = ({ volumeOffMl, mediumOffMl }: Awaited<ReturnType<typeof pumped>>): readonly ScienceFigure[] => [
  { name: 'pumps without noise: volume off the truth', unit: 'ml', value: volumeOffMl, aim: nothing },
  { name: 'pumps without noise: medium added off the truth', unit: 'ml', value: mediumOffMl, aim: nothing },
];

/** The ledger of liquids beside the truth. */
export const ledgerCase: ScienceCase = {
  name: 'ledger',
  about: `The jobs add_media and remove_waste give ${doses} doses of ${doseMl} ml in turn, one in ten stopped on its way; the waste tube never draws air. Once with pumps that give what their calibration says, where the ledger must be right; and once with the pump noise of the data file (each run off by 2 %, 0.01 ml lost at each start, of which a calibration knows the mean), where it may be off by what that noise adds up to.`,
  run: async (plant) => {
    const noisy = await pumped(plant, true);
    const deviations = noisy.volumeOffMl / noisy.permittedMl;
    return [
      // Nothing is drawn for these pumps but their flow: half of the runs, those with a flow of their own, are enough.
      ...(plant.isOff ? silentFigures(await pumped(plant, false)) : []),
      { name: 'noisy pumps: volume off the truth', unit: 'ml', value: noisy.volumeOffMl },
      { name: 'noisy pumps: deviation that their noise adds up to', unit: 'ml', value: noisy.permittedMl },
      // 99 % of all sums of independent runs.
      { name: 'noisy pumps: volume off, in these deviations', unit: '', value: deviations, aim: { atMost: 2.58 } },
      { name: 'noisy pumps: moved in all', unit: 'ml', value: noisy.movedMl },
      { name: 'noisy pumps: evaporated meanwhile, not on the ledger', unit: 'ml', value: noisy.evaporatedMl },
    ];
  },
};
