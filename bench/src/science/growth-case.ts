import type { SeededStream } from '@lcs/domain';
import { median } from '../../../packages/domain/src/growth-rate/robust-statistics.ts';
import { goldenGrowth } from './golden-growth.ts';
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
import { noiseOf, type Plant } from './plants.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';

const hourS = 3600;
/** mL in half a second of a usual pump. */
const partMl = 0.0456;
const noises = ['typical', 'wandering', 'noisy', 'field'] as const;

/** The culture of a run: half an hour to an hour of doubling, unless its parameters are off. */
const steadyRate = (plant: Plant): number => 0.6 * plant.of('organism.bestRate');

type Course = Omit<MadeUpCulture, 'noise' | 'chance' | 'intervalS' | 'rate'> &
  Partial<Pick<MadeUpCulture, 'intervalS' | 'rate'>>;

/** Both filters over the same readings. */
function bothOf(plant: Plant, noise: string, part: string, course: Course) {
  const readings = readingsOf({
    intervalS: () => 5,
    rate: () => steadyRate(plant),
    ...course,
    noise: noiseOf(noise),
    chance: plant.chance.split(`${part}/${noise}`),
  });
  return { readings, ours: ourEstimates(readings), reference: referenceEstimates(readings) };
}

/** Target of the root mean square error of the growth rate, h⁻¹. */
const wantedError = { atMost: 0.02 } as const;

const figure = (name: string, unit: string, value: number, more: Partial<ScienceFigure> = {}): ScienceFigure => ({
  name,
  unit,
  value,
  ...more,
});

const withinOne = (noise: string): string => `steady, ${noise}: coverage of the reported ±1 SD interval`;
const withinTwo = (noise: string): string => `steady, ${noise}: coverage of the reported ±2 SD interval`;

function steady(plant: Plant): ScienceFigure[] {
  return noises.flatMap((noise) => {
    const { ours, reference } = bothOf(plant, noise, 'steady', { untilS: 6 * hourS });
    const settled = between(ours, hourS, 6 * hourS);
    return [
      figure(`steady, ${noise}: error`, 'h⁻¹', rateError(settled), { aim: wantedError }),
      figure(`steady, ${noise}: error of the reference`, 'h⁻¹', rateError(between(reference, hourS, 6 * hourS))),
      figure(withinOne(noise), '', shareWithin(settled, 1)),
      figure(withinTwo(noise), '', shareWithin(settled, 2)),
    ];
  });
}

const steps = [
  ['growth ends', 1, 0],
  ['growth halves', 1, 0.5],
  ['growth begins', 0, 1],
] as const;

/** Half the reference's lag at equal noise, of all three steps of the rate together, in every run. */
const wantedLag = { aim: { atMost: 0.5 } } as const;

function steppedRate(plant: Plant): ScienceFigure[] {
  return noises.flatMap((noise) => {
    const lags = steps.map(([name, before, after]) => {
      const [from, to] = [before * steadyRate(plant), after * steadyRate(plant)];
      const atS = 2 * hourS;
      const rate = (timeS: number): number => (timeS < atS ? from : to);
      const { ours, reference } = bothOf(plant, noise, name, { untilS: 6 * hourS, rate });
      return { name, own: lagMinutes(ours, atS, from, to), other: lagMinutes(reference, atS, from, to) };
    });
    const total = (of: 'own' | 'other') => lags.reduce((sum, lag) => sum + lag[of], 0);
    return [
      ...lags.flatMap(({ name, own, other }) => [
        figure(`${name}, ${noise}: lag`, 'min', own),
        figure(`${name}, ${noise}: lag of the reference`, 'min', other),
        figure(`${name}, ${noise}: lag relative to the reference`, '', own / other),
      ]),
      figure(`all steps, ${noise}: lag relative to the reference`, '', total('own') / total('other'), wantedLag),
    ];
  });
}

const valuesOf = (runs: readonly (readonly ScienceFigure[])[], name: string): readonly number[] =>
  runs.flatMap((figures) => figures.filter((one) => one.name === name).map(({ value }) => value));

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Half the lag of the reference at equal noise: of the medians of all runs. */
const lagsOfAll = (runs: readonly (readonly ScienceFigure[])[]): readonly ScienceFigure[] =>
  noises.flatMap((noise) => {
    const each = steps.map(([name]) => ({
      name,
      own: valuesOf(runs, `${name}, ${noise}: lag`),
      other: valuesOf(runs, `${name}, ${noise}: lag of the reference`),
    }));
    const relation = (own: readonly number[], other: readonly number[]): number => median(own) / median(other);
    const aim = { atMost: 0.5 } as const;
    const [own, other] = [each.flatMap((step) => step.own), each.flatMap((step) => step.other)];
    return [
      figure(`all steps, ${noise}: median lag relative to the reference's`, '', relation(own, other), { aim }),
      ...each.map((step) =>
        figure(`${step.name}, ${noise}: median lag relative to the reference's`, '', relation(step.own, step.other), {
          aim,
        }),
      ),
    ];
  });

