import type { VialParameters } from '@lcs/domain';
import { exactCalibration } from './exact-calibration.ts';
import { jobWorld } from './job-world.ts';
import { noiseOf, type Plant } from './plants.ts';
import { exactPumps } from './pump-calibrations.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';

const hourS = 3600;
const volumeMl = 15;
const targetOd = 0.5;
const lookS = 60;

interface Course {
  /** The fastest growth of the organism, per hour. */
  readonly bestRate?: number;
  readonly vial?: Partial<VialParameters>;
  readonly reservoirMl?: number;
  readonly exchangeMl?: number;
  readonly readingEveryS?: number;
}

/** A turbidostat with a calibration that was right at the start. */
async function turbidostat(
  plant: Plant,
  { bestRate, vial = {}, reservoirMl = 1000, exchangeMl = 0.5, readingEveryS = 5 }: Course,
) {
  const calibration = exactCalibration(plant);
  const { organism } = plant.vial();
  const unit = await jobWorld(plant, {
    vial: {
      ...vial,
      noise: noiseOf('typical'),
      ambientC: 37,
      organism: { ...organism, ...(bestRate !== undefined && { bestRate, readiness: 5 }) },
    },
    start: { volumeMl, od: 0.45, reservoirMl },
    oversampling: 'closed_form',
    config: {
      bioreactor: { initial_volume_ml: String(volumeMl), efflux_tube_volume_ml: String(volumeMl) },
      'od_reading.config': { samples_per_second: String(1 / readingEveryS) },
    },
    devices: { calibrationOf: (device) => (device === 'od90' ? calibration : undefined) },
    pumpCalibrationOf: exactPumps(plant),
  });
  for (const job of ['stirring', 'od_reading']) await unit.run(job);
  const options = { automation_name: 'turbidostat', biomass_signal: 'od', target_biomass: targetOd };
  await unit.run('dosing_automation', { options: { ...options, exchange_volume_ml: exchangeMl } });
  return unit;
}

type Unit = Awaited<ReturnType<typeof turbidostat>>;
const reported = (unit: Unit, event: string) => unit.recorded.events.filter(({ name }) => name === event);

/** Minutes from the start to the report that the pumps do not keep up; infinite: none in six hours. */
async function minutesToReport(plant: Plant, bestRate: number, readingEveryS: number): Promise<number> {
  await using unit = await turbidostat(plant, { bestRate, readingEveryS });
  for (let atS = lookS; atS <= 6 * hourS; atS += lookS) {
    await unit.pass(lookS);
    if (reported(unit, 'dosing_cannot_keep_up').length > 0) return atS / 60;
  }
  return Number.POSITIVE_INFINITY;
}

/** Exchanges after the bottle was empty, earlier than anybody had told. */
async function exchangesOfAir(plant: Plant): Promise<number> {
  const reservoirMl = 6;
  await using unit = await turbidostat(plant, { reservoirMl });
  const exchanges = (): number => unit.recorded.events.filter(({ data }) => data.event_name === 'DilutionEvent').length;
  let before: number | undefined;
  for (let atS = 0; atS < 8 * hourS && reported(unit, 'dose_implausible').length === 0; atS += lookS) {
    await unit.pass(lookS);
    const isEmpty = unit.plant.state(unit.clock.monotonic()).vial.state.ledger.media >= reservoirMl - 1e-6;
    if (isEmpty) before ??= exchanges();
  }
  const isSeen = reported(unit, 'dose_implausible').length > 0;
  return isSeen && before !== undefined ? exchanges() - before : Number.POSITIVE_INFINITY;
}

/** Error of the factor that is reported of a tube that wears, per cent. */
async function errorOfWear(plant: Plant): Promise<number> {
  const perHour = -0.04;
  await using unit = await turbidostat(plant, { vial: { pumpDriftPerHour: { media: perHour } } });
  for (let hour = 1; hour <= 16; hour += 1) {
    await unit.pass(hourS);
    const factor = Number(reported(unit, 'pump_deviates')[0]?.data.factor);
    if (!Number.isNaN(factor)) return 100 * Math.abs(factor / Math.exp(perHour * (hour - 0.5)) - 1);
  }
  return Number.POSITIVE_INFINITY;
}

/** What pumps and bottles cannot do, or do no more. */
export const dosingLimitsCase: ScienceCase = {
  name: 'dosing-limits',
  about: `The job dosing_automation as a turbidostat at OD ${targetOd} in ${volumeMl} ml with exchanges of 0.5 ml, a reading every 5 s where nothing else is said, noise 'typical' and a calibration of the pumps that is right at the start. These exchanges wash out 2.15 per hour (1.97 with a reading every 30 or 60 s, 0.98 every 120 s). A culture whose best rate is 3 per hour grows by 2.4 to 2.6 here, after some minutes; one of 2.5 exceeds 2.15 after about half an hour, by 2 to 6 %; one of 0.6 does not; a bottle is empty that the ledger takes for full; the tube of the media pump wears by 4 % per hour.`,
  run: async (plant) => {
    const figures: ScienceFigure[] = [
      {
        name: 'a reading every 5 s, growth 2.5 per hour at best: minutes from the start until it is reported',
        unit: 'min',
        value: await minutesToReport(plant, 2.5, 5),
        aim: { atMost: 90 },
      },
    ];
    for (const everyS of [5, 30, 60, 120]) {
      const name = `a reading every ${everyS} s, growth`;
      const fast = await minutesToReport(plant, 3, everyS);
      const slow = await minutesToReport(plant, 0.6, everyS);
      figures.push(
        {
          name: `${name} 3 per hour at best: minutes from the start until it is reported`,
          unit: 'min',
          value: fast,
          aim: { atMost: 30 },
        },
        {
          name: `${name} 0.6 per hour at best: reports in 6 h`,
          unit: '',
          value: Number.isFinite(slow) ? 1 : 0,
          aim: { atMost: 0 },
        },
      );
    }
    figures.push(
      {
        name: 'empty bottle: exchanges until it pauses',
        unit: '',
        value: await exchangesOfAir(plant),
        aim: { atMost: 3 },
      },
      {
        name: 'wearing tube: error of the reported factor',
        unit: '%',
        value: await errorOfWear(plant),
        aim: { atMost: 15 },
      },
    );
    return figures;
  },
};
