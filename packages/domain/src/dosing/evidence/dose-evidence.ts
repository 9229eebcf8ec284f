import {
  afterDose,
  afterHours,
  afterReading,
  type CultureEstimate,
  changing,
  type DilutingPump,
  type DoseEffect,
  fedBy,
  firstEstimate,
  growthOf,
  logDensityOf,
  loose,
  mixed,
  outlierShare,
  pumpFactor,
  scattering,
  steady,
  type Variation,
  withFactor,
  withGrowth,
} from './culture-filter.ts';
import {
  firstNoise,
  type NoiseEstimate,
  noiseAfterDose,
  noiseOf,
  noiseRaised,
  noiseWith,
  type TimedReading,
} from './reading-noise.ts';

/**
 * What the doses since some dose did:
 *
 * - `missing`: the pump moved nothing (bottle empty, tube blocked or off);
 * - `irregular`: it moved clearly less, and unevenly (air, a tube that is partly blocked);
 * - `waste_blocked`: nothing left the vial, so that each dose dilutes a larger volume.
 */
export type Disturbance = 'missing' | 'irregular' | 'waste_blocked';

/** An alternative to the assumption that all pumps work. Plain data. */
export interface Hypothesis {
  readonly disturbance: Disturbance;
  /** Of a disturbance of an inflow. */
  readonly pump?: DilutingPump;
  /** The first dose concerned. */
  readonly sinceDose: number;
  /** The number of doses that it concerns so far. */
  readonly doses: number;
  readonly estimate: CultureEstimate;
  /** Relative standard deviation of single doses, as learned before it began: later ones would excuse what it explains. */
  readonly doseSpread: number;
  /** Logarithm of its probability relative to that of working pumps. */
  readonly logOdds: number;
  /** The same when its newest dose began. */
  readonly logOddsBefore: number;
  /** Volume of the vial by this hypothesis, and what ran over, ml; of `waste_blocked`. */
  readonly volumeMl?: number;
  readonly spilledMl?: number;
}

/** How cultures and working pumps vary: each is followed, with its probability. */
const variations = { changing, steady, loose, scattering } as const;

type Variant = keyof typeof variations;
type HeldVariant = Exclude<Variant, 'changing'>;
/** A held culture, with pumps whose doses scatter a little, more and much. */
const heldVariants = ['steady', 'loose', 'scattering'] as const satisfies readonly HeldVariant[];
const variants = ['changing', ...heldVariants] as const satisfies readonly Variant[];

/** For each of them. */
type OfVariations<T> = Readonly<Record<Variant, T>>;

const ofVariations = <T>(make: (name: Variant) => T): OfVariations<T> => ({
  changing: make('changing'),
  steady: make('steady'),
  loose: make('loose'),
  scattering: make('scattering'),
});

const sumOf = (names: readonly Variant[], value: (name: Variant) => number): number =>
  names.reduce((sum, name) => sum + value(name), 0);

interface Weighted {
  readonly estimate: CultureEstimate;
  readonly probability: number;
}

/** The culture by the assumption that all pumps work; probabilities add up to 1. Plain data. */
interface WorkingModels extends OfVariations<Weighted> {
  /** The newest dose alone was an unusual one, of a pump that works. */
  readonly odd: Weighted | undefined;
  /** The culture has used up its medium and grows with what each dose brings; undefined: doses are given at a density below that. */
  readonly fed: Weighted | undefined;
}

interface LastReading {
  readonly hours: number;
  /** Probability that it was an outlier. */
  readonly moved: number;
}

/** Probability of each scatter of the doses, in a held culture. */
type Spreads = Readonly<Record<HeldVariant, number>>;

/** The evidence so far. Plain data. */
export interface DoseEvidence {
  readonly noise: NoiseEstimate;
  /** As known when the newest dose began: a property of the pump, which stays when the culture is changed. */
  readonly spreads: Spreads;
  readonly atHours: number;
  /** Whether the culture may use up its medium, as nothing holds its density. */
  readonly mayBeLimited: boolean;
  /** Undefined before the first reading. */
  readonly models: WorkingModels | undefined;
  readonly hypotheses: readonly Hypothesis[];
  /** The newest dose. */
  readonly dose: number | undefined;
  /** Its effect on ln OD if its pump works. */
  readonly doseShift: number;
  /** The same of all doses since readings were explained for the last time, and their pumps. */
  readonly open: { readonly shift: number; readonly pumps: readonly DilutingPump[] };
  /** How probable it was at the newest doses that the culture lives on them; each halves what the former ones have shown. */
  readonly limitation: number;
  /** Added since the newest hypothesis about the waste began, ml. */
  readonly sinceWasteMl: number;
  readonly readingsSinceDose: number;
  readonly lastReading: LastReading;
  /** Readings in a row that neither working pumps nor any disturbance explain. */
  readonly unexplained: readonly TimedReading[];
}

