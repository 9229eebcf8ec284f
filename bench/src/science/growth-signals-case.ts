import type { SeededStream } from '@lcs/domain';
import {
  between,
  type Estimated,
  lagMinutes,
  ourEstimates,
  rateError,
  referenceEstimates,
  shareWithin,
} from './growth-estimates.ts';
import { type Dose, type MadeUpCulture, readingsOf } from './made-up-culture.ts';
import { noiseOf, type Plant, plants } from './plants.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';
import { bubbleBursts, correlatedNoise, cycle, pinkNoise, type SignalDisturbance } from './signal-disturbances.ts';

const hourS = 3600;
const minuteS = 60;

const steadyRate = (plant: Plant): number => 0.6 * plant.of('organism.bestRate');

type Course = Omit<MadeUpCulture, 'noise' | 'chance' | 'intervalS' | 'rate'> &
  Partial<Pick<MadeUpCulture, 'intervalS' | 'rate'>>;

/** Both filters over the readings of a course with the noise `typical`; the reference knows its interval. */
function bothOf(plant: Plant, part: string, course: Course, intervalS = 5) {
  const chance = plant.chance.split(`signals/${part}`);
  const readings = readingsOf({
    intervalS: () => intervalS,
    rate: () => steadyRate(plant),
    ...course,
    noise: noiseOf('typical'),
    chance,
  });
  return { ours: ourEstimates(readings), reference: referenceEstimates(readings, intervalS) };
}

const figure = (
  name: string,
  unit: string,
  value: number,
  aim?: ScienceFigure['aim'],
  share?: number,
): ScienceFigure => ({
  name,
  unit,
  value,
  ...(aim && { aim }),
  ...(share !== undefined && { share }),
});

const wantedError = { atMost: 0.02 } as const;

/** Relations of two random errors scatter: this share of the runs must meet a target of one, and the median. */
const shareOfRelations = 0.8;

/** Kinds of noise with correlation times between seconds and an hour. */
const disturbances: readonly (readonly [name: string, make: (chance: SeededStream) => SignalDisturbance])[] = [
  ['0.5 % correlated over 1 min', (chance) => correlatedNoise(chance, 0.005, minuteS)],
  ['0.5 % correlated over 10 min', (chance) => correlatedNoise(chance, 0.005, 10 * minuteS)],
  ['pink, 0.5 %', (chance) => pinkNoise(chance, 0.005)],
  ['cycle of 20 min, ±0.5 %', (chance) => cycle(chance, 0.005, 20 * minuteS)],
  ['bursts of bubbles', (chance) => bubbleBursts(chance, 3)],
];

const steps = [
  ['growth ends', 1, 0],
  ['growth halves', 1, 0.5],
  ['growth begins', 0, 1],
] as const;

const untilS = 6 * hourS;
const stepS = 2 * hourS;

/** At most 1.2 times the error of the reference where the truth is steady, at no more than half its lag where it is not. */
function inDisturbedSignals(plant: Plant): ScienceFigure[] {
  return disturbances.flatMap(([name, make]) => {
    const disturbed = (part: string, rate?: (timeS: number) => number) => {
      const disturbance = make(plant.chance.split(`disturbance/${name}/${part}`));
      return bothOf(plant, `${name}/${part}`, { untilS, disturbance, ...(rate && { rate }) });
    };
    const steady = disturbed('steady');
    const settled = between(steady.ours, hourS, untilS);
    const [own, other] = [rateError(settled), rateError(between(steady.reference, hourS, untilS))];
    const lags = steps.map(([step, before, after]) => {
      const [from, to] = [before * steadyRate(plant), after * steadyRate(plant)];
      const both = disturbed(step, (timeS) => (timeS < stepS ? from : to));
      return {
        own: Math.min(240, lagMinutes(both.ours, stepS, from, to)),
        other: Math.min(240, lagMinutes(both.reference, stepS, from, to)),
      };
    });
    const total = (of: 'own' | 'other') => lags.reduce((sum, lag) => sum + lag[of], 0);
    return [
      figure(`${name}: error`, 'h⁻¹', own),
      figure(`${name}: error of the reference`, 'h⁻¹', other),
      figure(`${name}: error relative to the reference`, '', own / other, { atMost: 1.2 }, shareOfRelations),
      figure(`${name}: coverage of the reported ±1 SD interval`, '', shareWithin(settled, 1)),
      figure(`${name}: coverage of the reported ±2 SD interval`, '', shareWithin(settled, 2)),
      ...steps.map(([step], index) => figure(`${name}, ${step}: lag`, 'min', lags[index]?.own ?? Number.NaN)),
      figure(`${name}, all steps: lag relative to the reference`, '', total('own') / total('other'), { atMost: 0.5 }),
    ];
  });
}

