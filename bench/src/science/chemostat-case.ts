import type { VialParameters } from '@lcs/domain';
import { exactCalibration } from './exact-calibration.ts';
import { jobWorld } from './job-world.ts';
import { noiseOf, type Plant } from './plants.ts';
import { takenForUsual, weighedPumps } from './pump-calibrations.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';

const hourS = 3600;
const volumeMl = 15;
const heldH = 12;

interface Course {
  readonly exchangeMl: number;
  readonly everyMin: number;
}

const usual: Course = { exchangeMl: 0.5, everyMin: 20 };
const fast: Course = { exchangeMl: 1.5, everyMin: 20 };

/** Per hour, what the settings of a chemostat mean. */
const wantedRate = ({ exchangeMl, everyMin }: Course): number => (exchangeMl / volumeMl) * (60 / everyMin);

/** What a chemostat truly did, and what its ledger says. */
async function held(plant: Plant, course: Course, pumps: ReturnType<typeof weighedPumps>) {
  const { exchangeMl, everyMin } = course;
  await using unit = await jobWorld(plant, {
    vial: { ambientC: 37 },
    start: { volumeMl, od: 0.3, reservoirMl: 1000 },
    config: { bioreactor: { initial_volume_ml: String(volumeMl), efflux_tube_volume_ml: String(volumeMl) } },
    pumpCalibrationOf: pumps,
  });
  const truth = () => unit.plant.state(unit.clock.monotonic()).vial.state;
  const options = { automation_name: 'chemostat', exchange_volume_ml: exchangeMl, duration: everyMin };
  await unit.run('dosing_automation', { options });
  // From the middle between two exchanges, so that each hour has the same number of them.
  await unit.pass((everyMin * 60) / 2);
  const before = truth().tracer ?? 1;
  await unit.pass(heldH * hourS);
  const { ledger, volumeMl: leftMl, tracer = 1 } = truth();
  const recorded = unit.liquids.ledger.values('exp1');
  const rate = Math.log(before / tracer) / heldH;
  return {
    offPercent: 100 * Math.abs(rate / wantedRate(course) - 1),
    volumeOffMl: Math.abs(recorded.current_volume_ml - leftMl),
    mediumOffPercent: 100 * Math.abs(recorded.cumulative_media_added_ml / ledger.media - 1),
  };
}

const limitedH = 24;
/** The medium is blocked from then on. */
const blockedFromH = 12;
const blockedH = 3;

const reported = ({ name }: { readonly name: string }): boolean => ['dose_implausible', 'pump_deviates'].includes(name);

/** A culture that uses up its medium, as in every chemostat: it grows with what each exchange brings, within minutes. */
async function limitedChemostat(plant: Plant, everyS: number, faults: VialParameters['faults'] = []) {
  const calibration = exactCalibration(plant);
  const unit = await jobWorld(plant, {
    vial: { noise: noiseOf('typical'), ambientC: 37, faults },
    start: { volumeMl, od: 0.5, reservoirMl: 1000 },
    oversampling: 'closed_form',
    config: {
      bioreactor: { initial_volume_ml: String(volumeMl), efflux_tube_volume_ml: String(volumeMl) },
      'od_reading.config': { samples_per_second: String(1 / everyS) },
    },
    devices: { calibrationOf: (device) => (device === 'od90' ? calibration : undefined) },
    pumpCalibrationOf: weighedPumps(plant, usual.exchangeMl),
  });
  for (const job of ['stirring', 'od_reading']) await unit.run(job);
  const { exchangeMl, everyMin } = usual;
  const options = { automation_name: 'chemostat', exchange_volume_ml: exchangeMl, duration: everyMin };
  await unit.run('dosing_automation', { options });
  return unit;
}

/** Reports in a day with working pumps that an exchange did not do what it should, or that a pump moves another volume. */
async function falseReports(plant: Plant): Promise<ScienceFigure> {
  const everyS = [5, 30, 120][Math.floor(3 * plant.chance.split('interval').uniform())] ?? 5;
  await using unit = await limitedChemostat(plant, everyS);
  await unit.pass(limitedH * hourS);
  const value = unit.recorded.events.filter(reported).length;
  return { name: `a reading every ${everyS} s: false reports in ${limitedH} h`, unit: '', value, aim: { atMost: 0 } };
}

/** Doses that begin with a blocked medium until the automation pauses. */
async function blockedMedium(plant: Plant): Promise<readonly ScienceFigure[]> {
  const everyS = [5, 30, 60, 120][Math.floor(4 * plant.chance.split('interval of the blocked medium').uniform())] ?? 5;
  const fault = { fault: 'media_blocked', fromS: blockedFromH * hourS, untilS: Number.POSITIVE_INFINITY } as const;
  await using unit = await limitedChemostat(plant, everyS, [fault]);
  const { events } = unit.recorded;
  await unit.pass(blockedFromH * hourS);
  const early = events.filter(reported).length;
  const dosesBefore = events.filter(({ data }) => data.event_name === 'DosingStarted').length;
  await unit.pass(blockedH * hourS);
  const doses = events.filter(({ data }) => data.event_name === 'DosingStarted').length - dosesBefore;
  const isSeen = events.some(({ data }) => data.disturbance === 'missing');
  const name = `medium blocked, a reading every ${everyS} s`;
  return [
    {
      name: `${name}: doses until it pauses`,
      unit: '',
      value: isSeen ? doses : Number.POSITIVE_INFINITY,
      aim: { atMost: 6 },
    },
    { name: 'medium blocked: false reports before', unit: '', value: early, aim: { atMost: 0 } },
  ];
}

/** Target of pump calibrations: they find the flow of the fact sheet's simulator (`pumps`) within 3 %. */
const calibrated = { atMost: 3 } as const;

/** The job `dosing_automation` as a chemostat. */
export const chemostatCase: ScienceCase = {
  name: 'chemostat',
  about: `The job dosing_automation as a chemostat in ${volumeMl} ml, for ${heldH} h: the true wash-out rate of an inert substance compared with the dilution rate of the settings. Pumps are calibrated as in the guided session (ten noisy runs, weighed to 0.01 g, for the volume of the dose). The targets are chosen: 3 %, and 3 % of the volume for the ledger. With readings of OD, and from OD 0.5 on until the culture has used up its medium, no working pump must be reported in ${limitedH} h; in other runs the medium is blocked after ${blockedFromH} h (target chosen: six doses, two hours).`,
  run: async (plant) => {
    const figures: ScienceFigure[] = [];
    for (const course of [usual, fast]) {
      const name = `${course.exchangeMl} ml every ${course.everyMin} min`;
      const { offPercent, volumeOffMl, mediumOffPercent } = await held(
        plant,
        course,
        weighedPumps(plant, course.exchangeMl),
      );
      const volumeOff = (100 * volumeOffMl) / volumeMl;
      figures.push(
        { name: `${name}: error of the dilution rate`, unit: '%', value: offPercent, aim: calibrated },
        { name: `${name}: error of the ledger's medium`, unit: '%', value: mediumOffPercent, aim: calibrated },
        { name: `${name}: error of the ledger's volume`, unit: '%', value: volumeOff, aim: calibrated },
      );
    }
    figures.push(await falseReports(plant), ...(await blockedMedium(plant)));
    if (!plant.isOff) return figures;
    const { offPercent: value } = await held(plant, usual, takenForUsual);
    return [
      ...figures,
      { name: 'uncalibrated pumps, off by up to 30 %: error of the dilution rate', unit: '%', value },
    ];
  },
};