export type EvidenceInput =
  | {
      readonly kind: 'reading';
      readonly hours: number;
      readonly logDensity: number;
      /** Taken beside those of the usual interval. Default: false. */
      readonly extra?: boolean;
    }
  | {
      readonly kind: 'dose';
      readonly hours: number;
      /** Number of the dose; parts of a dose have the same one. */
      readonly dose: number;
      readonly pump: DilutingPump;
      /** By the ledger, before this part, ml. */
      readonly volumeMl: number;
      readonly addedMl: number;
      /** Whether the same volume is removed afterwards. */
      readonly drains: boolean;
      /** Volume at which the vial overflows, ml. */
      readonly capacityMl: number;
    };

/** Before the first dose. Chosen: most pumps repeat well, so that only several doses say otherwise. */
const firstSpreads: Spreads = { steady: 0.85, loose: 0.11, scattering: 0.04 };
const firstChanging = 0.48;

export const noEvidence: DoseEvidence = {
  noise: firstNoise,
  spreads: firstSpreads,
  atHours: 0,
  mayBeLimited: false,
  models: undefined,
  hypotheses: [],
  dose: undefined,
  doseShift: 0,
  open: { shift: 0, pumps: [] },
  limitation: 0,
  sinceWasteMl: Number.POSITIVE_INFINITY,
  readingsSinceDose: 0,
  lastReading: { hours: 0, moved: 0 },
  unexplained: [],
};

/** A culture that may use up its medium lives on its doses with at least this probability: that may begin within an hour of full growth. Chosen. */
const leastFed = 0.05;

const modelsFrom = (
  estimate: CultureEstimate,
  { spreads, mayBeLimited }: Pick<DoseEvidence, 'spreads' | 'mayBeLimited'>,
): WorkingModels => {
  const others = mayBeLimited ? 1 - leastFed : 1;
  return {
    ...ofVariations((name) => ({
      estimate,
      probability: others * (name === 'changing' ? firstChanging : (1 - firstChanging) * spreads[name]),
    })),
    odd: undefined,
    fed: mayBeLimited ? { estimate, probability: leastFed } : undefined,
  };
};

const spreadsOf = (models: OfVariations<Weighted>): Spreads => {
  const held = heldShareOf(models);
  return {
    steady: models.steady.probability / held,
    loose: models.loose.probability / held,
    scattering: models.scattering.probability / held,
  };
};

/** Relative standard deviation of single doses, as learned from the doses so far. */
const learnedSpread = (models: WorkingModels): number => {
  const squares = sumOf(heldVariants, (name) => models[name].probability * variations[name].doseSpread ** 2);
  return Math.sqrt(squares / heldShareOf(models));
};

const heldShareOf = (models: OfVariations<Weighted>): number => sumOf(heldVariants, (name) => models[name].probability);

/** Spread of a dose that is unusual, and the share of such doses: tails that the normal distribution does not have. Chosen. */
const oddDose = { share: 0.01, variation: { ...steady, doseSpread: 0.3 } } as const;
const usualDose = Math.log(1 - oddDose.share);

const changed = (
  models: WorkingModels,
  fedVariation: Variation,
  change: (estimate: CultureEstimate, variation: Variation) => CultureEstimate,
): WorkingModels => ({
  ...ofVariations((name) => ({ ...models[name], estimate: change(models[name].estimate, variations[name]) })),
  odd: models.odd && { ...models.odd, estimate: change(models.odd.estimate, oddDose.variation) },
  fed: models.fed && { ...models.fed, estimate: change(models.fed.estimate, fedVariation) },
});

/** Without all that is known of the culture and the flow of the pumps: a person has changed something. The noise of readings and doses stays known. */
export const evidenceAfresh = ({ noise, spreads, mayBeLimited }: DoseEvidence): DoseEvidence => ({
  ...noEvidence,
  mayBeLimited,
  spreads,
  noise: noiseAfterDose(noise),
});

