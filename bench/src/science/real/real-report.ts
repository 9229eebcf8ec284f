import { followedByOurs, followedByReference, largestSmoothedRate } from './followed-series.ts';
import { type RealSeries, readSeries } from './series-files.ts';
import { type SeriesScore, SeriesTruth, scoreOf } from './series-scores.ts';
import { type Rate, type SummaryRates, summaryRates } from './summary-rates.ts';

interface Compared {
  readonly name: string;
  readonly ours: SeriesScore;
  readonly reference: SeriesScore;
  /** Largest growth rate of a batch culture, h⁻¹: the robust line, and the fits of the growth-curve summary. */
  readonly muMax: (SummaryRates & { readonly robust: Rate; readonly smoothed: number }) | undefined;
}

const compare = (series: RealSeries): Compared => {
  const truth = new SeriesTruth(series);
  const firstS = series.readings[0]?.timeS ?? 0;
  const phase = truth.exponentialPhase();
  return {
    name: series.name,
    ours: scoreOf(truth, followedByOurs(series), firstS),
    reference: scoreOf(truth, followedByReference(series), firstS),
    muMax: phase && {
      robust: { value: phase.slope, se: phase.slopeSd },
      smoothed: largestSmoothedRate(series),
      ...summaryRates(series),
    },
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

const withError = (rate: Rate | undefined): string =>
  rate === undefined ? '–' : `${rate.value.toFixed(3)} ± ${rate.se.toFixed(3)}`;

/** Whether a value is at most the limit; a value that could not be measured has no target. */
const isAtMost = (value: number, most: number): boolean => !(value > most);
const isWithin = (value: number, [least, most]: readonly [number, number]): boolean => !(value < least || value > most);

const eachCoverage = [0.5, 0.85] as const;
const medianCoverage = [0.6, 0.76] as const;
const mostMuMaxError = 0.1;
const wantedGain = 0.8;

/** The log-linear rate of the summary over that of the robust line − 1. */
const muMaxError = (muMax: Compared['muMax']): number =>
  muMax?.logLinear === undefined ? Number.NaN : muMax.logLinear.value / muMax.robust.value - 1;

const isMet = ({ ours, reference, muMax }: Compared): boolean =>
  isAtMost(ours.forecast10, reference.forecast10) &&
  isAtMost(ours.forecast30, reference.forecast30) &&
  isWithin(ours.within1, eachCoverage) &&
  isAtMost(Math.abs(muMaxError(muMax)), mostMuMaxError);

const row = (compared: Compared): string => {
  const { name, ours, reference, muMax } = compared;
  const pair = (of: 'forecast10' | 'forecast30' | 'rateError') => `${shown(ours[of])} / ${shown(reference[of])}`;
  const covered = `${shown(ours.within1, 2)} / ${shown(ours.within2, 2)}`;
  const forecasts = `${shown(ours.forecastWithin1, 2)} / ${shown(ours.forecastWithin2, 2)}`;
  const both = (of: 'inPhase' | 'peak') => `${percent(ours[of])} / ${percent(reference[of])}`;
  const cells = [name, pair('forecast10'), pair('forecast30'), pair('rateError'), covered, forecasts];
  const rates = [muMax?.robust, muMax?.logLinear, muMax?.gaussianProcess].map(withError);
  const smoothed = percent(muMax === undefined ? Number.NaN : muMax.smoothed / muMax.robust.value - 1);
  const relative = [percent(muMaxError(muMax)), both('inPhase'), `${both('peak')} / ${smoothed}`];
  return `| ${[...cells, rates.join(' / '), ...relative, isMet(compared) ? 'met' : 'MISSED'].join(' | ')} |`;
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
  const coverages = (['within1', 'forecastWithin1'] as const).map((of) => {
    const covered = median(all.map(({ ours }) => ours[of]));
    return {
      name: `coverage of ±1 SD${of === 'within1' ? '' : ' of the forecast'}, median`,
      value: covered,
      target: medianCoverage.join('–'),
      isMet: isWithin(covered, medianCoverage),
    };
  });
  const peaks = (['ours', 'reference'] as const).map((whose) => ({
    name: `largest rate of the run over the robust line − 1, median of the batches${whose === 'ours' ? '' : ': reference'}`,
    value: median(all.map((one) => one[whose].peak)),
    target: whose === 'ours' ? `±${mostMuMaxError}` : '',
    isMet: whose === 'reference' || isAtMost(Math.abs(median(all.map(({ ours }) => ours.peak))), mostMuMaxError),
  }));
  return [...gains, ...coverages, ...peaks];
}

const head = [
  'series',
  'forecast 10 min: ours / reference',
  'forecast 30 min: ours / reference',
  'rate to the centred fit, h⁻¹: ours / reference',
  'coverage ±1 / ±2 SD',
  'coverage of the forecast ±1 / ±2 SD',
  'µmax, h⁻¹: robust line / log-linear / Gaussian process of the summary',
  'log-linear µmax of the summary over the robust line − 1',
  'mean rate in that phase over the robust line − 1: ours / reference',
  'largest rate of the run over the robust line − 1: ours / reference / ours, smoothed',
  'result',
];

const about = `The growth filter and the reference filter over cultures that others have measured and published
(\`npm run bench:science -- --real FOLDER\`). Nobody knows their true growth rates. Compared are: the forecast of ln OD 10 and 30 min ahead
(root mean square error; of the reference filter at its present rate), where no dose is logged and ln OD does not jump meanwhile; the rate with that of a robust line through the hour about it; the share of rates that differ from this line by
at most one and two standard deviations (those of rate and line together; nominal 0.68 and 0.95); the same share of its forecasts of 30 min
(that of the forecast, which the filter computes, and of a robust line through 10 min then); and, in batch cultures, µmax. Its standard of
comparison is a robust line (Huber's weights) through ln OD of the readings of a window of 1 to 8 h, in which readings scatter by at most
0.15 about the line. The window is the one with the highest lower limit of the slope, 95 % by Bonferroni for all windows side by
side: the steepest of many windows is steep by chance, too. Windows in which ln OD jumps are left out, by the rule of the growth-curve summary
([growth-curves.md](growth-curves.md)). In \`batch_Auto-P06\` the OD rises by a factor of 2.3 within 15 min (13.4 h)
and not before or after: no growth. With it are compared the log-linear µmax of the growth-curve
summary with its default settings ([growth-curves.md](growth-curves.md)), the mean of the live rate over the same window, and the largest live rate of the whole run. The
live rate follows changes within minutes: where a culture grows faster for half an hour than for any whole hour (\`pio15h\`), its largest value
is above every log-linear rate, and contains the noise of the moment (smoothed with the readings after it, too, it is smaller): it is no µmax.
In a window that begins with the exponential phase its mean is below it. Not known: how far from the truth all of them are. The pictures show the filter with a band of one
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
