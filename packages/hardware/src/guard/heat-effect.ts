/**
 * The least that a heater warms its board: a lump that approaches so many °C for each percent of duty. Of the simulated vial with all heat
 * flows and capacities off by ±50 % the coldest board rises by 0.075 °C for each percent within its time constant of 24 s, and the slowest
 * one, of 73 s, by 0.22 °C. It falls as fast as the fastest board (13 s).
 */
const leastBoard = { celsiusPerPercent: 0.06, risesInMs: 60_000, fallsInMs: 12_000 } as const;

/** From this rise on it is distinguished from noise and steps of the sensor (0.03 and 0.06 °C), in two readings in a row. Chosen. */
const visibleCelsius = 0.25;
const readingsInRow = 2;

/** So long after the rise must be visible it must have been seen; a stretch of heat that ends counts from this time on. Chosen. */
const seenWithinMs = 60_000;
const countsFromMs = 15_000;

/** After a pause of this length most of the rise of the slowest board is gone: the next heat is a new comparison. */
const shortestRestMs = 45_000;
const ownRestMs = 60_000;

/** A board that is not warmer than at its beginning for so long is tested by a pause: it may have cooled with its room. Chosen. */
const doubtedAfterMs = 120_000;

/**
 * Stretches of heat in a row without an effect. One may be hidden by a door, a cold medium or a room that becomes colder just then; of
 * the fall from one beginning to the next the following ones know.
 */
const stretchesToDetach = 3;
const followsWithinMs = 600_000;

/** A reading before the heater came on counts as its beginning for so long. */
const coldForMs = 5_000;

interface Begin {
  readonly celsius: number;
  readonly atMs: number;
}

/** Heat without a pause of some length, and what is known of its effect. */
interface Stretch {
  readonly begin: Begin | undefined;
  /** Change of the board without heat, °C in a ms; 0 or less: from one beginning to the next. */
  readonly drift: number;
  readonly visibleSinceMs: number | undefined;
  readonly row: number;
  readonly seenMs: number | undefined;
  readonly isCounted: boolean;
}

/**
 * Whether a board becomes warmer with its heater, at any duty from 8 % on (below, the least rise is not visible). Its jobs may pause
 * the heater now and then; one that does not is given a pause when in doubt.
 */
export class HeatEffect {
  #percent = 0;
  #atMs = 0;
  /** The least rise that the heat up to now must have given, °C. */
  #least = 0;
  #offSinceMs: number | undefined;
  #cold: Begin | undefined;
  #stretch: Stretch | undefined;
  #begin: Begin | undefined;
  #misses = 0;
  #restUntilMs: number | undefined;

  /** No stretch that counts showed an effect. */
  get isMissing(): boolean {
    return this.#misses >= stretchesToDetach;
  }

  /** The heater must be off for a comparison. */
  isResting(nowMs: number): boolean {
    return this.#restUntilMs !== undefined && nowMs < this.#restUntilMs;
  }

  /** A person has started a job that heats: what was found is forgotten. */
  forget(): void {
    this.#stretch = undefined;
    this.#misses = 0;
    this.#restUntilMs = undefined;
  }

  /** The heater is at `percent` from now on. */
  driven(percent: number, nowMs: number): void {
    if (percent === this.#percent) return;
    this.#passTo(nowMs);
    const wasOff = this.#percent === 0;
    this.#percent = percent;
    if (percent === 0) this.#pause(nowMs);
    else if (wasOff) this.#heat(nowMs);
  }

  /** A reading of the board, °C. */
  read(celsius: number, nowMs: number): void {
    this.#passTo(nowMs);
    if (this.#percent === 0) {
      this.#cold = { celsius, atMs: nowMs };
      return;
    }
    const stretch = this.#stretch ?? this.#newStretch(nowMs);
    const begin = stretch.begin ?? { celsius, atMs: nowMs };
    const without = begin.celsius + stretch.drift * (nowMs - begin.atMs);
    const isVisible = this.#least >= visibleCelsius;
    const visibleSinceMs = isVisible ? (stretch.visibleSinceMs ?? nowMs) : stretch.visibleSinceMs;
    const row = isVisible && celsius - without >= this.#least ? stretch.row + 1 : 0;
    const isSeen = row >= readingsInRow;
    if (isSeen) this.#misses = 0;
    this.#begin = begin;
    this.#stretch = { ...stretch, begin, visibleSinceMs, row, seenMs: isSeen ? nowMs : stretch.seenMs };
    if (isVisible) this.#judge(this.#stretch, nowMs);
  }

  #judge(stretch: Stretch, nowMs: number): void {
    const { seenMs, visibleSinceMs = nowMs } = stretch;
    if (seenMs !== undefined) {
      if (nowMs - seenMs >= doubtedAfterMs) this.#restUntilMs = nowMs + ownRestMs;
    } else if (nowMs - visibleSinceMs >= seenWithinMs) {
      this.#miss(stretch);
      this.#restUntilMs = nowMs + ownRestMs;
    }
  }

  #pause(nowMs: number): void {
    this.#offSinceMs = nowMs;
    const { visibleSinceMs, seenMs } = this.#stretch ?? {};
    if (this.#stretch === undefined || visibleSinceMs === undefined || seenMs !== undefined) return;
    if (nowMs - visibleSinceMs >= countsFromMs) this.#miss(this.#stretch);
  }

  #heat(nowMs: number): void {
    const restMs = nowMs - (this.#offSinceMs ?? Number.NEGATIVE_INFINITY);
    this.#offSinceMs = undefined;
    if (this.#stretch === undefined || restMs >= shortestRestMs) this.#stretch = this.#newStretch(nowMs);
  }

  #miss(stretch: Stretch): void {
    if (stretch.isCounted) return;
    this.#misses += 1;
    this.#stretch = { ...stretch, isCounted: true };
  }

  #newStretch(nowMs: number): Stretch {
    this.#least = 0;
    this.#restUntilMs = undefined;
    const before = this.#begin;
    const begin = this.#cold !== undefined && nowMs - this.#cold.atMs <= coldForMs ? this.#cold : undefined;
    this.#begin = begin;
    const spanMs = before === undefined || begin === undefined ? 0 : begin.atMs - before.atMs;
    const isNear = spanMs > 0 && spanMs <= followsWithinMs;
    const drift = isNear ? Math.min(0, ((begin?.celsius ?? 0) - (before?.celsius ?? 0)) / spanMs) : 0;
    return { begin, drift, visibleSinceMs: undefined, row: 0, seenMs: undefined, isCounted: false };
  }

  #passTo(nowMs: number): void {
    const target = leastBoard.celsiusPerPercent * this.#percent;
    const timeMs = target > this.#least ? leastBoard.risesInMs : leastBoard.fallsInMs;
    this.#least = target + (this.#least - target) * Math.exp((this.#atMs - nowMs) / timeMs);
    this.#atMs = nowMs;
  }
}