/** Probability, per dose, that a disturbance begins with it. Chosen: about one in a thousand. */
export const priorLogOdds: Readonly<Record<Disturbance, number>> = {
  missing: Math.log(2e-3),
  irregular: Math.log(1e-3),
  waste_blocked: Math.log(1e-3),
};
/** A disturbance is found at 10 : 1 for it. Chosen. */
const foundLogOdds = Math.log(10);
/** A hypothesis is refuted at this. */
const refutedLogOdds = Math.log(1e-6);
const mostOfAKind: Readonly<Record<Disturbance, number>> = { missing: 8, irregular: 4, waste_blocked: 16 };
/** A new hypothesis about the waste begins with each such volume. */
const wasteStepMl = 0.4;

/** A waste tube that has been blocked for longer looks like a pump of another flow. Chosen by simulation (decision 31). */
const mostSpilledMl = 25;

/** Share and spread of the doses of a pump that draws air or is partly blocked. Chosen. */
const irregularFactor = { share: 0.45, deviation: 0.2 } as const;
const irregular: Variation = { ...changing, doseSpread: 0.25 };

export function evidenceStep(evidence: DoseEvidence, input: EvidenceInput): DoseEvidence {
  const before = advanced(evidence, input.hours);
  return input.kind === 'reading' ? withReading(before, input) : withDose(before, input);
}

function advanced(evidence: DoseEvidence, hours: number): DoseEvidence {
  const { models, hypotheses, atHours } = evidence;
  const elapsed = hours - atHours;
  if (models === undefined || elapsed <= 0) return { ...evidence, atHours: Math.max(hours, atHours) };
  const noise = noiseOf(evidence.noise);
  return {
    ...evidence,
    atHours: hours,
    models: changed(models, fedBy(evidence.doseShift), (estimate, variation) =>
      afterHours(estimate, elapsed, noise, variation),
    ),
    hypotheses: hypotheses.map((one) => ({
      ...one,
      estimate: afterHours(one.estimate, elapsed, noise, variationOf(one)),
    })),
  };
}

/** A blocked waste tube shows slowly, so that only a culture that is otherwise steady can prove it. */
const variationOf = ({ disturbance }: Pick<Hypothesis, 'disturbance'>): Variation => {
  if (disturbance === 'waste_blocked') return steady;
  return disturbance === 'irregular' ? irregular : changing;
};

/** The probability of a culture that changes, and that of one that is held, stay at least this. Chosen. */
const leastProbability = 0.02;
/**
 * The scatter of a pump is learned from many doses: with each, what is known counts this power less, so that a pump can change; and no
 * scatter becomes less probable than `least`. A single dose, or bubbles after it, changes a probability by no more than e to the `mostOfDose`: one
 * bubble that a model had taken for a small dose made it forget the pump. Chosen by simulation (decision 31).
 */
const spreadMemory = { power: 0.98, least: 1e-4, mostOfDose: 2 } as const;
/** A dose that is less probably an unusual one is a usual one. Chosen. */
const leastOddProbability = 0.002;

/** After so many readings in a row that nothing explains, the density itself (by a person for example) or the noise has changed. Chosen. */
const mostUnexplained = 6;
/** A reading is explained when it is probably no outlier. */
const explained = 0.5;

/**
 * Readings that nothing explains from soon after a dose on, at a lower density: a pump may move several times its calibration, or medium comes
 * while the waste pump runs because tubes were exchanged. The next doses are expected with that factor, so widely that a usual dose
 * refutes it. Smaller factors are within what is expected anyway; a density that falls further was changed by a person. Chosen.
 */
const largerDose = { least: 1.4, most: 6, leastDeviation: 0.2, deviationPerExcess: 0.5 } as const;

function withLargerDoses(fresh: CultureEstimate, logDensity: number, evidence: DoseEvidence): CultureEstimate {
  const { models, open, readingsSinceDose, unexplained } = evidence;
  const [pump, other] = open.pumps;
  const explainedSinceDose = readingsSinceDose - unexplained.length;
  if (models === undefined || pump === undefined || other !== undefined || open.shift <= 0) return fresh;
  if (explainedSinceDose > mostUnexplained) return fresh;
  const { estimate } = models.changing;
  const excess = (logDensityOf(estimate) - logDensity) / open.shift;
  const share = pumpFactor(estimate, pump).factor + excess;
  if (share < largerDose.least || share > largerDose.most) return fresh;
  const deviation = largerDose.leastDeviation + largerDose.deviationPerExcess * (share - 1);
  return withFactor(fresh, pump, { share, deviation });
}

