import type { ReactNode } from 'react';
import { rich } from './rich.ts';

export const growthWords = {
  // Growth view
  failureTexts: {
    too_few_readings: 'too few readings',
    no_growth: 'less than 20 % growth: too little for a rate',
    not_converged: 'this curve does not describe the culture',
    not_determined: 'the readings do not determine it',
    no_plateau: 'no plateau yet',
    lag_not_in_batch: 'highest rate after the first dose',
    start_near_background: 'start near the background',
    rate_not_above_zero: 'rate not above 0',
    not_of_this_fit: 'not part of this fit',
  },
  notComputed: 'not computed',
  countedFromClear: 'counted from when the curve is clear of its background',
  noGrowth: 'no growth',
  onAverageNoGrowth: 'on average no growth',
  meanDoublingNotPositive: 'the mean of the doubling times is not above 0',
  meanCapacityNotPositive: 'the mean of the capacities is not above 0',
  noUnitHasThisNumber: 'no unit has this number',
  countNOf: (n: number, count: number) => `n = ${n} of ${count}`,
  withoutInterval: 'without an interval: it would reach below 0, because the units are too few or differ too much',
  dilutedUnits: (units: string) =>
    `Diluted: ${units}. Lag, capacity and the sigmoid curves are of the time before the first dose; rates and generations are of the growth without the doses, as exact as the volumes of the pumps.`,

  // Missing curves
  computeCurves: 'Compute curves',
  curvesNotComputed: 'The curves of many units are not computed yet.',

  // Aligned curves
  firstDilution: 'First dilution',
  hourZero: 'Hour 0:',
  alignmentOfCurves: 'Alignment of the curves',
  odOfAlignment: 'OD of the alignment',
  hourZeroAt: (value: string) => `Hour 0 is at ${value} h of the axis.`,
  computingCurves: 'Computing curves',
  noMean: 'No mean: no unit has more than one reading.',
  meanOf: (name: string, parts: string) => `${name}: mean of ${parts}`,
  unitsUntil: (units: number, hours: string) => `${units === 1 ? '1 unit' : `${units} units`} until ${hours} h`,
  noCurveHasHourZero: 'No curve has this hour 0.',
  withoutReadingsOfOd: (empty: string) => `Without readings of OD: ${empty}.`,
  withoutHourZero: (left: string) => `Without this hour 0: ${left}.`,
  meanWithInterval: 'Mean and 95 % interval',
  curveOfUnit: 'Growth curve',

  // Growth groups
  testTitles: { welch_t: 'Welch’s t-test', one_way_anova: 'one-way ANOVA', kruskal_wallis: 'Kruskal–Wallis test' },
  growthCurvesOfGroups: 'Growth curves of groups',
  groupMean: 'Group: mean (95 % interval of the mean)',
  groupOfOneUnit: 'Group of one unit',
  maximumRate: 'µmax, 1/h',
  doublingTime: 'Doubling, h',
  lag: 'Lag, h',
  capacity: 'Capacity, OD',
  generations: 'Generations',
  maximumRateTest: (names: string, test: string, value: string) => `µmax of ${names}: ${test}, p = ${value}`,
  correctedP: (value: string) => `, corrected ${value}`,

  // Growth curves
  growthCurvesOfUnits: 'Growth curves of units',
  maximumRateWithInterval: 'µmax, 1/h (95 %)',
  lagWithInterval: 'Lag, h (95 %)',
  capacityWithInterval: 'Capacity, OD (95 %)',
  doublingTimeWithInterval: 'Doubling, h (95 %)',
  growthCurves: 'Growth curves',
  computeRatesLagAndCapacity: 'Compute rates, lag and capacity',
  computeInBackground: 'Compute in the background, then try again',
  computingGrowthCurves: 'Computing growth curves',
  noReadingsOfOpticalDensity: 'No readings of optical density.',
  dosesOfMediumAreSubtracted: (reference: ReactNode) =>
    rich`${reference}. Doses of medium are subtracted. The dataset “Growth curve fits” has all numbers.`,
} as const;
