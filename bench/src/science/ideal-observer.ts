import type { SeededStream } from '@lcs/domain';

const hourS = 3600;
const volumeMl = 15;
const capacityMl = 20;
/** As in the job: until fresh medium is mixed in, from a dose to the next evaluation, and the extra readings around exchanges. */
const mixingS = 10;
const settleS = 30;
const flowMlPerS = 0.09;
const extraReadings = { count: 8, everyS: 5, whereRarerThanS: 20 } as const;

/** A turbidostat of which everything is known but the noise of readings, the scatter of doses and the changes of growth. */
export interface KnownCourse {
  readonly chance: SeededStream;
  readonly everyS: number;
  readonly exchangeMl: number;
  /** Relative standard deviation of single doses; the factor of the pump is 1. */
  readonly doseSpread: number;
  /** Standard deviation of a reading, of ln OD; white. */
  readonly noise: number;
  /** Growth at the start, per hour, and the variance of its change in an hour. */
  readonly growth: number;
  readonly growthVariance: number;
  /** Exchanges before the tube is blocked, so that growth is known. */
  readonly before: number;
}

/** What the ideal observer knows at some reading after the tube was blocked. */
export interface Knowledge {
  /** Of the statistic of Shiryaev and Roberts. */
  readonly logStatistic: number;
  /** Exchanges since the tube was blocked. */
  readonly exchanges: number;
  readonly spilledMl: number;
}

/** Mean and covariance of ln OD and growth, by one assumption about the waste tube. */
class KnownFilter {
  level = 0;
  growth: number;
  volumeMl = volumeMl;
  /** Logarithm of the likelihood of all readings relative to that of a working tube. */
  logRatio = 0;
  #levelVariance: number;
  #both = 0;
  #growthVariance: number;

  constructor(growth: number, levelVariance: number, growthVariance: number) {
    this.growth = growth;
    this.#levelVariance = levelVariance;
    this.#growthVariance = growthVariance;
  }

