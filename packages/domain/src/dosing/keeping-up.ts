/**
 * Whether exchanges keep up with growth, by the course of the biomass and what was washed out alone: between two exchanges the
 * logarithm of the biomass changes by growth minus wash-out.
 */
interface Balance {
  readonly hours: number;
  /** Logarithm of the biomass, with all that was washed out before. */
  readonly logGrown: number;
}

/** Of a turbidostat that exchanges again and again; plain data. */
export interface KeepingUp {
  /** At recent exchanges, oldest first. */
  readonly balances: readonly Balance[];
  /** Exchanges in a row far above the target. */
  readonly exchanges: number;
  /** Biomass relative to the target at the first of them. */
  readonly firstRatio: number;
  readonly isReported: boolean;
}

export const keepingUp: KeepingUp = { balances: [], exchanges: 0, firstRatio: 0, isReported: false };

/** An exchange that is due. */
export interface ExchangeDue {
  readonly hours: number;
  /** Biomass, and relative to its target. */
  readonly biomass: number;
  readonly ratio: number;
  /** Wash-out of all exchanges before this one. */
  readonly washedOut: number;
  /** The fastest growth that exchanges of the set volume wash out, per hour. */
  readonly fastestPerHour: number;
}

/** Growth is compared over two periods of at least this length and number of exchanges: a density that was changed by hand is in one of them. Chosen. */
const period = { hours: 5 / 60, exchanges: 3 } as const;
/** Growth beyond the fastest dilution by this share is certain. Chosen: the error of both. */
const certain = 1.02;
/** From this share on the exchanges keep up again. */
const keepsUpAgain = 0.9;

/** Above this share of the target a turbidostat is not controlling. Chosen: beyond the swing of usual exchanges. */
const farAbove = 1.12;
const backAtTarget = 1.05;
/** So many exchanges in a row must have lowered the biomass, or the pumps do not keep up. Chosen. */
const exchangesToJudge = 6;
/** Exchanges that keep up lower it by more than this share together. */
const leastProgress = 0.03;

const rateBetween = (from: Balance, to: Balance): number => (to.logGrown - from.logGrown) / (to.hours - from.hours);

interface Growth {
  readonly perHour: number;
  /** Of the two periods the slower one. */
  readonly leastPerHour: number;
}

/** The balances that are still needed, and the growth by them; undefined: they are too few. */
function growthBy(balances: readonly Balance[]): { readonly balances: readonly Balance[]; readonly growth?: Growth } {
  const before = (end: number): number => {
    const endHours = balances[end]?.hours ?? 0;
    return balances.findLastIndex(
      ({ hours }, index) => index <= end - period.exchanges && endHours - hours >= period.hours,
    );
  };
  const end = balances.length - 1;
  const middle = before(end);
  const start = middle < 0 ? -1 : before(middle);
  const [first, half, last] = [balances[start], balances[middle], balances[end]];
  if (first === undefined || half === undefined || last === undefined) return { balances };
  const leastPerHour = Math.min(rateBetween(first, half), rateBetween(half, last));
  return { balances: balances.slice(start), growth: { perHour: rateBetween(first, last), leastPerHour } };
}

export interface KeepingUpStep {
  readonly state: KeepingUp;
  /** To be reported now. */
  readonly cannot: boolean;
  /** By the balance of the recent exchanges; undefined: not known yet. */
  readonly growthPerHour?: number;
}

/**
 * Before an exchange. The pumps do not keep up when the culture grows faster than exchanges of the set volume wash out, also while larger ones
 * ("probes" of the waste) hold it; or when it stays far above its target.
 */
export function keepingUpStep(before: KeepingUp, due: ExchangeDue): KeepingUpStep {
  const { hours, biomass, ratio, washedOut, fastestPerHour } = due;
  const { balances, growth } = growthBy([...before.balances, { hours, logGrown: Math.log(biomass) + washedOut }]);
  const isBeyond =
    growth !== undefined && growth.leastPerHour > fastestPerHour && growth.perHour > certain * fastestPerHour;
  const keepsUp = growth !== undefined && growth.perHour < keepsUpAgain * fastestPerHour && ratio <= backAtTarget;
  const { exchanges, firstRatio, stays } = aboveTarget(before, ratio);
  const cannot = (isBeyond || stays) && !before.isReported;
  return {
    state: { balances, exchanges, firstRatio, isReported: cannot || (before.isReported && !keepsUp) },
    cannot,
    ...(growth !== undefined && { growthPerHour: growth.perHour }),
  };
}

/** `stays`: exchange after exchange has not lowered the biomass. */
function aboveTarget(
  { exchanges, firstRatio }: KeepingUp,
  ratio: number,
): Pick<KeepingUp, 'exchanges' | 'firstRatio'> & { readonly stays: boolean } {
  if (ratio <= farAbove) return { exchanges: 0, firstRatio: 0, stays: false };
  if (exchanges === 0) return { exchanges: 1, firstRatio: ratio, stays: false };
  if (exchanges < exchangesToJudge) return { exchanges: exchanges + 1, firstRatio, stays: false };
  return { exchanges: 1, firstRatio: ratio, stays: ratio >= (1 - leastProgress) * firstRatio };
}

/** After doses without effect, or a resume: what they washed out is not known. */
export const keepingUpAfresh = ({ isReported }: KeepingUp): KeepingUp => ({ ...keepingUp, isReported });
