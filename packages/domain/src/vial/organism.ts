/** The organism of a simulated vial. Rates per hour, temperatures in °C. */
export interface Organism {
  readonly name: string;
  /** Maximum growth rate: at the optimum temperature and with excess substrate. */
  readonly bestRate: number;
  /** Substrate, g/l, at which growth is half as fast. */
  readonly halfSaturation: number;
  /** Grams of dry cells per gram of substrate. */
  readonly yield: number;
  /** Grams of dry cells per litre at an OD of 1. */
  readonly gramsPerOd: number;
  /** Substrate in fresh medium, g/l. */
  readonly feed: number;
  readonly lowestC: number;
  readonly bestC: number;
  readonly highestC: number;
  /** Readiness of a fresh inoculum (Baranyi's q); the lag is about ln(1 + 1/readiness) / rate. */
  readonly readiness: number;
  /** OD at which growth stops for other reasons than the substrate, and the exponent of the approach to it. */
  readonly highestOd: number;
  readonly crowding: number;
  /** Death without substrate. */
  readonly deathRate: number;
}

/**
 * Cell mass per OD of E. coli: BioNumbers 109836; yields and half saturations in the range of Monod (Annu. Rev.
 * Microbiol. 3, 1949). The rest is chosen so that batch curves look like those of the named culture; no strain was fitted.
 */
const organisms = {
  ecoli_glucose: {
    name: 'ecoli_glucose',
    bestRate: 0.75,
    halfSaturation: 0.004,
    yield: 0.48,
    gramsPerOd: 0.39,
    feed: 2,
    lowestC: 5,
    bestC: 40,
    highestC: 47,
    readiness: 0.5,
    highestOd: 12,
    crowding: 1,
    deathRate: 0.003,
  },
  ecoli_lb: {
    name: 'ecoli_lb',
    bestRate: 1.75,
    halfSaturation: 0.1,
    yield: 0.4,
    gramsPerOd: 0.39,
    feed: 5,
    lowestC: 5,
    bestC: 40,
    highestC: 47,
    readiness: 0.35,
    highestOd: 6.5,
    crowding: 0.6,
    deathRate: 0.005,
  },
  yeast: {
    name: 'yeast',
    bestRate: 0.46,
    halfSaturation: 0.1,
    yield: 0.15,
    gramsPerOd: 0.5,
    feed: 20,
    lowestC: 3,
    bestC: 32,
    highestC: 42,
    readiness: 0.3,
    highestOd: 25,
    crowding: 1,
    deathRate: 0.001,
  },
} as const satisfies Record<string, Organism>;

export type OrganismName = keyof typeof organisms;
export const organismNames: readonly string[] = Object.keys(organisms);

/** The organism of that name, or undefined. */
export const findOrganism = (name: string): Organism | undefined =>
  Object.values(organisms).find((organism) => organism.name === name);

/** The organism that a simulated unit has when none is configured. */
export const defaultOrganism: Organism = organisms.yeast;