interface Read {
  readonly estimate: CultureEstimate;
  readonly logLikelihood: number;
  readonly trust: number;
}

/** The models after a reading, and the logarithm of its likelihood. */
interface Weighting {
  readonly models: WorkingModels;
  /** By all of them; undefined: it says nothing. */
  readonly logTotal?: number;
  /** By those of usual doses, as hypotheses about the waste compete with them. */
  readonly logUsual?: number;
}

/** A reading by each of the models. */
interface ReadByModels extends OfVariations<Read> {
  readonly odd: Read | undefined;
  readonly fed: Read | undefined;
}

/** Probability that a reading was no outlier, by all models. */
const trustOf = (models: WorkingModels, read: ReadByModels): number =>
  sumOf(variants, (name) => models[name].probability * read[name].trust) +
  (models.odd?.probability ?? 0) * (read.odd?.trust ?? 0) +
  (models.fed?.probability ?? 0) * (read.fed?.trust ?? 0);

const undistinguished = (models: WorkingModels, read: ReadByModels): Weighting => ({
  models: {
    ...ofVariations((name) => ({ estimate: read[name].estimate, probability: models[name].probability })),
    odd: models.odd && read.odd && { estimate: read.odd.estimate, probability: models.odd.probability },
    fed: models.fed && read.fed && { estimate: read.fed.estimate, probability: models.fed.probability },
  },
});

const logOf = (model: Weighted | undefined, read: Read | undefined): number =>
  model && read ? Math.log(model.probability) + read.logLikelihood : Number.NEGATIVE_INFINITY;

/** By the rule of Bayes, as logarithms: likelihoods of far readings would all be 0. */
function weighted(models: WorkingModels, read: ReadByModels): Weighting {
  const logs = ofVariations((name) => Math.log(models[name].probability) + read[name].logLikelihood);
  const oddLog = logOf(models.odd, read.odd);
  const fedLog = logOf(models.fed, read.fed);
  const most = Math.max(...variants.map((name) => logs[name]), oddLog, fedLog);
  const weights = ofVariations((name) => Math.exp(logs[name] - most));
  const oddWeight = Math.exp(oddLog - most);
  const fedWeight = Math.exp(fedLog - most);
  const usual = sumOf(variants, (name) => weights[name]);
  const total = usual + oddWeight + fedWeight;
  const held = Math.max(
    Number.MIN_VALUE,
    sumOf(heldVariants, (name) => weights[name]),
  );
  const heldShare = Math.max(2 * leastProbability, held / total);
  // What is known of the spread of doses is not forgotten while growth changes.
  const leastOf = (weight: number): number => heldShare * Math.max(spreadMemory.least, weight / held);
  const least: OfVariations<number> = {
    changing: Math.max(leastProbability, weights.changing / total),
    steady: leastOf(weights.steady),
    loose: leastOf(weights.loose),
    scattering: leastOf(weights.scattering),
  };
  const oddShare = oddWeight / total < leastOddProbability ? 0 : oddWeight / total;
  const fedShare = models.fed === undefined ? 0 : Math.max(leastFed, fedWeight / total);
  const sum = sumOf(variants, (name) => least[name]) + oddShare + fedShare;
  return {
    models: {
      ...ofVariations((name) => ({ estimate: read[name].estimate, probability: least[name] / sum })),
      odd: read.odd && oddShare > 0 ? { estimate: read.odd.estimate, probability: oddShare / sum } : undefined,
      fed: read.fed && { estimate: read.fed.estimate, probability: fedShare / sum },
    },
    logTotal: most + Math.log(total),
    logUsual:
      most +
      Math.log(Math.max(Number.MIN_VALUE, usual)) -
      Math.log(1 - (models.odd?.probability ?? 0) - (models.fed?.probability ?? 0)),
  };
}

/** Each exchange shows a blocked waste tube a little: unusual doses would excuse it, one after the other. */
const isWaste = ({ disturbance }: Hypothesis): boolean => disturbance === 'waste_blocked';

