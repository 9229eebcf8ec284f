import type { NoiseProfile, SeededStream } from '@lcs/domain';
import { dosingResult } from './dosing-course.ts';
import { idealKnowledge, type Knowledge, thresholdFor } from './ideal-observer.ts';
import { noiseOf, type Plant } from './plants.ts';
import type { ScienceCase, ScienceFigure } from './science-case.ts';

const intervalsS = [5, 30, 60, 120] as const;
const exchangesMl = [0.5, 1, 1.5] as const;
const doseSpreads = [0.025, 0.05] as const;
const runsOfEach = 150;
const growth = 0.6;
/** A growth that walks as the drift of the case `false-findings` does at first: by 6 % in six hours, as a first-order process. */
const growthVariance = (2 * (0.06 * growth) ** 2) / 6;
const before = 12;
const volumeMl = 15;
const hourS = 3600;
const noise: NoiseProfile = { ...noiseOf('typical'), shockChance: 0 };
/** Of the service, in each run of the case. */
const serviceRuns = 30;

const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
};

const percentOf = <T>(all: readonly T[], is: (one: T) => boolean): number => (100 * all.filter(is).length) / all.length;

/** When the observer knows, with so many false pauses in 1,000 vial-days. */
function alarms(runs: readonly (readonly Knowledge[])[], exchangeMl: number, allowed: number) {
  const inThousandDays = (24_000 * growth) / Math.log1p(exchangeMl / volumeMl);
  const threshold = thresholdFor(runs, inThousandDays, allowed);
  const never: Knowledge = {
    logStatistic: 0,
    exchanges: Number.POSITIVE_INFINITY,
    spilledMl: Number.POSITIVE_INFINITY,
  };
  return runs.map((run) => run.find(({ logStatistic }) => logStatistic >= threshold) ?? never);
}

interface Setting {
  readonly everyS: number;
  readonly exchangeMl: number;
  readonly doseSpread: number;
}

const nameOf = ({ everyS, exchangeMl, doseSpread }: Setting): string =>
  `doses repeat to ${100 * doseSpread} %, ${exchangeMl} ml, a reading every ${everyS} s`;

function idealFigures(plant: Plant, setting: Setting): readonly ScienceFigure[] {
  const name = `ideal, ${nameOf(setting)}`;
  const chance = plant.chance.split(name);
  const course = { ...setting, noise: noise.readingDeviation, growth, growthVariance, before };
  const runs = Array.from({ length: runsOfEach }, (_, run) =>
    idealKnowledge({ ...course, chance: chance.split(`run ${run}`) }),
  );
  const known = alarms(runs, setting.exchangeMl, 1);
  const exchanges = known.map((one) => one.exchanges);
  const often = alarms(runs, setting.exchangeMl, 20).map(({ spilledMl }) => spilledMl);
  return [
    { name: `${name}: known after three exchanges`, unit: '%', value: percentOf(exchanges, (count) => count <= 3) },
    { name: `${name}: exchanges, median`, unit: '', value: quantile(exchanges, 0.5) },
    { name: `${name}: exchanges, 95 %`, unit: '', value: quantile(exchanges, 0.95) },
    {
      name: `${name}: overflow, 95 %`,
      unit: 'ml',
      value: quantile(
        known.map(({ spilledMl }) => spilledMl),
        0.95,
      ),
    },
    { name: `${name}: overflow, 95 %, with 20 false pauses`, unit: 'ml', value: quantile(often, 0.95) },
  ];
}

/** A growth that walks at random, to be asked in order of time. */
function walking(chance: SeededStream): (timeS: number) => number {
  let [rate, atS] = [growth, 0];
  return (timeS) => {
    rate += Math.sqrt((growthVariance * Math.max(0, timeS - atS)) / hourS) * chance.normal();
    atS = timeS;
    return rate;
  };
}

/** The evidence of the service in the same world. */
function serviceFigures(plant: Plant, setting: Setting): readonly ScienceFigure[] {
  const name = `service, ${nameOf(setting)}`;
  const found = Array.from({ length: serviceRuns }, (_, run) => {
    const chance = plant.chance.split(`${name} ${run}`);
    const fromS = 3 * hourS + 600 * chance.split('begin').uniform();
    const quiet = { noise, disturbance: () => 0, factor: () => 1, wideShare: 0, rate: walking(chance.split('growth')) };
    const fault = { kind: 'waste_blocked', fromS } as const;
    const { findings } = dosingResult({ ...setting, ...quiet, chance, untilS: fromS + 6 * hourS, fault }, true);
    return findings.find(({ what, timeS }) => what !== 'wrong_volume' && timeS >= fromS);
  });
  const exchanges = found.map((one) => one?.doses ?? Number.POSITIVE_INFINITY);
  const spilled = found.map((one) => one?.spilledMl ?? Number.POSITIVE_INFINITY);
  return [
    { name: `${name}: exchanges, median`, unit: '', value: quantile(exchanges, 0.5) },
    { name: `${name}: exchanges, 95 %`, unit: '', value: quantile(exchanges, 0.95) },
    { name: `${name}: overflow of at most 2 ml`, unit: '%', value: percentOf(spilled, (ml) => ml <= 2) },
  ];
}

/** What no evidence of the optical density can do better. */
export const wasteBoundCase: ScienceCase = {
  name: 'waste-bound',
  about: `An ideal observer of a blocked waste tube, as a bound for every evidence by the optical density: a turbidostat in 15 ml that overflows at 20 ml, noise 'typical' without its shocks, growth of ${growth} h⁻¹ that walks at random. It knows the factor and the scatter of the pump, the noise, the volume of the vial and the variance of the growth exactly, sees eight extra readings before and after each exchange where readings are rarer than every 20 s, and sums the likelihood ratios of all beginnings of the fault (Shiryaev 1963, Roberts 1966). Its threshold gives one false pause (or 20) in 1,000 vial-days, by importance sampling: an alarm of a working tube is as frequent as one of a blocked tube, weighted by the inverse of the statistic at the alarm. Wald's bound, which exceeds it, is the logarithm of the number of exchanges in 1,000 vial-days: 12.3 of 1 ml. Each run of the case has ${runsOfEach} blocked tubes of each kind. Counted are the exchanges that begin after the fault, of which the first has the same effect as with a working tube. For comparison the evidence of the service in the same world (it knows none of these numbers, begins with exchanges of 0.5 or 1 ml and enlarges them up to a tenth of the vial before the vial could be full): ${serviceRuns} tubes of each kind.`,
  run: (plant) =>
    doseSpreads.flatMap((doseSpread) =>
      exchangesMl.flatMap((exchangeMl) =>
        intervalsS.flatMap((everyS) => {
          const setting = { everyS, exchangeMl, doseSpread };
          const service = exchangeMl > 1 ? [] : serviceFigures(plant, setting);
          return [...idealFigures(plant, setting), ...service];
        }),
      ),
    ),
};
