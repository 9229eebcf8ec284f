import type { ProbeComparison, VialParameters } from '@lcs/domain';
import type { Calibration } from '../../../packages/unit/src/jobs/shared/calibration.ts';
import { liquidEstimateKey } from '../../../packages/unit/src/jobs/shared/liquid-estimate.ts';
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

export interface Run {
  readonly liquid: readonly Look[];
  /** What the job reports. */
  readonly estimated: readonly Look[];
  /** What it reports minus the true liquid, °C. */
  readonly errors: readonly { readonly atS: number; readonly errorC: number }[];
  /** A comparison with a probe at the end. */
  readonly comparison: ProbeComparison;
}

/** A trim of comparisons with a probe. */
const trimBy = (comparisons: readonly ProbeComparison[]): Calibration => ({
  name: 'comparisons',
  hash: 'comparisons',
  y: 'Probe',
  irLedIntensity: null,
  channel: null,
  inverse: () => undefined,
  shownFor: (x) => x,
  dutyFor: () => undefined,
  comparisons,
});

/** A door that opens for ten minutes. */
const openDoor: Partial<VialParameters> = {
  faults: [{ fault: 'door_open', fromS: doorS.from, untilS: doorS.until }],
};

/** The unit's thermostat for some time, after earlier comparisons with a probe; and a comparison at the end. */
export async function hold(
  plant: Plant,
  toC: number,
  forS: number,
  comparisons: readonly ProbeComparison[] = [],
  vial: Partial<VialParameters> = openDoor,
): Promise<Run> {
  const trim = comparisons.length > 0 ? trimBy(comparisons) : undefined;
  const calibrationOf = (device: string) => (device === 'temperature' ? trim : undefined);
  await using unit = await jobWorld(plant, { vial, devices: { calibrationOf } });
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
  const errors = unit.recorded.of('temperature').map(({ atMs, value }) => {
    const atS = (atMs - beginMs) / 1000;
    const near = liquid[Math.round(atS / lookS) - 1]?.liquidC ?? Number.NaN;
    return { atS, errorC: value - near };
  });
  const { duty = 0, boardC = Number.NaN } = unit.devices.liquidEstimates.latest(liquidEstimateKey) ?? {};
  // The display of a probe has one decimal.
  const probeC = Math.round(10 * (liquid.at(-1)?.liquidC ?? Number.NaN)) / 10;
  return { liquid, estimated, errors, comparison: { duty, boardC, probeC } };
}

const within = (looks: readonly Look[], fromS: number, untilS: number) =>
  looks.filter(({ atS }) => atS >= fromS && atS < untilS).map(({ liquidC }) => liquidC);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Largest error of what a run reported, in a time. */
export const farthestError = ({ errors }: Run, fromS: number, untilS = Number.POSITIVE_INFINITY): number =>
  Math.max(...errors.filter(({ atS }) => atS >= fromS && atS < untilS).map(({ errorC }) => Math.abs(errorC)));

function figuresOf(run: Run, untrimmed: Run, trimmedElsewhere: Run): readonly ScienceFigure[] {
  const { liquid, estimated } = run;
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
      value: farthestError(trimmedElsewhere, steadyFromS, doorS.from),
      aim: atMost(0.3),
    },
    {
      name: 'steady: error of the estimate, no trim',
      unit: '°C',
      value: farthestError(untrimmed, steadyFromS, doorS.from),
    },
    {
      name: 'steady: error of the estimate, trim at 37 °C',
      unit: '°C',
      value: farthestError(run, steadyFromS, doorS.from),
      aim: atMost(0.3),
    },
    {
      name: 'door open: error of the estimate, from its opening on',
      unit: '°C',
      value: farthestError(run, doorS.from),
    },
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
  about: [
    'The thermostat is compared with a probe once, after 3.5 h at 37 °C (or after 2 h at 30 °C, where the name says so), and then holds 37 °C from a',
    'cold start with that comparison. At 3.5 h a door opens for 10 min (3 °C colder, heat losses 50 % higher). Errors of the estimate are the largest of',
    'the time named. The four measured cooling traces are inferred with the usual parameters of the model and without a trim; the accepted liquid',
    'temperatures are ±0.5 °C, of unknown origin, and the usual parameters were fitted to them, so that these four figures are not a test on new data.',
    'The model and its filter: [decision 26](decisions/0026-the-room-is-a-state-of-the-temperature-inference.md).',
  ].join(' '),
  run: async (plant) => {
    const untrimmed = await hold(plant, targetC, doorS.from);
    const { comparison: elsewhere } = await hold(plant, elsewhereC, comparedAfterS);
    return figuresOf(
      await hold(plant, targetC, endS, [untrimmed.comparison]),
      untrimmed,
      await hold(plant, targetC, doorS.from, [elsewhere]),
    );
  },
  fixed: coolingTraceFigures,
};
