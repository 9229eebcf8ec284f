import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { between, type Estimated, ourEstimates, referenceEstimates } from '../growth-estimates.ts';
import { readingsOf } from '../made-up-culture.ts';
import { noiseOf, plantOf } from '../plants.ts';
import { followedByOurs } from '../real/followed-series.ts';
import { type RealSeries, readSeries } from '../real/series-files.ts';
import { bubbleBursts, correlatedNoise, cycle, pinkNoise, type SignalDisturbance } from '../signal-disturbances.ts';

/**
 * `node bench/src/science/pictures/main.ts FOLDER` leaves the points of the pictures of docs/science.md in a folder. With
 * `LCS_REAL_SERIES=FOLDER`, also those of the measured series there.
 */
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Give the folder for the points.');
mkdirSync(folder, { recursive: true });

/** x, y, and the upper and lower bound of its band. */
type Point = readonly [x: number, y: number, high?: number, low?: number];

interface Line {
  readonly unit: string;
  readonly points: readonly Point[];
  readonly isDashed?: true;
}

interface Panel {
  readonly title: string;
  readonly x: 'hours';
  readonly y?: readonly [low: number, high: number];
  readonly lines: readonly Line[];
}

const keep = (name: string, panels: readonly Panel[]): void =>
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ panels }));

/** A picture is 1,180 pixels wide. */
const mostPoints = 1_500;

const thinned = <T>(all: readonly T[]): readonly T[] => {
  const step = Math.ceil(all.length / mostPoints);
  return all.filter((_, index) => index % step === 0);
};

interface Rated {
  readonly timeS: number;
  readonly rate: number;
  readonly rateSd: number;
}

const rateLine = (unit: string, all: readonly Rated[]): Line => ({
  unit,
  points: thinned(all).map(({ timeS, rate, rateSd }) =>
    Number.isFinite(rateSd) ? [timeS / 3600, rate, rate + rateSd, rate - rateSd] : [timeS / 3600, rate],
  ),
});

const truthLine = (all: readonly Estimated[]): Line => ({
  unit: 'truth',
  isDashed: true,
  points: thinned(all).map(({ timeS, truth }) => [timeS / 3600, truth]),
});

const hourS = 3600;
const untilS = 8 * hourS;
const shownFromS = hourS / 4;

/** Growth that begins, halves and ends. */
const steppedRate = (timeS: number): number =>
  timeS < 2 * hourS ? 0 : timeS < 4 * hourS ? 0.7 : timeS < 6 * hourS ? 0.35 : 0;

const plant = plantOf('pictures', false);

function growthPanel(title: string, noise: string, disturbance: SignalDisturbance | undefined): Panel {
  const readings = readingsOf({
    untilS,
    intervalS: () => 5,
    rate: steppedRate,
    noise: noiseOf(noise),
    chance: plant.chance.split(title),
    ...(disturbance && { disturbance }),
  });
  const shown = (all: readonly Estimated[]) => between(all, shownFromS, untilS);
  const ours = shown(ourEstimates(readings));
  const lines = [
    rateLine('growth filter ± 1 SD', ours),
    rateLine('reference filter', shown(referenceEstimates(readings))),
    truthLine(ours),
  ];
  return { title: `Growth rate, 1/h: ${title}`, x: 'hours', y: [-0.3, 1.2], lines };
}

const chance = (name: string) => plant.chance.split(`disturbance ${name}`);
keep('steps', [
  growthPanel('typical noise', 'typical', undefined),
  growthPanel('wandering noise', 'wandering', undefined),
  growthPanel('noise of a real trace of the field', 'field', undefined),
]);
keep('disturbances', [
  growthPanel('noise of 0.5 %, correlated over 10 min', 'typical', correlatedNoise(chance('slow'), 0.005, 600)),
  growthPanel('pink noise of 0.5 %', 'typical', pinkNoise(chance('pink'), 0.005)),
  growthPanel('cycle of the temperature, 20 min, ±0.5 %', 'typical', cycle(chance('cycle'), 0.005, 1200)),
  growthPanel('bursts of bubbles', 'typical', bubbleBursts(chance('bubbles'), 3)),
]);

function realPanels(series: RealSeries): readonly Panel[] {
  const ods = thinned(series.readings).map(({ timeS, od }): Point => [timeS / 3600, od]);
  return [
    { title: `${series.name}: optical density as published`, x: 'hours', lines: [{ unit: 'OD', points: ods }] },
    {
      title: `${series.name}: growth rate, 1/h`,
      x: 'hours',
      lines: [rateLine('growth filter ± 1 SD', followedByOurs(series))],
    },
  ];
}

/** The series whose licence allows to show them here. */
const shownSeries = ['pio15h', 'chibio_sgr_M2'];

if (process.env.LCS_REAL_SERIES !== undefined) {
  for (const series of readSeries(process.env.LCS_REAL_SERIES))
    if (shownSeries.includes(series.name)) keep(`real-${series.name}`, realPanels(series));
}
