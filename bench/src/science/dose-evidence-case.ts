import type { FaultName, VialParameters } from '@lcs/domain';
import { exactCalibration } from './exact-calibration.ts';
import { jobWorld } from './job-world.ts';
import { noiseOf, type Plant } from './plants.ts';
import { takenForUsual } from './pump-calibrations.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';

const hourS = 3600;
const volumeMl = 15;
const targetOd = 0.5;
/** The fault begins when the culture has been held for so long. */
const quietS = 1.5 * hourS;
const watchedS = 2.5 * hourS;
const intervalsS = [5, 30, 60, 120] as const;

interface Course {
  readonly fault?: FaultName;
  readonly everyS: number;
  readonly exchangeMl: number;
  readonly noise: string;
  readonly heldS: number;
  readonly reservoirMl?: number;
}

/** A turbidostat with the pumps of the plant, of which something fails. */
async function watched(plant: Plant, course: Course) {
  const { fault, everyS, exchangeMl, noise, heldS, reservoirMl = 1000 } = course;
  const faults: VialParameters['faults'] =
    fault === undefined ? [] : [{ fault, fromS: quietS, untilS: Number.POSITIVE_INFINITY }];
  const calibration = exactCalibration(plant);
  await using unit = await jobWorld(plant, {
    vial: { noise: noiseOf(noise), ambientC: 37, faults },
    start: { volumeMl, od: 0.48, reservoirMl },
    oversampling: 'closed_form',
    config: {
      bioreactor: { initial_volume_ml: String(volumeMl), efflux_tube_volume_ml: String(volumeMl) },
      'od_reading.config': { samples_per_second: String(1 / everyS) },
    },
    devices: { calibrationOf: (device) => (device === 'od90' ? calibration : undefined) },
    pumpCalibrationOf: takenForUsual,
  });
  for (const job of ['stirring', 'od_reading']) await unit.run(job);
  const options = { automation_name: 'turbidostat', biomass_signal: 'od', target_biomass: targetOd };
  await unit.run('dosing_automation', { options: { ...options, exchange_volume_ml: exchangeMl } });
  const truth = () => unit.plant.state(unit.clock.monotonic()).vial.state;
  const { events } = unit.recorded;
  const exchanges = (): number => events.filter(({ data }) => data.event_name === 'DilutionEvent').length;
  await unit.pass(quietS);
  const early = events.filter(({ name }) => name === 'dose_implausible').length;
  const before = exchanges();
  await unit.pass(heldS);
  const found = events.filter(({ name }) => name === 'dose_implausible');
  const { ledger } = truth();
  const factors = events.filter(({ name }) => name === 'pump_deviates').map(({ data }) => Number(data.factor));
  return {
    early,
    found: found.map(({ data }) => String(data.disturbance)),
    doses: exchanges() - before,
    spilledMl: ledger.spilled,
    mediumOffMl: Math.abs(unit.liquids.ledger.values('exp1').cumulative_media_added_ml - ledger.media),
    factor: factors.at(-1),
  };
}

const drawn = <T>(plant: Plant, what: string, of: readonly [T, ...T[]]): T =>
  of[Math.floor(of.length * plant.chance.split(what).uniform())] ?? of[0];

const share = (isTrue: boolean): number => (isTrue ? 100 : 0);

/** What doses without effect cost before they are noticed. */
export const doseEvidenceCase: ScienceCase = {
  name: 'dose-evidence',
  about: `The job dosing_automation as a turbidostat at OD ${targetOd} in ${volumeMl} ml, with exchanges of 0.5 or 1 ml and noise 'typical'. After 1.5 h the medium is blocked or its tube draws air, at reading intervals of 5 to 120 s. Counted are the doses that begin after the fault until the automation pauses. Unknown: growth, the pumps (off by up to 30 % in every second run, not calibrated), the noise. Runs of 8 h without a fault, with any of the four noises and intervals, must not be reported. Evidence: ln OD = growth − factor · Σ ln(1 + v/V), Kalman filters for each hypothesis, and their likelihoods (Wald 1945).`,
  run: async (plant) => {
    const figures: ScienceFigure[] = [];
    const exchangeMl = drawn(plant, 'exchange', [0.5, 1]);
    for (const fault of ['media_blocked', 'media_air'] as const) {
      const everyS = drawn(plant, `interval of ${fault}`, intervalsS);
      const { early, found, doses } = await watched(plant, {
        fault,
        everyS,
        exchangeMl,
        noise: 'typical',
        heldS: watchedS,
      });
      const name = `${fault}, a reading every ${everyS} s`;
      const isSeen = found.length > early;
      figures.push(
        {
          name: `${name}: doses until it pauses`,
          unit: '',
          value: isSeen ? doses : Number.POSITIVE_INFINITY,
          aim: { atMost: fault === 'media_blocked' ? 3 : 6 },
        },
        { name: `${fault}: false reports before`, unit: '', value: early, aim: { atMost: 0 } },
      );
    }
    const everyS = drawn(plant, 'interval of waste_blocked', intervalsS);
    const blocked = await watched(plant, {
      fault: 'waste_blocked',
      everyS,
      exchangeMl,
      noise: 'typical',
      heldS: 3 * hourS,
    });
    const name = `waste_blocked, a reading every ${everyS} s`;
    const isSeen = blocked.found.length > blocked.early;
    figures.push(
      { name: `${name}: overflow`, unit: 'ml', value: blocked.spilledMl, aim: { atMost: 2 } },
      { name: `${name}: noticed`, unit: '%', value: share(isSeen) },
      { name: `${name}: doses until it pauses`, unit: '', value: isSeen ? blocked.doses : Number.POSITIVE_INFINITY },
      { name: 'waste_blocked: false reports before', unit: '', value: blocked.early, aim: { atMost: 0 } },
    );
    const quiet = await watched(plant, {
      everyS: drawn(plant, 'quiet interval', intervalsS),
      exchangeMl,
      noise: drawn(plant, 'quiet noise', ['typical', 'wandering', 'noisy', 'field']),
      heldS: 8 * hourS,
    });
    figures.push({ name: 'no fault: false reports in 9.5 h', unit: '', value: quiet.found.length, aim: { atMost: 0 } });
    const trueFactor = plant.of('pumps.media') / 0.0911;
    if (quiet.factor !== undefined)
      figures.push({
        name: 'no fault, pump off: error of the reported factor',
        unit: '%',
        value: 100 * Math.abs(quiet.factor / trueFactor - 1),
        aim: { atMost: 15 },
      });
    figures.push({
      name: 'no fault: runs in which a pump is reported as deviating',
      unit: '%',
      value: share(quiet.factor !== undefined),
    });
    return figures;
  },
};
