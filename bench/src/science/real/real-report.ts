import { followedByOurs, followedByReference } from './followed-series.ts';
import { type RealSeries, readSeries } from './series-files.ts';
import { type SeriesScore, SeriesTruth, scoreOf } from './series-scores.ts';

interface Compared {
  readonly name: string;
  readonly ours: SeriesScore;
  readonly reference: SeriesScore;
}

const compare = (series: RealSeries): Compared => {
  const truth = new SeriesTruth(series);
  const firstS = series.readings[0]?.timeS ?? 0;
  return {
    name: series.name,
    ours: scoreOf(truth, followedByOurs(series), firstS),
    reference: scoreOf(truth, followedByReference(series), firstS),
  };
};

const median = (values: readonly number[]): number => {
  const sorted = values.filter(Number.isFinite).toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

const shown = (value: number, digits = 3): string => (Number.isFinite(value) ? value.toPrecision(digits) : '–');
const percent = (value: number): string => (Number.isFinite(value) ? `${(100 * value).toFixed(0)} %` : '–');

/** Whether a value is at most the limit; a value that could not be measured has no target. */
const isAtMost = (value: number, most: number): boolean => !(value > most);
const isWithin = (value: number, [least, most]: readonly [number, number]): boolean => !(value < least || value > most);

const eachCoverage = [0.5, 0.85] as const;
const medianCoverage = [0.6, 0.76] as const;
const mostPeak = 0.1;
const wantedGain = 0.8;

const isMet = ({ ours, reference }: Compared): boolean =>
  isAtMost(ours.forecast10, reference.forecast10) &&
  isAtMost(ours.forecast30, reference.forecast30) &&
  isWithin(ours.within1, eachCoverage) &&
  isAtMost(Math.abs(ours.peak), mostPeak);

const row = (compared: Compared): string => {
  const { name, ours, reference } = compared;
  const pair = (of: 'forecast10' | 'forecast30' | 'rateError') => `${shown(ours[of])} / ${shown(reference[of])}`;
  const covered = `${shown(ours.within1, 2)} / ${shown(ours.within2, 2)}`;
  const forecasts = `${shown(ours.forecastWithin1, 2)} / ${shown(ours.forecastWithin2, 2)}`;
  const peaks = `${percent(ours.peak)} / ${percent(reference.peak)}`;
  const cells = [name, pair('forecast10'), pair('forecast30'), pair('rateError'), covered, forecasts, peaks];
  return `| ${[...cells, isMet(compared) ? 'met' : 'MISSED'].join(' | ')} |`;
};

interface Overall {
  readonly name: string;
  readonly value: number;
  readonly target: string;
  readonly isMet: boolean;
}

function overall(all: readonly Compared[]): readonly Overall[] {
  const gain = (of: 'forecast10' | 'forecast30') => median(all.map(({ ours, reference }) => ours[of] / reference[of]));
  const gains = (['forecast10', 'forecast30'] as const).map((of) => ({
    name: `${of === 'forecast10' ? 10 : 30} min forecast relative to the reference, median`,
    value: gain(of),
    target: `≤ ${wantedGain}`,
    isMet: isAtMost(gain(of), wantedGain),
  }));
  const covered = median(all.map(({ ours }) => ours.within1));
  const coverage = {
    name: 'coverage of ±1 SD, median',
    value: covered,
    target: medianCoverage.join('–'),
    isMet: isWithin(covered, medianCoverage),
  };
  return [...gains, coverage];
}

const head = [
  'series',
  'forecast 10 min: ours / reference',
  'forecast 30 min: ours / reference',
  'rate to the centred fit, h⁻¹: ours / reference',
  'coverage ±1 / ±2 SD',
  'coverage of the forecast ±1 / ±2 SD',
  'largest rate over log-linear µmax − 1: ours / reference',
  'result',
];

const about = `The growth filter and the reference filter over cultures that others have measured and published
(\`npm run bench:science -- --real FOLDER\`). Nobody knows their true growth rates. Compared are: the forecast of ln OD 10 and 30 min ahead
(root mean square error); the rate with that of a robust line through the hour about it; the share of rates that differ from this line by
at most one and two standard deviations (those of rate and line together; nominal 0.68 and 0.95); and, in batch cultures, the largest rate
within the steepest hour with the slope of that hour. The slope of such an hour has itself a standard error of 9 to 16 %, and the steepest
of many hours is steep by chance, too. Not known: how far from the truth both are. The pictures show the filter with a band of one
standard deviation (\`npm run picture:science\`; series \`pio15h\` from Pioreactor and \`chibio_sgr_M2\` from ChiBioFlow, MIT licence).

![Steps of the growth rate in three noises](images/science-steps.png)

![Steps of the growth rate in disturbed signals](images/science-disturbances.png)

![A measured culture, 15 h](images/science-real-pio15h.png)

![A measured culture, 144 h](images/science-real-chibio-sgr-M2.png)`;

/** What the comparison means; its Markdown tables; and whether all targets are met. */
interface RealReport {
  readonly about: string;
  readonly text: string;
  readonly isAllMet: boolean;
}

/** Both filters over the measured series of a folder. */
export function realReport(folder: string): RealReport {
  const all = readSeries(folder).map(compare);
  const table = [head, head.map(() => '---')].map((cells) => `| ${cells.join(' | ')} |`);
  const found = overall(all);
  const lines = found.map(
    ({ name, value, target, isMet: met }) => `| ${name} | ${shown(value)} | ${target} | ${met ? 'met' : 'MISSED'} |`,
  );
  const text = [
    ...table,
    ...all.map(row),
    '',
    '| over all series | value | target | result |',
    '| --- | --- | --- | --- |',
    ...lines,
  ];
  return { about, text: text.join('\n'), isAllMet: all.every(isMet) && found.every((one) => one.isMet) };
}