  copy(): KnownFilter {
    const copy = new KnownFilter(this.growth, this.#levelVariance, this.#growthVariance);
    copy.level = this.level;
    copy.#both = this.#both;
    return copy;
  }

  pass(hours: number, growthVariance: number): void {
    this.level += this.growth * hours;
    const added = growthVariance * hours;
    this.#levelVariance += 2 * hours * this.#both + hours ** 2 * this.#growthVariance + (added * hours ** 2) / 3;
    this.#both += hours * this.#growthVariance + (added * hours) / 2;
    this.#growthVariance += added;
  }

  dose(addedMl: number, spread: number, isBlocked: boolean): void {
    const effect = Math.log1p(addedMl / this.volumeMl);
    this.level -= effect;
    this.#levelVariance += (spread * effect) ** 2;
    if (isBlocked) this.volumeMl = Math.min(capacityMl, this.volumeMl + addedMl);
  }

  /** The logarithm of the likelihood of a reading. */
  read(seen: number, noise: number): number {
    const variance = this.#levelVariance + noise ** 2;
    const error = seen - this.level;
    const [levelGain, growthGain] = [this.#levelVariance / variance, this.#both / variance];
    this.level += levelGain * error;
    this.growth += growthGain * error;
    this.#growthVariance -= growthGain * this.#both;
    this.#both -= growthGain * this.#levelVariance;
    this.#levelVariance -= levelGain * this.#levelVariance;
    return -(error ** 2) / 2 / variance - Math.log(variance) / 2;
  }
}

/** Enough for any threshold, and the end of a run in which it is never reached. */
const enough = 18;
const mostExchanges = 40;
/** Ratios of likelihoods below this count nothing. */
const negligible = -16;

/**
 * What a likelihood-ratio test knows that is exactly right about the simulated course, in order of time, whenever it knows more than
 * before: the sum over all beginnings of the likelihood ratio of a tube that is blocked since then (Shiryaev and Roberts).
 */
export function idealKnowledge(course: KnownCourse): readonly Knowledge[] {
  const { chance, everyS, exchangeMl, doseSpread, noise, growthVariance } = course;
  const [readings, doses, changes] = ['readings', 'doses', 'changes'].map((part) => chance.split(part));
  if (!readings || !doses || !changes) throw new Error('a stream is missing');
  const working = new KnownFilter(course.growth, noise ** 2, 0.1 ** 2);
  working.level = -0.03;
  let blocked: KnownFilter[] = [];
  let [level, growth, trueMl, spilledMl, exchanges, atS] = [-0.03, course.growth, volumeMl, 0, 0, 0];
  const known: Knowledge[] = [];
  const passTo = (timeS: number): void => {
    const hours = (timeS - atS) / hourS;
    atS = timeS;
    const [change, between] = [changes.normal(), changes.normal()];
    const step = Math.sqrt(growthVariance * hours) * change;
    // Exact for a growth rate that walks at random.
    level += (growth + step / 2) * hours + Math.sqrt((growthVariance * hours ** 3) / 12) * between;
    growth += step;
    for (const filter of [working, ...blocked]) filter.pass(hours, growthVariance);
  };
  const sinceBlocked = (): number => exchanges - course.before;
  const read = (timeS: number): void => {
    passTo(timeS);
    const seen = level + noise * readings.normal();
    const logWorking = working.read(seen, noise);
    for (const filter of blocked) filter.logRatio += filter.read(seen, noise) - logWorking;
    blocked = blocked.filter(({ logRatio }) => logRatio > negligible);
    if (sinceBlocked() < 1) return;
    const logStatistic = Math.log(blocked.reduce((sum, { logRatio }) => sum + Math.exp(logRatio), 0));
    const most = known.at(-1)?.logStatistic ?? Number.NEGATIVE_INFINITY;
    if (logStatistic > most) known.push({ logStatistic, exchanges: sinceBlocked(), spilledMl });
  };
  const readClosely = (fromS: number): void => {
    for (let index = 0; index < extraReadings.count; index += 1) read(fromS + index * extraReadings.everyS);
  };
  const isRare = everyS > extraReadings.whereRarerThanS;
  let [mixedS, freeS] = [0, 0];
  const isOver = (): boolean => sinceBlocked() >= mostExchanges || (known.at(-1)?.logStatistic ?? 0) > enough;
  for (let gridS = everyS; !isOver(); gridS += everyS) {
    if (gridS <= atS || gridS < mixedS) continue;
    read(gridS);
    if (gridS < freeS || working.level < 0) continue;
    if (isRare) readClosely(gridS + extraReadings.everyS);
    exchanges += 1;
    const isBlocked = sinceBlocked() >= 1;
    blocked.push(working.copy());
    level -= Math.log1p(exchangeMl / trueMl) * (1 + doseSpread * doses.normal());
    if (isBlocked) {
      spilledMl += Math.max(0, trueMl + exchangeMl - capacityMl);
      trueMl = Math.min(capacityMl, trueMl + exchangeMl);
    }
    for (const filter of blocked) filter.dose(exchangeMl, doseSpread, true);
    working.dose(exchangeMl, doseSpread, false);
    const flowS = exchangeMl / flowMlPerS;
    mixedS = atS + flowS + mixingS;
    freeS = atS + 4 * flowS + settleS;
    if (isRare) readClosely(mixedS);
  }
  return known;
}

/**
 * The lowest threshold with at most `allowed` false alarms in so many exchanges of a working tube. An alarm of a working tube is as frequent
 * as one of a blocked one, weighted by the inverse of the statistic at the alarm (importance sampling): at most
 * 1 in exp(threshold) exchanges (bound of Wald, for this statistic by Pollak).
 */
export function thresholdFor(runs: readonly (readonly Knowledge[])[], exchanges: number, allowed: number): number {
  const alarms = (threshold: number): number =>
    (exchanges / runs.length) *
    runs.reduce((sum, run) => {
      const alarm = run.find(({ logStatistic }) => logStatistic >= threshold);
      return alarm === undefined ? sum : sum + Math.exp(-alarm.logStatistic);
    }, 0);
  let [low, high] = [0, enough];
  for (let step = 0; step < 40; step += 1) {
    const middle = (low + high) / 2;
    if (alarms(middle) > allowed) low = middle;
    else high = middle;
  }
  return high;
}
