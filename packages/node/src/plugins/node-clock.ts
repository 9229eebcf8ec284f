/** The node's time in a process of a plugin: that of the node's last message plus the time since then. */
export class NodeClock {
  readonly #monotonic: () => number;
  #nowMs = 0;
  #atMs = 0;

  /** @param monotonic Milliseconds of this process that never step back. */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** A plugin runs only after the first call of `set`: each message that begins something has the time. */
  set(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#atMs = this.#monotonic();
  }

  now(): number {
    return this.#nowMs + (this.#monotonic() - this.#atMs);
  }
}