function withReading(
  evidence: DoseEvidence,
  { hours, logDensity, extra = false }: Extract<EvidenceInput, { kind: 'reading' }>,
) {
  const { models, hypotheses } = evidence;
  const noise = noiseOf(evidence.noise);
  if (models === undefined) {
    const known = noiseWith(evidence.noise, { hours, logDensity, growth: 0, extra });
    return { ...evidence, noise: known, models: modelsFrom(firstEstimate(logDensity, noise), evidence) };
  }
  const { lastReading } = evidence;
  const outliers = outlierShare(lastReading.moved, hours - lastReading.hours);
  const readBy = ({ estimate }: Weighted): Read => afterReading(estimate, logDensity, noise, outliers);
  const read: ReadByModels = {
    ...ofVariations((name) => readBy(models[name])),
    odd: models.odd && readBy(models.odd),
    fed: models.fed && readBy(models.fed),
  };
  const alternatives = hypotheses.map((one) => ({ one, ...afterReading(one.estimate, logDensity, noise, outliers) }));
  const trusts = alternatives.map(({ trust }) => trust);
  const ofModels = variants.map((name) => read[name].trust);
  const mostTrust = Math.max(...ofModels, read.odd?.trust ?? 0, read.fed?.trust ?? 0, ...trusts);
  // What nothing explains distinguishes nothing: the tails of the models are no evidence.
  const {
    models: judgedModels,
    logTotal,
    logUsual,
  } = (mostTrust < explained ? undistinguished : weighted)(models, read);
  const isLimited = mayLiveOnDoses(evidence);
  const judged = alternatives.map(({ one, estimate, logLikelihood }): Hypothesis => {
    const logWorking = isWaste(one) ? logUsual : logTotal;
    // In a culture that lives on its doses, their effect shows nothing about the volume.
    if (logWorking === undefined || (isWaste(one) && isLimited)) return { ...one, estimate };
    const logOdds = one.logOdds + logLikelihood - logWorking;
    return { ...one, estimate, logOdds };
  });
  const unexplained = mostTrust < explained ? [...evidence.unexplained, { hours, logDensity }] : [];
  const growth = growthOf(models.changing.estimate);
  if (unexplained.length >= mostUnexplained) {
    const raised = noiseRaised(evidence.noise, unexplained, growth);
    const fresh = withLargerDoses(firstEstimate(logDensity, noiseOf(raised)), logDensity, evidence);
    const changedModels = modelsFrom(fresh, evidence);
    const { spreads, mayBeLimited } = evidence;
    return { ...noEvidence, spreads, mayBeLimited, noise: raised, atHours: hours, models: changedModels };
  }
  return {
    ...evidence,
    // What nothing explains is no noise, either.
    noise: unexplained.length > 0 ? evidence.noise : noiseWith(evidence.noise, { hours, logDensity, growth, extra }),
    models: judgedModels,
    hypotheses: judged.filter(({ logOdds }) => logOdds > refutedLogOdds),
    readingsSinceDose: evidence.readingsSinceDose + 1,
    lastReading: { hours, moved: 1 - trustOf(judgedModels, read) },
    unexplained,
  };
}

function withDose(evidence: DoseEvidence, input: Extract<EvidenceInput, { kind: 'dose' }>): DoseEvidence {
  if (evidence.models === undefined || input.volumeMl <= 0) return evidence;
  const isNew = input.dose !== evidence.dose;
  const models = isNew ? withOddDose(evidence.models, evidence.spreads) : evidence.models;
  const limitation = Math.max(evidence.models.fed?.probability ?? 0, evidence.limitation / 2);
  const begun = isNew ? { ...withNewDose(evidence, input), spreads: spreadsOf(models), limitation } : evidence;
  const known = withPump(begun, models, input);
  const effect: DoseEffect = { pump: input.pump, logShift: Math.log1p(input.addedMl / input.volumeMl) };
  const doseShift = effect.logShift + (isNew ? 0 : evidence.doseShift);
  const isFirst = isNew && evidence.unexplained.length === 0;
  const { shift, pumps } = isFirst ? noEvidence.open : evidence.open;
  return {
    ...known,
    doseShift,
    open: { shift: shift + effect.logShift, pumps: pumps.includes(input.pump) ? pumps : [...pumps, input.pump] },
    models: {
      ...changed(models, fedBy(doseShift), (estimate, variation) => afterDose(estimate, effect, variation)),
      changing: {
        ...models.changing,
        estimate: afterDose(models.changing.estimate, effect, { ...changing, doseSpread: learnedSpread(models) }),
      },
    },
    hypotheses: known.hypotheses
      .map((one) => dosed(one, input, effect))
      .filter(({ spilledMl = 0 }) => spilledMl <= mostSpilledMl),
    sinceWasteMl: known.sinceWasteMl + (input.drains ? input.addedMl : 0),
  };
}

/** An unusual dose that is less probable than this is not mixed in: its wide estimate would blur the others. Chosen by simulation. */
const negligible = 0.1;