/** A reported standard deviation is right if it covers two thirds of the errors, and twice of it covers 95 %: over all noises and runs. */
const coverages = (runs: readonly (readonly ScienceFigure[])[]): readonly ScienceFigure[] => {
  const all = (nameOf: (noise: string) => string) => mean(noises.flatMap((noise) => valuesOf(runs, nameOf(noise))));
  return [
    figure('steady, all noises: coverage of the reported ±1 SD interval (lower bound)', '', all(withinOne), {
      aim: { atLeast: 0.6 },
    }),
    figure('steady, all noises: coverage of the reported ±1 SD interval (upper bound)', '', all(withinOne), {
      aim: { atMost: 0.8 },
    }),
    figure('steady, all noises: coverage of the reported ±2 SD interval (lower bound)', '', all(withinTwo), {
      aim: { atLeast: 0.93 },
    }),
  ];
};

/** As units report doses: half a second of pumping each. */
function inParts({ atS, volumeMl, addedMl, reportedMl = 0 }: Dose): Dose[] {
  const parts = Math.max(1, Math.round(addedMl / partMl));
  return Array.from({ length: parts }, (_, part) => ({
    atS: atS + 0.5 * part,
    volumeMl: volumeMl + (part * addedMl) / parts,
    addedMl: addedMl / parts,
    reportedMl: reportedMl / parts,
  }));
}

/** A turbidostat with a regular dose; the reported volumes scatter by three per cent, as pumps do. */
function dilutions(chance: SeededStream, isReported: boolean, everyS: number, addedMl: number, untilS: number): Dose[] {
  const doses: Dose[] = [];
  for (let atS = hourS; atS < untilS; atS += everyS) {
    const reportedMl = addedMl * (1 + 0.03 * chance.normal());
    doses.push({ atS: atS + 0.5, volumeMl: 15, addedMl, reportedMl: isReported ? reportedMl : undefined });
  }
  return doses;
}

/** The titles of courses. The names of their random streams are frozen: with the seeds of docs/science.md they give the same runs. */
const courseTitle = (stream: string): string => stream.replace('told', 'reported');

function disturbed(plant: Plant): ScienceFigure[] {
  const untilS = 6 * hourS;
  const chance = plant.chance.split('pumps');
  const courses: readonly (readonly [stream: string, course: Course, fromS: number])[] = [
    ['doses of 1 ml every 10 min, told', { untilS, doses: dilutions(chance, true, 600, 1, untilS) }, hourS],
    [
      'doses of 1 ml every 5 min, told in parts',
      { untilS, doses: dilutions(chance, true, 300, 1, untilS).flatMap(inParts) },
      hourS,
    ],
    ['one dose of 8 ml, told', { untilS, doses: dilutions(chance, true, untilS, 8, untilS) }, hourS],
    [
      'one dose of 8 ml, not told, from 10 min after',
      { untilS, doses: dilutions(chance, false, untilS, 8, untilS) },
      hourS + 600,
    ],
    ['one wild reading in 200', { untilS, wildChance: 0.005 }, hourS],
    ['an hour without readings, from 30 min after', { untilS, silence: [2 * hourS, 3 * hourS] }, 3.5 * hourS],
    [
      'interval 5 s, then 30 s, then 2 s',
      { untilS, intervalS: (timeS) => (timeS < 2 * hourS ? 5 : timeS < 4 * hourS ? 30 : 2) },
      hourS,
    ],
  ];
  return (['typical', 'wandering'] as const).flatMap((noise) =>
    courses.flatMap(([stream, course, fromS]) => {
      const name = courseTitle(stream);
      const { ours, reference } = bothOf(plant, noise, stream, course);
      const error = (points: readonly Estimated[]) => rateError(between(points, fromS, untilS));
      return [
        figure(`${name}, ${noise}: error`, 'h⁻¹', error(ours), { aim: wantedError }),
        figure(`${name}, ${noise}: error of the reference`, 'h⁻¹', error(reference)),
      ];
    }),
  );
}

/** Growth rate from synthetic readings: the filter alone, compared with the truth and with a reference filter. */
export const growthCase: ScienceCase = {
  name: 'growth',
  about: 'The growth filter alone, on synthetic readings: steady growth, steps of the rate, disturbances.',
  run: (plant) => [...steady(plant), ...steppedRate(plant), ...disturbed(plant)],
  overall: (runs) => [...lagsOfAll(runs), ...coverages(runs)],
  fixed: goldenGrowth,
};