/** Doses of a turbidostat at a volume of 15 ml; `gain` is the true volume by the reported one, beside the noise of single runs. */
function turbidostatDoses(chance: SeededStream, rate: number, gain: number, addedMl: number): Dose[] {
  const everyS = (hourS * Math.log((15 + addedMl) / 15)) / rate;
  const doses: Dose[] = [];
  for (let atS = hourS; atS < untilS; atS += everyS) {
    const parts = Math.max(1, Math.round(addedMl / 0.0456));
    const reportedMl = addedMl / gain / (1 + plants.pumpNoise.runDeviation * chance.normal());
    for (let part = 0; part < parts; part += 1)
      doses.push({
        atS: atS + 0.5 * part,
        volumeMl: 15 + (part * addedMl) / parts,
        addedMl: addedMl / parts,
        reportedMl: reportedMl / parts,
      });
  }
  return doses;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const biasOf = (points: readonly Estimated[]): number => mean(points.map(({ rate, truth }) => rate - truth));

/** One error for all doses of a pump. */
function pumpGains(plant: Plant): ScienceFigure[] {
  return [0.7, 0.8, 1, 1.2, 1.3].flatMap((gain) => {
    const doses = turbidostatDoses(plant.chance.split(`pump ${gain}`), steadyRate(plant), gain, 1);
    const { ours, reference } = bothOf(plant, `gain ${gain}`, { untilS, doses });
    const settled = between(ours, 2 * hourS, untilS);
    const name = `doses of 1 ml, pump gain ${gain}`;
    return [
      figure(`${name}: bias`, 'h⁻¹', Math.abs(biasOf(settled)), { atMost: 0.01 }),
      figure(`${name}: bias of the reference`, 'h⁻¹', Math.abs(biasOf(between(reference, 2 * hourS, untilS)))),
      figure(`${name}: coverage of the reported ±1 SD interval`, '', shareWithin(settled, 1)),
    ];
  });
}

/** Announced doses that did not arrive. */
function deadDoses(plant: Plant): ScienceFigure[] {
  const doses = Array.from({ length: 14 }, (_, index) => ({
    atS: 2 * hourS + index * 5 * minuteS,
    volumeMl: 12,
    addedMl: 0,
    reportedMl: 6,
  }));
  return [5, 30, 60].flatMap((intervalS) => {
    const { ours, reference } = bothOf(plant, `dead doses/${intervalS}`, { untilS, doses }, intervalS);
    const wrong = ours.filter(({ timeS, rate, truth }) => timeS >= 2 * hourS && Math.abs(rate) > 2 * truth);
    const name = `14 doses of 6 ml without effect, every ${intervalS} s`;
    const unseen = ours.filter(({ flags }) => flags.includes('dose_unseen')).length;
    const late = (points: readonly Estimated[]) => rateError(between(points, 2 * hourS, untilS));
    return [
      figure(`${name}: time beyond twice the true rate`, 'min', (wrong.length * intervalS) / 60, { atMost: 5 }),
      figure(`${name}: flagged estimates`, '', unseen, { atLeast: 1 }),
      figure(`${name}: error`, 'h⁻¹', late(ours)),
      figure(`${name}: error of the reference`, 'h⁻¹', late(reference)),
    ];
  });
}

/** Longest time (min) after the end of growth at which the rate is above half of its value before. */
function diluteStart(plant: Plant): ScienceFigure[] {
  return [5, 30].flatMap((intervalS) => {
    const rate = steadyRate(plant);
    const endS = 7 * hourS;
    const { ours, reference } = bothOf(
      plant,
      `dilute/${intervalS}`,
      {
        untilS: 10 * hourS,
        startOd: 0.005,
        additiveDeviation: 0.0005,
        rate: (timeS) => (timeS < endS ? rate : 0),
      },
      intervalS,
    );
    const name = `inoculated at OD 0.005, noise of OD 0.0005, every ${intervalS} s`;
    return [
      figure(`${name}, growth ends: lag`, 'min', lagMinutes(ours, endS, rate, 0), { atMost: intervalS === 5 ? 8 : 15 }),
      figure(`${name}, growth ends: lag of the reference`, 'min', lagMinutes(reference, endS, rate, 0)),
      figure(`${name}: error from OD 0.02 on`, 'h⁻¹', rateError(between(ours, 4 * hourS, endS)), wantedError),
    ];
  });
}

/** A blanked signal that begins at half its noise, with readings of 0 and below; until the OD is 0.1. */
function startInNoise(plant: Plant): ScienceFigure[] {
  return [5, 60].flatMap((intervalS) => {
    const [startOd, noise, rate] = [0.002, 0.004, steadyRate(plant)];
    const readings = readingsOf({
      intervalS: () => intervalS,
      rate: () => rate,
      untilS: (hourS * Math.log(0.1 / startOd)) / rate,
      startOd,
      additiveDeviation: noise,
      noise: noiseOf('typical'),
      chance: plant.chance.split(`signals/noise ${intervalS}`),
    });
    const ours = ourEstimates(readings);
    const odOf = ({ timeS }: Estimated): number => startOd * Math.exp((rate * timeS) / hourS);
    const [first] = ours;
    const name = `inoculated at OD 0.002, noise of OD 0.004, every ${intervalS} s`;
    return [
      figure(
        `${name}: OD at the first rate over its noise`,
        '',
        first === undefined ? Number.NaN : odOf(first) / noise,
      ),
      figure(`${name}: bias up to OD 0.1`, 'h⁻¹', Math.abs(biasOf(ours)), { atMost: 0.05 }),
      figure(`${name}: coverage of the reported ±2 SD interval`, '', shareWithin(ours, 2), { atLeast: 0.8 }),
    ];
  });
}

function lifted(plant: Plant): ScienceFigure[] {
  return [5, 20].flatMap((minutes) => {
    const fromS = 3 * hourS;
    const { ours, reference } = bothOf(plant, `lifted ${minutes}`, {
      untilS,
      lifted: [fromS, fromS + minutes * minuteS],
    });
    const after = (points: readonly Estimated[]) => between(points, fromS, fromS + 2 * hourS);
    const worst = (points: readonly Estimated[]) =>
      Math.max(...after(points).map(({ rate, truth }) => Math.abs(rate - truth)));
    const name = `vial lifted for ${minutes} min, flagged`;
    return [
      figure(`${name}: largest error within 2 h`, 'h⁻¹', worst(ours), { atMost: 0.05 }),
      figure(`${name}: largest error of the reference`, 'h⁻¹', worst(reference)),
      figure(`${name}: error`, 'h⁻¹', rateError(after(ours)), wantedError),
    ];
  });
}

function intervals(plant: Plant): ScienceFigure[] {
  return [5, 30, 60, 300].flatMap((intervalS) => {
    const { ours } = bothOf(plant, `interval ${intervalS}`, { untilS: 10 * hourS }, intervalS);
    const settled = between(ours, 3 * hourS, 10 * hourS);
    const name = `steady, every ${intervalS} s`;
    return [
      figure(`${name}: error`, 'h⁻¹', rateError(settled), wantedError),
      figure(`${name}: coverage of the reported ±1 SD interval`, '', shareWithin(settled, 1)),
    ];
  });
}

/** A raw signal without a blank: a part of it is not from cells. */
function background(plant: Plant): ScienceFigure[] {
  const { ours } = bothOf(plant, 'background', { untilS, startOd: 0.005, background: 0.004 });
  const early = between(ours, hourS / 2, 2 * hourS);
  const name = 'raw signal with a background of 0.004, from OD 0.006 to 0.012';
  return [
    figure(`${name}: bias`, 'h⁻¹', biasOf(early)),
    figure(`${name}: coverage of the reported ±2 SD interval`, '', shareWithin(early, 2), { atLeast: 0.6 }),
  ];
}

const names = (text: string) => (name: string) => name.includes(text);
const valuesOf = (
  runs: readonly (readonly ScienceFigure[])[],
  isWanted: (name: string) => boolean,
): readonly number[] =>
  runs.flatMap((figures) => figures.filter(({ name }) => isWanted(name)).map(({ value }) => value));

/** Kinds of signals; whether a too large uncertainty is a fault, too: in signals this bad it is honest. */
const coverageGroups = [
  ['correlated over 1 min', false],
  ['correlated over 10 min', false],
  ['pink', false],
  ['cycle', false],
  ['bubbles', true],
  ['pump gain', true],
  ['every 5 s', true],
  ['every 300 s', true],
] as const;

/** Coverage over all runs: that of a single one, whose errors are correlated over an hour, says little. */
function coverages(runs: readonly (readonly ScienceFigure[])[]): readonly ScienceFigure[] {
  return coverageGroups.flatMap(([group, isBounded]) => {
    const isOne = (name: string) => names(group)(name) && name.endsWith('±1 SD interval');
    const value = mean(valuesOf(runs, isOne));
    const name = `${group}, all runs: coverage of the reported ±1 SD interval`;
    return [
      figure(`${name} (lower bound)`, '', value, { atLeast: 0.6 }),
      ...(isBounded ? [figure(`${name} (upper bound)`, '', value, { atMost: 0.8 })] : []),
    ];
  });
}

/** The growth filter on signals with disturbances that are not those of its model. */
export const growthSignalsCase: ScienceCase = {
  name: 'growth-signals',
  about:
    'The growth filter alone, on synthetic readings that its model does not describe: correlated and pink noise, cycles, bubbles, doses without effect, pumps whose error is common to all doses, a dilute start, one within the noise, a lifted vial, a background.',
  run: (plant) => [
    ...inDisturbedSignals(plant),
    ...pumpGains(plant),
    ...deadDoses(plant),
    ...diluteStart(plant),
    ...startInNoise(plant),
    ...lifted(plant),
    ...intervals(plant),
    ...background(plant),
  ],
  overall: coverages,
};
