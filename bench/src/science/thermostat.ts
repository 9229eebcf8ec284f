import type { Calibration } from '../../../packages/unit/src/jobs/shared/calibration.ts';
import { coolingTraceFigures } from './cooling-traces.ts';
import { jobWorld } from './job-world.ts';
import type { Plant } from './plants.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';

/** Where the probe is compared: at the temperature of use, and elsewhere to see how far a trim reaches. */
const elsewhereC = 30;
const comparedAfterS = 2 * 3600;

const targetC = 37;
const doorS = { from: 3.5 * 3600, until: 3.5 * 3600 + 600 } as const;
const endS = 5.5 * 3600;
/** From then on, until the door opens, the temperature counts as steady. */
const steadyFromS = 2 * 3600;
const lookS = 50;
const nearC = 0.5;

interface Look {
  readonly atS: number;
  readonly liquidC: number;
}

interface Run {
  readonly liquid: readonly Look[];
  /** What the job says, trimmed where there is a trim. */
  readonly estimated: readonly Look[];
}

/** The trim that one comparison with a probe gives. */
const trimBy = (offsetC: number): Calibration => ({
  name: 'one point',
  hash: 'one point',
  y: 'Probe',
  irLedIntensity: null,
  channel: null,
  inverse: (y) => ({ x: y - offsetC, isOutOfRange: false, isLowerBound: false }),
  shownFor: (x) => x + offsetC,
  dutyFor: () => undefined,
});

async function hold(plant: Plant, toC: number, forS: number, trim?: Calibration): Promise<Run> {
  const calibrationOf = (device: string) => (device === 'temperature' ? trim : undefined);
  const faults = [{ fault: 'door_open', fromS: doorS.from, untilS: doorS.until }] as const;
  await using unit = await jobWorld(plant, { vial: { faults }, devices: { calibrationOf } });
  await unit.run('stirring');
  await unit.run('temperature_automation', {
    options: { automation_name: 'thermostat', target_temperature: toC },
  });
  const beginMs = unit.clock.now();
  const liquid: Look[] = [];
  for (let atS = lookS; atS <= forS; atS += lookS) {
    await unit.pass(lookS);
    unit.plant.boardCelsius(unit.clock.monotonic());
    liquid.push({ atS, liquidC: unit.plant.vial.state.thermal.liquidC });
  }
  const estimated = unit.recorded.of('temperature').map(({ atMs, value }) => ({
    atS: (atMs - beginMs) / 1000,
    liquidC: value,
  }));
  return { liquid, estimated };
}

const within = (looks: readonly Look[], fromS: number, untilS: number) =>
  looks.filter(({ atS }) => atS >= fromS && atS < untilS).map(({ liquidC }) => liquidC);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The offset of one comparison with a probe, whose display has one decimal. */
async function offsetAt(plant: Plant, atC: number): Promise<number> {
  const { liquid, estimated } = await hold(plant, atC, comparedAfterS);
  const [probe, shown] = [liquid.at(-1)?.liquidC ?? Number.NaN, estimated.at(-1)?.liquidC ?? Number.NaN];
  return Math.round(10 * probe) / 10 - shown;
}

function figuresOf({ liquid, estimated }: Run, offsetC: number, elsewhereOffsetC: number): readonly ScienceFigure[] {
  const steadyEstimate = within(estimated, steadyFromS, doorS.from);
  const steadyLiquid = mean(within(liquid, steadyFromS, doorS.from));
  const farthest = Math.max(...steadyEstimate.map((celsius) => Math.abs(celsius - targetC)));
  const over = (fromS: number, untilS: number) => Math.max(...within(liquid, fromS, untilS)) - steadyLiquid;
  const overEstimate = (fromS: number, untilS: number) => Math.max(...within(estimated, fromS, untilS)) - targetC;
  const arrived = estimated.find(({ atS }) =>
    estimated
      .filter((one) => one.atS >= atS && one.atS < doorS.from)
      .every(({ liquidC }) => Math.abs(liquidC - targetC) <= nearC),
  );
  const isBack = (celsius: number) => Math.abs(celsius - steadyLiquid) <= nearC;
  const lastOff = liquid.findLast(({ atS, liquidC }) => atS > doorS.until && !isBack(liquidC))?.atS ?? doorS.until;
  const offError = steadyLiquid - (mean(steadyEstimate) - offsetC);
  const atMost = (value: number) => ({ atMost: value });
  return [
    {
      name: 'start: time until its estimate stays within ±0.5 °C',
      unit: 'min',
      value: (arrived?.atS ?? Number.NaN) / 60,
    },
    { name: 'start: overshoot of the liquid', unit: '°C', value: over(0, doorS.from), aim: atMost(0.5) },
    { name: 'start: overshoot of its estimate', unit: '°C', value: overEstimate(0, doorS.from), aim: atMost(0.5) },
    {
      name: 'steady: largest deviation of its estimate from the target',
      unit: '°C',
      value: farthest,
      aim: atMost(0.2),
    },
    {
      name: 'steady: error of the liquid, trim at 37 °C',
      unit: '°C',
      value: Math.abs(steadyLiquid - targetC),
      aim: atMost(0.6),
    },
    {
      name: 'steady: error of the estimate, trim at 30 °C',
      unit: '°C',
      value: Math.abs(offError - elsewhereOffsetC),
    },
    { name: 'steady: error of the estimate, no trim', unit: '°C', value: Math.abs(offError) },
    {
      name: 'door open: fall of the liquid',
      unit: '°C',
      value: steadyLiquid - Math.min(...within(liquid, doorS.from, endS)),
    },
    {
      name: 'door open: time from its closing until the liquid stays within ±0.5 °C',
      unit: 'min',
      value: lastOff >= endS ? Number.NaN : (lastOff - doorS.until) / 60,
    },
    {
      name: 'door open: overshoot of the liquid afterwards',
      unit: '°C',
      value: over(doorS.from, endS + 1),
      aim: atMost(0.5),
    },
    {
      name: 'door open: overshoot of its estimate afterwards',
      unit: '°C',
      value: overEstimate(doorS.from, endS + 1),
      aim: atMost(0.5),
    },
  ];
}

/** The job `temperature_automation` as a thermostat, with a one-point trim, and a door that opens. */
export const thermostatCase: ScienceCase = {
  name: 'thermostat',
  about:
    'The thermostat is trimmed with a probe once, at 37 °C, and then holds 37 °C from a cold start. At 3.5 h a door opens for 10 min (3 °C colder, heat losses 50 % higher).',
  run: async (plant) => {
    const [offsetC, elsewhereOffsetC] = [await offsetAt(plant, targetC), await offsetAt(plant, elsewhereC)];
    return figuresOf(await hold(plant, targetC, endS, trimBy(offsetC)), offsetC, elsewhereOffsetC);
  },
  fixed: coolingTraceFigures,
};
