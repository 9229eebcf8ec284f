interface Kept {
  /** The parsed JSON; it is never changed. */
  readonly value: unknown;
  readonly at: number;
}

const keptMs = 10_000;

/**
 * Responses of units that seldom change, cached for 10 s: several pages that request them at once cost one call. Only successes are cached.
 * Single reads and those of all units share the entries.
 */
export class ReadCache {
  readonly #now: () => number;
  readonly #entries = new Map<string, Kept>();
  #drops = 0;

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The number of drops. A response that was requested before a drop may be outdated. */
  get drops(): number {
    return this.#drops;
  }

  /** The value, or undefined when it must be requested. */
  get(unit: string, path: string): unknown {
    const kept = this.#entries.get(keyOf(unit, path));
    return kept && this.#now() - kept.at < keptMs ? kept.value : undefined;
  }

  set(unit: string, path: string, value: unknown): void {
    this.#dropOld();
    this.#entries.set(keyOf(unit, path), { value, at: this.#now() });
  }

  /** Drops the entries of these units below one of these paths: the data are about to change, or have changed. */
  drop(units: readonly string[], paths: readonly string[]): void {
    this.#drops += 1;
    for (const key of this.#entries.keys()) {
      if (units.some((unit) => paths.some((path) => key.startsWith(keyOf(unit, path))))) this.#entries.delete(key);
    }
  }

  /** Entries are in the order of their age: the old ones are at the beginning. */
  #dropOld(): void {
    for (const [key, { at }] of this.#entries) {
      if (this.#now() - at < keptMs) return;
      this.#entries.delete(key);
    }
  }
}

/** No unit name contains a blank. */
const keyOf = (unit: string, path: string): string => `${unit} ${path}`;
