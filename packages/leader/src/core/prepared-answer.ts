import { PreparedJson } from '@lcs/contract';

/**
 * A response that many clients request and that seldom changes: read and serialised once, until a dependency changes. Concurrent callers
 * share the reading.
 */
export class PreparedAnswer<Body> {
  readonly #read: () => Promise<Body>;
  readonly #dependencies: () => readonly unknown[];
  #kept: { readonly dependencies: readonly unknown[]; readonly body: Promise<PreparedJson<Body>> } | undefined;

  /** `dependencies` are compared one by one, by identity; the version of the store is usually among them. */
  constructor(dependencies: () => readonly unknown[], read: () => Promise<Body>) {
    this.#dependencies = dependencies;
    this.#read = read;
  }

  /** The present response. Rejects when it cannot be read; the next call then reads again. */
  async current(): Promise<PreparedJson<Body>> {
    // Noted before the reading: the result may be newer than they are, never older.
    const dependencies = this.#dependencies();
    const kept = this.#kept;
    if (kept?.dependencies.every((dependency, index) => Object.is(dependency, dependencies[index]))) return kept.body;
    const renewed = { dependencies, body: this.#read().then((body) => PreparedJson.of(body)) };
    this.#kept = renewed;
    try {
      return await renewed.body;
    } catch (error) {
      if (this.#kept === renewed) this.#kept = undefined;
      throw error;
    }
  }
}
