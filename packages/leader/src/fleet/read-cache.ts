interface Kept {
  /** What JSON has been parsed to; nobody changes it. */
  readonly value: unknown;
  readonly at: number;
}

const keptMs = 10_000;

/**
 * What units answered to reads that change seldom, for 10 s each: several pages that ask at once cost one call. Only
 * successes are kept. Single reads and those of all units share the entries.
 */
export class ReadCache {
  readonly #now: () => number;
  readonly #entries = new Map<string, Kept>();
  #drops = 0;

  /** @param now monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** How often something was dropped. An answer that was asked for before a drop may be older than what it made way for. */
  get drops(): number {
    return this.#drops;
  }

  /** The value, or undefined when it has to be asked for. */
  get(unit: string, path: string): unknown {
    const kept = this.#entries.get(keyOf(unit, path));
    return kept && this.#now() - kept.at < keptMs ? kept.value : undefined;
  }

  set(unit: string, path: string, value: unknown): void {
    this.#dropOld();
    this.#entries.set(keyOf(unit, path), { value, at: this.#now() });
  }

  /** Forgets what is kept of these units below one of these paths: it is about to change, or has changed. */
  drop(units: readonly string[], paths: readonly string[]): void {
    this.#drops += 1;
    for (const key of this.#entries.keys()) {
      if (units.some((unit) => paths.some((path) => key.startsWith(keyOf(unit, path))))) this.#entries.delete(key);
    }
  }

  /** Entries stand in the order of their age: the old ones are at the beginning. */
  #dropOld(): void {
    for (const [key, { at }] of this.#entries) {
      if (this.#now() - at < keptMs) return;
      this.#entries.delete(key);
    }
  }
}

/** No unit name has a blank in it. */
const keyOf = (unit: string, path: string): string => `${unit} ${path}`;
