import type { Plant } from './plants.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';
import { type HeatedVial, knownByTemperature } from './waste-by-temperature.ts';

const roomC = 22;
const vials = 10;
const withinH = 24;
const exchangesInThousandDays = 72_000;

type World = Pick<HeatedVial, 'roomChangeC' | 'lossChange' | 'mediumC' | 'sampleC' | 'doseSpread'>;

const worlds: Readonly<Record<string, World>> = {
  'steady room': { roomChangeC: 0.2, lossChange: 0.01, mediumC: 0.3, sampleC: 0.02, doseSpread: 0.025 },
  draughts: { roomChangeC: 0.5, lossChange: 0.05, mediumC: 1, sampleC: 0.02, doseSpread: 0.025 },
};

/** Temperature of the liquid, °C, and volume of an exchange, ml. */
const settings = [
  [37, 0.5],
  [37, 1.5],
  [30, 0.5],
  [25, 0.5],
] as const;

const median = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[vials / 2] ?? NaN;

function figuresOf(plant: Plant): readonly ScienceFigure[] {
  const thermal = plant.vial().thermal;
  return Object.entries(worlds).flatMap(([worldName, world]) =>
    settings.flatMap(([liquidC, exchangeMl]) => {
      const name = `${liquidC} °C, ${exchangeMl} ml every 20 min, ${worldName}`;
      const known = Array.from({ length: vials }, (_, vial) => {
        const chance = plant.chance.split(`${name} ${vial}`);
        const course = { ...world, chance, thermal, liquidC, roomC, exchangeMl };
        return knownByTemperature(course, Math.log(exchangesInThousandDays), withinH);
      });
      const share = (is: (spilledMl: number) => boolean): number =>
        (100 * known.filter((one) => one !== undefined && is(one.spilledMl)).length) / vials;
      return [
        {
          name: `${name}: exchanges until it is known`,
          unit: '',
          value: median(known.map((one) => one?.exchanges ?? Number.POSITIVE_INFINITY)),
        },
        { name: `${name}: overflow of at most 2 ml`, unit: '%', value: share((spilledMl) => spilledMl <= 2) },
        { name: `${name}: known within ${withinH} h`, unit: '%', value: share(() => true) },
      ];
    }),
  );
}

/** What no evidence of the temperature can do better. */
export const wasteByTemperatureCase: ScienceCase = {
  name: 'waste-by-temperature',
  about: `An ideal observer of a blocked waste tube by the sensor of the heater's board, where the optical density shows nothing: a chemostat in 15 ml that overflows at 20 ml, in a room of ${roomC} °C, with cycles of the thermostat of 200 s (105 s without heating, 21 samples). A vial that fills cools and warms more slowly, and medium of the room's temperature cools it less. The observer knows the thermal model of the vial and the pump exactly, and when the tube would have been blocked; it does not know the noise of samples (0.02 °C), the scatter of doses (2.5 %), the room, the temperature of the medium and the losses: these change by 0.2 °C, 0.3 °C and 1 % (root of the hours; 'draughts': 0.5 °C, 1 °C and 5 %). Likelihood ratio of two Kalman filters with the threshold of Wald for one false pause in 1,000 vial-days, ${exchangesInThousandDays.toLocaleString('en')} exchanges. All disturbances are chosen. ${vials} vials of each kind in each run. Not built: the service would have to learn the model of each vial, and tell a full vial from a lid, a door or a draught.`,
  run: figuresOf,
};