/** Before a dose: what the dose before did is one estimate again, also if it was an unusual one. The next dose may be unusual, too. */
function withOddDose(models: WorkingModels, spreads: Spreads): WorkingModels {
  const { odd } = models;
  const oddShare = odd?.probability ?? 0;
  const limited = limitedEstimate(models);
  const joined = ofVariations((name): Weighted => {
    const { estimate: own, probability } = models[name];
    const estimate = limited ?? own;
    const both = [
      { estimate, weight: 1 - oddShare },
      { estimate: odd?.estimate ?? estimate, weight: oddShare },
    ];
    return {
      estimate: oddShare < negligible ? estimate : mixed(both),
      probability: ((1 - oddDose.share) * probability) / (1 - oddShare),
    };
  });
  // The scatter of the pump is not seen where the culture regains what a dose has taken.
  const known = limited === undefined ? learned(joined, spreads) : withSpreads(joined, (name) => spreads[name]);
  return {
    ...known,
    odd: { estimate: heldEstimate(known), probability: oddDose.share },
    fed: models.fed && {
      estimate: limited ?? withGrowth(known.changing.estimate, noGrowth),
      probability: ((1 - oddDose.share) * models.fed.probability) / (1 - oddShare),
    },
  };
}

/** A culture that has used up its medium grows only with what a dose brings. Chosen. */
const noGrowth = { perHour: 0, deviation: 0.15 } as const;

/** Of a culture that probably lives on its doses; undefined: it does not. What the other models have learned since is wrong. */
const limitedEstimate = ({ fed: one }: WorkingModels): CultureEstimate | undefined =>
  one !== undefined && one.probability > 0.5 ? one.estimate : undefined;

/**
 * Before a dose: what the former one has shown about the scatter, as far as a single dose may show it, and what was known before, which counts
 * a little less with each dose.
 */
function learned(models: OfVariations<Weighted>, before: Spreads): OfVariations<Weighted> {
  const now = spreadsOf(models);
  const weightOf = (name: HeldVariant): number => {
    const change = Math.log(now[name] / before[name]);
    const { mostOfDose, power } = spreadMemory;
    return (before[name] * Math.exp(Math.max(-mostOfDose, Math.min(mostOfDose, change)))) ** power;
  };
  return withSpreads(models, weightOf);
}

/** With these weights of the spreads. */
function withSpreads(models: OfVariations<Weighted>, weightOf: (name: HeldVariant) => number): OfVariations<Weighted> {
  const share = heldShareOf(models) / heldVariants.reduce((sum, name) => sum + weightOf(name), 0);
  return ofVariations((name) =>
    name === 'changing' ? models[name] : { ...models[name], probability: share * weightOf(name) },
  );
}

/** Of the spreads of a held culture the most probable one. */
const heldEstimate = (models: OfVariations<Weighted>): CultureEstimate =>
  heldVariants.map((name) => models[name]).reduce((most, one) => (one.probability > most.probability ? one : most))
    .estimate;

/**
 * One dose raises the odds of a hypothesis by no more than this (a robust sequential test: Huber, Ann. Math. Stat. 36, 1965): a single
 * unusual dose of a working pump, or a burst of bubbles after it, does not decide. Chosen by simulation (decision 31).
 */
const mostOfDose: Readonly<Record<Disturbance, number>> = { missing: 7, irregular: 6, waste_blocked: 4.5 };

/** Odds of a hypothesis as far as its newest dose may raise them. */
export const supportedOdds = (one: Hypothesis): number =>
  Math.min(one.logOdds, one.logOddsBefore + mostOfDose[one.disturbance]);

/** A factor that is only suspected is no measure of doses that arrive in part: a usual dose would be a part of a larger one. Chosen. */
const mostUnknownFactor = 0.3;

/** A dose begins: readings across it are no noise, and existing hypotheses concern it too. */
function withNewDose(evidence: DoseEvidence, { dose }: Extract<EvidenceInput, { kind: 'dose' }>): DoseEvidence {
  return {
    ...evidence,
    dose,
    readingsSinceDose: 0,
    noise: noiseAfterDose(evidence.noise),
    hypotheses: evidence.hypotheses.map((one) => {
      // By hypotheses doses are usual, too.
      const logOdds = supportedOdds(one) + (isWaste(one) ? 0 : usualDose);
      return { ...one, doses: one.doses + 1, logOdds, logOddsBefore: logOdds };
    }),
  };
}

