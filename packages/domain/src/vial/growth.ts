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

/** The culture after `hours` at a temperature; `rateFactor` (0 to 1) slows it, as an inhibitor does. */
export function grown(organism: Organism, culture: Culture, celsius: number, hours: number, rateFactor = 1): Culture {
  const after = { ...culture };
  grow(organism, after, celsius, hours, rateFactor);
  return after;
}

/** The same in place, by midpoint steps: each at the rates of the culture half-way. Cells never outgrow their substrate. */
export function grow(
  organism: Organism,
  culture: { -readonly [Key in keyof Culture]: number },
  celsius: number,
  hours: number,
  rateFactor: number,
): void {
  const steps = Math.max(1, Math.ceil(hours / longestStepH));
  const stepH = hours / steps;
  const halfH = hours / steps / 2;
  const warmRate = organism.bestRate * temperatureFactor(organism, celsius);
  const heatDeaths = heatDeath(organism, celsius);
  const { halfSaturation, deathRate, yield: perSubstrate } = organism;
  for (let step = 0; step < steps; step += 1) {
    const { cells, substrate, readiness } = culture;
    for (let part = 1; part <= 2; part += 1) {
      const partH = part === 1 ? halfH : stepH;
      const rate = rateFactor * rateOf(organism, culture, warmRate);
      const fed = culture.substrate / (halfSaturation + culture.substrate);
      const made = Math.min(cells * Math.expm1(rate * partH), substrate * perSubstrate);
      const dying = deathRate * (1 - fed) + heatDeaths;
      culture.cells = (cells + made) * Math.exp(-dying * partH);
      culture.substrate = Math.max(0, substrate - made / perSubstrate);
      culture.readiness = Math.min(mostReadiness, readiness * Math.exp(warmRate * partH));
    }
  }
}
