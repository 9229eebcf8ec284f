/** The checks of a unit's hardware in their order, by the names of a similar system, with a title for people. */
export const selfTests = {
  test_reactor_HAT_present: 'The board answers',
  test_all_positive_correlations_between_pds_and_leds: 'Every photodiode sees the infrared LED',
  test_ambient_light_interference: 'No light comes in from outside',
  test_dark_offset_correction_is_effective: 'What is seen in the dark can be subtracted',
  test_REF_is_lower_than_0_dot_256_volts: 'The reference is neither dark nor too bright',
  test_REF_is_in_correct_position: 'The reference does not see the liquid',
  test_PD_is_near_0_volts_for_blank: 'A clear vial hardly scatters light',
  test_detect_heating_pcb: 'The heater board answers',
  test_positive_correlation_between_temperature_and_heating: 'The heater heats',
  test_positive_correlation_between_rpm_and_stirring: 'The stirrer follows its power',
  test_aux_power_is_not_too_high: 'The supply is not too high',
} as const;

export type SelfTestName = keyof typeof selfTests;

const isSelfTestName = (name: string): name is SelfTestName => Object.hasOwn(selfTests, name);

/** In the order in which they are done. */
export const selfTestNames: readonly SelfTestName[] = Object.keys(selfTests).filter(isSelfTestName);

/** The result of a check; `why`: one sentence with the measured values. */
export interface CheckEvaluation {
  readonly passed: boolean;
  readonly why: string;
}

const passed = (why: string): CheckEvaluation => ({ passed: true, why });
const failed = (why: string): CheckEvaluation => ({ passed: false, why });
export const evaluation = (isGood: boolean, why: string): CheckEvaluation => (isGood ? passed(why) : failed(why));

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const variance = (values: readonly number[]): number => {
  const middle = mean(values);
  return mean(values.map((value) => (value - middle) ** 2));
};

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Pearson's correlation, two decimals; 0 when one of the two is constant. */
export function correlation(points: readonly (readonly [x: number, y: number])[]): number {
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const sum = (value: (x: number, y: number) => number) =>
    points.reduce((total, [x, y]) => total + value(x - meanX, y - meanY), 0);
  const spread = Math.sqrt(sum((x) => x * x) * sum((_x, y) => y * y));
  return spread === 0 ? 0 : Math.round((100 * sum((x, y) => x * y)) / spread) / 100;
}

const volts = (value: number): string => `${value.toPrecision(3)} V`;

const leastLightCorrelation = 0.9;

/** Of intensity and voltage, by photodiode. */
export function evaluateLight(correlations: Readonly<Record<string, number>>): CheckEvaluation {
  const all = Object.entries(correlations);
  const listed = all.map(([channel, r]) => `${channel}: ${r}`).join(', ');
  const isGood = all.length > 0 && all.every(([, r]) => r >= leastLightCorrelation);
  return evaluation(
    isGood,
    `Correlation with the LED by photodiode: ${listed}; it must be at least ${leastLightCorrelation}.`,
  );
}

const brightestDark = 0.08;

/** Volts with all LEDs off, by photodiode. */
export function evaluateAmbientLight(dark: Readonly<Record<string, number>>): CheckEvaluation {
  const listed = Object.entries(dark).map(([channel, value]) => `${channel}: ${volts(value)}`);
  const isGood = Object.values(dark).every((value) => value < brightestDark);
  return evaluation(isGood, `In the dark: ${listed.join(', ')}; it must be less than ${brightestDark} V.`);
}

const [largestDarkMean, largestDarkVariance] = [0.01, 5e-5];

/** Dark readings with their offset subtracted, by photodiode. */
export function evaluateDarkOffset(corrected: Readonly<Record<string, readonly number[]>>): CheckEvaluation {
  const all = Object.values(corrected);
  const worst = Math.max(...all.map((values) => Math.abs(mean(values))));
  const widest = Math.max(...all.map(variance));
  const isGood = worst <= largestDarkMean && widest <= largestDarkVariance;
  return evaluation(isGood, `Remaining dark signal: up to ${volts(worst)}, variance ${widest.toExponential(1)} V².`);
}

const [darkestReference, brightestReference, largestReferenceVariance] = [0.01, 1, 1e-2];

export function evaluateReference(readings: readonly number[]): CheckEvaluation {
  const middle = mean(readings);
  const isGood =
    middle >= darkestReference && middle <= brightestReference && variance(readings) < largestReferenceVariance;
  return evaluation(
    isGood,
    `The reference measures ${volts(middle)}; it must be ${darkestReference} to ${brightestReference} V.`,
  );
}

const leastStirringEffect = 0.001;
const largestReferenceEffect = 0.015;
const largestShareOfSignal = 0.75;

/** Volts with the stirrer off and on, pair by pair. */
export type StirredPairs = readonly (readonly [still: number, stirred: number])[];

const effectOf = (pairs: StirredPairs): number =>
  median(pairs.map(([still, stirred]) => Math.abs(still - stirred) / Math.max(1e-9, (still + stirred) / 2)));

/** Whether stirring changes the signals but not the reference: the liquid moves in front of the photodiodes only. */
export function evaluateReferencePosition(reference: StirredPairs, signals: readonly StirredPairs[]): CheckEvaluation {
  const strongest = Math.max(...signals.map(effectOf));
  const effect = effectOf(reference);
  const isGood =
    strongest >= leastStirringEffect && effect <= largestReferenceEffect && effect <= largestShareOfSignal * strongest;
  const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
  return evaluation(
    isGood,
    `Stirring changes the signal by ${percent(strongest)} and the reference by ${percent(effect)}.`,
  );
}

const brightestBlank: Readonly<Record<string, number>> = { '90': 0.035, '45': 0.035, '135': 0.15 };

/** Mean volts of a clear vial, by photodiode. */
export function evaluateBlank(
  means: readonly { readonly channel: string; readonly angle: string; readonly volts: number }[],
) {
  const limited = means.filter(({ angle }) => Object.hasOwn(brightestBlank, angle));
  const bad = limited.filter(({ angle, volts: seen }) => seen > (brightestBlank[angle] ?? 0));
  const values = limited.map(({ channel, angle, volts: seen }) => `${channel} (${angle}°): ${volts(seen)}`).join(', ');
  const hint = bad.length === 0 ? '' : ' Check that the vial contains clear medium and that the lid is closed.';
  return evaluation(bad.length === 0, `${values === '' ? 'No photodiode has a limit' : values}.${hint}`);
}

const leastCorrelation = 0.9;

/** Whether the measured values follow the driven ones; `driven` and `measured` name them. */
export function evaluateResponse(
  points: readonly (readonly [x: number, y: number])[],
  driven: string,
  measured: string,
): CheckEvaluation {
  const r = correlation(points);
  const [first, last] = [points[0], points.at(-1)];
  const from = first === undefined || last === undefined ? '' : ` (${first[1].toFixed(1)} to ${last[1].toFixed(1)})`;
  return evaluation(
    r > leastCorrelation,
    `The correlation of ${driven} and ${measured}${from} is ${r}; it must be more than ${leastCorrelation}.`,
  );
}

const highestSupplyV = 18;

export const evaluateSupply = (supplyV: number): CheckEvaluation =>
  evaluation(
    supplyV <= highestSupplyV,
    `The supply is at ${supplyV.toFixed(2)} V; it must be at most ${highestSupplyV} V.`,
  );