/** With the hypotheses that begin with the first part of a pump in a dose. */
function withPump(
  evidence: DoseEvidence,
  models: WorkingModels,
  { dose, pump, volumeMl, drains }: Extract<EvidenceInput, { kind: 'dose' }>,
): DoseEvidence {
  const isKnown = evidence.hypotheses.some((one) => one.sinceDose === dose && one.pump === pump);
  const base = { sinceDose: dose, doses: 1, doseSpread: learnedSpread(models) };
  const working = limitedEstimate(models) ?? models.changing.estimate;
  const fresh: Hypothesis[] = [];
  if (!isKnown)
    fresh.push({
      ...base,
      disturbance: 'missing',
      pump,
      estimate: working,
      logOdds: priorLogOdds.missing,
      logOddsBefore: priorLogOdds.missing,
    });
  if (!isKnown && pumpFactor(working, pump).deviation <= mostUnknownFactor)
    fresh.push({
      ...base,
      disturbance: 'irregular',
      pump,
      estimate: withFactor(working, pump, irregularFactor),
      logOdds: priorLogOdds.irregular,
      logOddsBefore: priorLogOdds.irregular,
    });
  const isWasteDue = drains && evidence.sinceWasteMl >= wasteStepMl;
  if (isWasteDue)
    fresh.push({
      ...base,
      disturbance: 'waste_blocked',
      estimate: heldEstimate(models),
      logOdds: priorLogOdds.waste_blocked,
      logOddsBefore: priorLogOdds.waste_blocked,
      volumeMl,
    });
  if (fresh.length === 0) return evidence;
  return {
    ...evidence,
    hypotheses: kept([...evidence.hypotheses, ...fresh]),
    sinceWasteMl: isWasteDue ? 0 : evidence.sinceWasteMl,
  };
}

/** Of each disturbance the newest and the most probable hypotheses. */
function kept(hypotheses: readonly Hypothesis[]): readonly Hypothesis[] {
  const dropped = new Set<Hypothesis>();
  for (const disturbance of ['missing', 'irregular', 'waste_blocked'] as const) {
    const own = hypotheses.filter((one) => one.disturbance === disturbance);
    const excess = own.length - mostOfAKind[disturbance];
    if (excess <= 0) continue;
    const older = own.slice(0, -2).sort((one, other) => one.logOdds - other.logOdds);
    for (const one of older.slice(0, excess)) dropped.add(one);
  }
  return dropped.size === 0 ? hypotheses : hypotheses.filter((one) => !dropped.has(one));
}

function dosed(one: Hypothesis, input: Extract<EvidenceInput, { kind: 'dose' }>, effect: DoseEffect): Hypothesis {
  const { pump, addedMl, capacityMl } = input;
  const { estimate, doseSpread, volumeMl = input.volumeMl } = one;
  if (one.disturbance === 'waste_blocked') {
    const { factor } = pumpFactor(estimate, pump);
    const filledMl = volumeMl + addedMl * Math.max(0, factor);
    return {
      ...one,
      estimate: afterDose(estimate, { pump, logShift: Math.log1p(addedMl / volumeMl) }, { ...steady, doseSpread }),
      volumeMl: Math.min(capacityMl, filledMl),
      spilledMl: (one.spilledMl ?? 0) + Math.max(0, filledMl - capacityMl),
    };
  }
  if (one.pump !== pump) return { ...one, estimate: afterDose(estimate, effect, { ...changing, doseSpread }) };
  if (one.disturbance === 'missing') return one;
  return { ...one, estimate: afterDose(estimate, effect, irregular) };
}

/** A disturbance that the readings prove. */
export interface DisturbanceFound {
  readonly disturbance: Disturbance;
  readonly pump?: DilutingPump;
  readonly sinceDose: number;
  readonly doses: number;
  /** Natural logarithm of the odds. */
  readonly logOdds: number;
  /** Effect of the doses relative to the expected one: 0 of missing ones. */
  readonly factor: number;
  /** Volume of the vial, ml; of `waste_blocked`. */
  readonly volumeMl?: number;
}

/** So much has run over when a blocked waste tube is decided about: before, the effect of doses hardly differs, and nothing is lost, ml. */
export const leastSpilledMl = 0.3;
const isDecidable = ({ disturbance, spilledMl = 0 }: Hypothesis): boolean =>
  disturbance !== 'waste_blocked' || spilledMl >= leastSpilledMl;

