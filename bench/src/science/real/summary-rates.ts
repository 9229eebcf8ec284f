import { growthCurve, type OdBin, summariseCurve } from '@lcs/domain/growth-curves';
import type { RealSeries } from './series-files.ts';

/** A growth rate and its standard error, h⁻¹. */
export interface Rate {
  readonly value: number;
  readonly se: number;
}

/** Largest growth rates by the growth-curve summary; undefined: the fit failed. */
export interface SummaryRates {
  readonly logLinear: Rate | undefined;
  readonly gaussianProcess: Rate | undefined;
}

/** Means of a minute, as the roll-ups of a leader have them. */
function minutesOf({ readings }: RealSeries): readonly OdBin[] {
  const minutes = Map.groupBy(readings, ({ timeS }) => Math.floor(timeS / 60));
  return [...minutes.values()].map((group) => {
    const times = group.map(({ timeS }) => 1000 * timeS);
    return {
      firstMs: Math.min(...times),
      lastMs: Math.max(...times),
      od: group.reduce((sum, { od }) => sum + od, 0) / group.length,
      readings: group.length,
    };
  });
}

/** What the service reports of a batch culture with its default settings. */
export function summaryRates(series: RealSeries): SummaryRates {
  const { fits } = summariseCurve(growthCurve(minutesOf(series), []));
  const rateOf = (name: 'log_linear' | 'gaussian_process'): Rate | undefined => {
    const found = fits.find(({ fit }) => fit === name);
    return found?.failure === null ? found.muMax : undefined;
  };
  return { logLinear: rateOf('log_linear'), gaussianProcess: rateOf('gaussian_process') };
}
