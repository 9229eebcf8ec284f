import { doublingTimeOf, type Estimate } from './estimate.ts';

export type FitName = 'log_linear' | 'gompertz' | 'baranyi_roberts' | 'gaussian_process';

/** The method of each fit, as a paper cites it, and how its errors are computed. */
export const fitReferences: Readonly<
  Record<FitName, { readonly title: string; readonly reference: string; readonly errors: string }>
> = {
  log_linear: {
    title: 'Log-linear fit in the window whose slope has the highest lower limit',
    reference: 'Hall, Acar, Nandipati and Barlow, Mol. Biol. Evol. 31:232–238 (2014), doi:10.1093/molbev/mst187',
    errors: "Student's t of the slope; variance inflated for correlated residuals",
  },
  gompertz: {
    title: 'Modified Gompertz curve',
    reference:
      "Zwietering, Jongenburger, Rombouts and van 't Riet, Appl. Environ. Microbiol. 56:1875–1881 (1990), doi:10.1128/aem.56.6.1875-1881.1990",
    errors: "Student's t from the covariance at the minimum; variance inflated for correlated residuals",
  },
  baranyi_roberts: {
    title: 'Baranyi–Roberts curve',
    reference: 'Baranyi and Roberts, Int. J. Food Microbiol. 23:277–294 (1994), doi:10.1016/0168-1605(94)90157-0',
    errors: "Student's t from the covariance at the minimum; variance inflated for correlated residuals",
  },
  gaussian_process: {
    title: 'Gaussian process with a Matérn 5/2 kernel',
    reference:
      'Swain, Stevenson, Leary, Montano-Gutierrez, Clark, Vogel and Pilizota, Nat. Commun. 7:13766 (2016), doi:10.1038/ncomms13766',
    errors: '200 curves drawn from the posterior: standard deviation and central 95 %',
  },
};

/** Why a curve cannot be fitted, or a number cannot be given. */
type FitFailure =
  | 'too_few_readings'
  | 'no_growth'
  | 'not_converged'
  | 'not_determined'
  | 'no_plateau'
  | 'lag_not_in_batch'
  | 'start_near_background'
  | 'rate_not_above_zero'
  | 'not_of_this_fit';

export interface FittedCurve {
  readonly fit: FitName;
  readonly failure: null;
  /** Maximum specific growth rate, h⁻¹. */
  readonly muMax: Estimate;
  /** h since the start of the curve. */
  readonly lag: Estimate | null;
  /** OD. */
  readonly carryingCapacity: Estimate | null;
  /** h. */
  readonly doublingTime: Estimate | null;
  /** Reasons of the numbers that are null. */
  readonly missing: Readonly<Partial<Record<'lag' | 'carrying_capacity' | 'doubling_time', FitFailure>>>;
  /** The time of the highest rate, h since the start. */
  readonly muMaxAtH: number;
  /** The part of the curve that was fitted, h since the start, and its number of points. */
  readonly fromH: number;
  readonly toH: number;
  readonly points: number;
  /** Sum of squared residuals of ln OD. */
  readonly rss: number;
  /** Corrected Akaike criterion; comparable between fits to the same points only. Null for a Gaussian process. */
  readonly aicc: number | null;
  /** Parameters by the names of the source, and settings of the fit. */
  readonly parameters: Readonly<Record<string, number | string>>;
}

interface FailedCurve {
  readonly fit: FitName;
  readonly failure: FitFailure;
}

export type CurveFit = FittedCurve | FailedCurve;

type Given = Omit<FittedCurve, 'failure' | 'doublingTime'>;

/** A fit with its doubling time. */
export function fittedCurve(given: Given): FittedCurve {
  const doublingTime = doublingTimeOf(given.muMax);
  const missing =
    doublingTime === null ? { ...given.missing, doubling_time: 'rate_not_above_zero' as const } : given.missing;
  return { ...given, failure: null, doublingTime, missing };
}

/**
 * ln of the growth below which there is too little of it for a rate: 20 %, a quarter of a doubling. Chosen: a drift of the signal of a few
 * per cent within minutes looks like a fast culture, and such rates must not be compared between groups.
 */
export const leastRise = Math.log(1.2);

/** Fewer points do not determine four parameters and their errors. */
export const fewestPoints = 8;