function provenHypothesis({ hypotheses, readingsSinceDose }: DoseEvidence): Hypothesis | undefined {
  let best: Hypothesis | undefined;
  for (const one of hypotheses)
    if (isDecidable(one) && (best === undefined || supportedOdds(one) > supportedOdds(best))) best = one;
  return best === undefined || supportedOdds(best) < foundLogOdds || readingsSinceDose < 1 ? undefined : best;
}

/** The evidence after the ledger was corrected: what was proven is assumed from now on, and the next dose is judged by itself. */
export function withDisturbanceAccepted(evidence: DoseEvidence): DoseEvidence {
  const proven = provenHypothesis(evidence);
  if (proven === undefined) return evidence;
  const { estimate } = proven;
  return {
    ...evidence,
    models: modelsFrom(estimate, evidence),
    hypotheses: [],
    dose: undefined,
    sinceWasteMl: Number.POSITIVE_INFINITY,
  };
}

/** The disturbance that the evidence proves; undefined: none so far. */
export function disturbanceOf(evidence: DoseEvidence): DisturbanceFound | undefined {
  const best = provenHypothesis(evidence);
  if (best === undefined) return undefined;
  const { disturbance, pump, sinceDose, doses, logOdds, volumeMl } = best;
  const factor = disturbance === 'missing' || pump === undefined ? 0 : pumpFactor(best.estimate, pump).factor;
  return {
    disturbance,
    sinceDose,
    doses,
    logOdds,
    factor,
    ...(pump !== undefined && { pump }),
    ...(volumeMl !== undefined && { volumeMl }),
  };
}

/** Doses that differ from the calibration by less than this are not reported. Chosen: the tolerance of usual calibrations. */
const reportedDeviation = 0.15;
/**
 * A factor is known when its standard deviation is below this share of it, and differs by so many of them; or when it differs by so many that
 * it is beyond doubt, whatever it is. The latter chosen.
 */
const knownFactor = { deviation: 0.03, deviations: 3, beyondDoubt: 8 } as const;

/** The factor of a pump that moves another volume than its calibration has; undefined: none, not known, or `reported` before. */
export function pumpDeviation(evidence: DoseEvidence, pump: DilutingPump, reported = 1): number | undefined {
  const { models } = evidence;
  if (models === undefined || mayLiveOnDoses(evidence)) return undefined;
  const { factor, deviation } = pumpFactor(models.changing.estimate, pump);
  const isKnown = deviation < knownFactor.deviation * Math.max(1, factor);
  const deviations = isKnown ? knownFactor.deviations : knownFactor.beyondDoubt;
  const isOff =
    Math.abs(factor - reported) > Math.max(reportedDeviation * Math.max(1, reported), deviations * deviation);
  return isOff ? factor : undefined;
}

/** A culture that lives on its doses is excluded below this probability. Chosen: above the least one. */
const excludedFed = 0.1;

/**
 * Whether the culture may have used up its medium and grows with what each dose brings. Doses then look smaller, and only readings soon after
 * one show that it has arrived.
 */
export const mayLiveOnDoses = ({ models, limitation }: DoseEvidence): boolean =>
  Math.max(models?.fed?.probability ?? 0, limitation) > excludedFed;

/** Evidence of so little weight decides nothing. */
const undecided = 3;

/** Whether the effect of so many doses in a row is neither seen nor refuted. */
export const isUnverified = ({ hypotheses }: DoseEvidence, doses: number): boolean =>
  hypotheses.some(
    (one) => one.disturbance === 'missing' && one.doses >= doses && one.logOdds > priorLogOdds.missing - undecided,
  );

/** Whether the newest doses have shown: no older hypothesis about a missing one is left. */
export const isConfirmed = ({ dose, readingsSinceDose, hypotheses }: DoseEvidence): boolean =>
  dose !== undefined && readingsSinceDose > 0 && !hypotheses.some(({ disturbance }) => disturbance === 'missing');

/** OD without the noise of the readings, by the assumption that all pumps work; undefined before the first reading. */
export function densityByDoses({ models }: DoseEvidence): number | undefined {
  if (models === undefined) return undefined;
  const { changing, odd, fed: fedModel } = models;
  // Differences from one of them: estimates that agree give exactly theirs.
  const first = logDensityOf(changing.estimate);
  const part = ({ estimate, probability }: Weighted): number => probability * (logDensityOf(estimate) - first);
  const held = sumOf(heldVariants, (name) => part(models[name]));
  return Math.exp(first + held + (odd === undefined ? 0 : part(odd)) + (fedModel === undefined ? 0 : part(fedModel)));
}
