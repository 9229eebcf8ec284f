import type { Organism } from './organism.ts';

/** The culture of a vial. */
export interface Culture {
  /** Dry cells, g/l. */
  readonly cells: number;
  /** g/l. */
  readonly substrate: number;
  /** Baranyi's q: how ready the cells are to divide. */
  readonly readiness: number;
}

/** A higher readiness has no visible effect. */
const mostReadiness = 1e6;

/** Longest step of the integration (hours): the fastest culture gains 5 % in it. Chosen. */
const longestStepH = 1 / 60;

/**
 * The growth rate at a temperature as a share of the optimum: the cardinal temperature model with inflection (Rosso, Lobry and
 * Flandrois, J. Theor. Biol. 162, 1993). 0 outside the cardinal temperatures, 1 at the best.
 */
export function temperatureFactor({ lowestC, bestC, highestC }: Organism, celsius: number): number {
  if (celsius <= lowestC || celsius >= highestC) return 0;
  const numerator = (celsius - highestC) * (celsius - lowestC) ** 2;
  const denominator =
    (bestC - lowestC) * ((bestC - lowestC) * (celsius - bestC) - (bestC - highestC) * (bestC + lowestC - 2 * celsius));
  return Math.max(0, numerator / denominator);
}

/** Deaths per hour from heat above the highest cardinal temperature. Chosen: minutes at ten degrees above. */
const heatDeath = ({ highestC }: Organism, celsius: number): number =>
  celsius <= highestC ? 0 : 0.3 * Math.exp(Math.min(20, 0.4 * (celsius - highestC)));

/**
 * Growth rate per hour: substrate (Monod, Annu. Rev. Microbiol. 3, 1949), lag (Baranyi and Roberts, Int. J. Food
 * Microbiol. 23, 1994), temperature, and crowding.
 */
export const growthRate = (organism: Organism, culture: Culture, celsius: number): number =>
  rateOf(organism, culture, organism.bestRate * temperatureFactor(organism, celsius));

/** `warmRate`: at this temperature under the best conditions. */
function rateOf(organism: Organism, culture: Culture, warmRate: number): number {
  const od = culture.cells / organism.gramsPerOd;
  const crowded = Math.max(0, 1 - (od / organism.highestOd) ** organism.crowding);
  const fed = culture.substrate / (organism.halfSaturation + culture.substrate);
  const ready = culture.readiness / (1 + culture.readiness);
  return warmRate * fed * ready * crowded;
}

/** The culture after `hours` at a temperature; `vigour` (0 to 1) slows it, as an inhibitor does. */
export function grown(organism: Organism, culture: Culture, celsius: number, hours: number, rateFactor = 1): Culture {
  const steps = Math.max(1, Math.ceil(hours / longestStepH));
  const warmth = {
    warmRate: organism.bestRate * temperatureFactor(organism, celsius),
    heatDeaths: heatDeath(organism, celsius),
  };
  let current = culture;
  for (let step = 0; step < steps; step += 1) {
    const halfway = evenly(organism, current, current, warmth, hours / steps / 2, rateFactor);
    current = evenly(organism, current, halfway, warmth, hours / steps, rateFactor);
  }
  return current;
}

/** Per hour, at one temperature: growth under the best conditions, and deaths from heat. */
interface Warmth {
  readonly warmRate: number;
  readonly heatDeaths: number;
}

/** `from` after `hours` at the rates of `rated`: a midpoint step when `rated` lies half-way. Cells never outgrow their substrate. */
function evenly(
  organism: Organism,
  from: Culture,
  rated: Culture,
  { warmRate, heatDeaths }: Warmth,
  hours: number,
  rateFactor: number,
): Culture {
  const rate = rateFactor * rateOf(organism, rated, warmRate);
  const fed = rated.substrate / (organism.halfSaturation + rated.substrate);
  const made = Math.min(from.cells * Math.expm1(rate * hours), from.substrate * organism.yield);
  const dying = organism.deathRate * (1 - fed) + heatDeaths;
  const waking = warmRate * hours;
  return {
    cells: (from.cells + made) * Math.exp(-dying * hours),
    substrate: Math.max(0, from.substrate - made / organism.yield),
    readiness: Math.min(mostReadiness, from.readiness * Math.exp(waking)),
  };
}
