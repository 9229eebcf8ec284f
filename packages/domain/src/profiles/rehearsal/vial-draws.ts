import type { SeededStream } from '../../random/seeded-stream.ts';
import { temperatureFactor } from '../../vial/growth.ts';
import { defaultOrganism, findOrganism, type Organism } from '../../vial/organism.ts';
import { defaultVialParameters, type Pump } from '../../vial/vial-parameters.ts';

/** What is known of the cultures of a rehearsal. Spreads are relative standard deviations: 0.1 is 10 %. */
export interface CultureKnowledge {
  /** One of `organismNames`. */
  readonly organism: string;
  /** Maximum growth rate at `temperatureC`, 1/h. */
  readonly growthRate: number;
  readonly growthRateSpread: number;
  readonly temperatureC: number;
  readonly initialOd: number;
  readonly initialOdSpread: number;
  readonly lagHours: number;
  /** OD at which the culture no longer grows. */
  readonly highestOd: number;
  /** Share of the alternative medium at which growth is half as fast; null: it does not slow growth. */
  readonly halfShare: number | null;
  /** Of the real flow of pumps around that of their calibrations. */
  readonly pumpSpread: number;
}

/** Where nothing is known: middle of the simulated organism, with spreads of repeated laboratory cultures. Chosen. */
export function usualCulture(organism: string = defaultOrganism.name): CultureKnowledge | undefined {
  const known = findOrganism(organism);
  if (known === undefined) return undefined;
  const { bestRate, bestC, highestOd } = known;
  return {
    organism,
    growthRate: bestRate,
    growthRateSpread: 0.1,
    temperatureC: bestC,
    initialOd: 0.05,
    initialOdSpread: 0.2,
    lagHours: Math.log(1 + 1 / known.readiness) / bestRate,
    highestOd,
    halfShare: null,
    pumpSpread: 0.05,
  };
}

/** The vial of one unit in one draw. */
export interface DrawnVial {
  readonly organism: string;
  readonly organismValues: Partial<Omit<Organism, 'name'>>;
  readonly initialOd: number;
  readonly pumpFlow: Readonly<Record<Pump, number>>;
  readonly inhibition: { readonly halfShare: number; readonly steepness: number } | null;
}

/** Hill's exponent of the simulated drug. Chosen. */
const steepness = 2;

/** `value` times a log-normal number with this relative spread. */
const near = (value: number, spread: number, stream: SeededStream | undefined): number =>
  stream === undefined ? value : value * Math.exp(spread * stream.normal());

/**
 * The vial of a unit for one draw.
 * @param flow of each pump by its calibration, ml/s at full duty
 * @param stream undefined: the expected values
 */
export function drawVial(
  known: CultureKnowledge,
  flow: Readonly<Record<Pump, number>>,
  stream: SeededStream | undefined,
): DrawnVial {
  const organism = findOrganism(known.organism) ?? defaultOrganism;
  const factor = temperatureFactor(organism, known.temperatureC);
  const rate = near(known.growthRate, known.growthRateSpread, stream);
  const { pumpSpread } = known;
  return {
    organism: known.organism,
    organismValues: {
      // A temperature at which it does not grow says nothing about its best one.
      bestRate: factor > 0.01 ? rate / factor : rate,
      readiness: 1 / Math.max(1e-6, Math.expm1(Math.min(50, known.lagHours * rate))),
      highestOd: known.highestOd,
    },
    initialOd: near(known.initialOd, known.initialOdSpread, stream),
    pumpFlow: {
      media: near(flow.media, pumpSpread, stream),
      alt_media: near(flow.alt_media, pumpSpread, stream),
      waste: near(flow.waste, pumpSpread, stream),
    },
    inhibition: known.halfShare === null ? null : { halfShare: known.halfShare, steepness },
  };
}

/** Of an uncalibrated pump, ml/s at full duty. */
export const usualPumpFlow: Readonly<Record<Pump, number>> = defaultVialParameters().pumpFlow;
