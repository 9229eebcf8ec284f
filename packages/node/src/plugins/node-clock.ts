/** The node's time in a process of a plugin: as the node's last message had it, and what has passed since. */
export class NodeClock {
  readonly #monotonic: () => number;
  #nowMs = 0;
  #atMs = 0;

  /** @param monotonic Milliseconds of this process that never step back. */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Whatever a plugin can see comes after the first call: each message that begins something has the time. */
  set(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#atMs = this.#monotonic();
  }

  now(): number {
    return this.#nowMs + (this.#monotonic() - this.#atMs);
  }
}
