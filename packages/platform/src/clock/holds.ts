import type { Clock } from './clock.ts';

/** A hold or barrier blocked the clock for longer than the limit of real time. */
export class ClockStalled extends Error {
  readonly waitingFor: readonly string[];

  constructor(waitingFor: readonly string[], limitMs: number) {
    super(`Virtual time has not advanced for ${limitMs} ms. It waits for: ${waitingFor.join(', ')}.`);
    this.name = 'ClockStalled';
    this.waitingFor = waitingFor;
  }
}

/** The work in progress that virtual time must not overtake. */
export class Holds {
  readonly #open = new Set<{ readonly reason: string }>();
  #whenNone: PromiseWithResolvers<void> | undefined;

  /** The reasons of the open holds, oldest first. */
  get reasons(): readonly string[] {
    return [...this.#open].map((hold) => hold.reason);
  }

  get isEmpty(): boolean {
    return this.#open.size === 0;
  }

  take(reason: string): () => void {
    const hold = { reason };
    this.#open.add(hold);
    return () => {
      this.#open.delete(hold);
      if (this.#open.size > 0) return;
      this.#whenNone?.resolve();
      this.#whenNone = undefined;
    };
  }

  /** Resolves as soon as no hold is open. */
  async none(): Promise<void> {
    if (this.isEmpty) return;
    this.#whenNone ??= Promise.withResolvers<void>();
    await this.#whenNone.promise;
  }
}

/** Waits for `work`, but no longer than `limitMs` of `wire` time; `describe` names what was waited for. */
export async function withStallLimit(
  work: Promise<void>,
  wire: Clock,
  limitMs: number,
  describe: () => readonly string[],
): Promise<void> {
  if (limitMs === Number.POSITIVE_INFINITY) return work;
  const stalled = Promise.withResolvers<void>();
  const cancel = wire.after(limitMs, () => stalled.reject(new ClockStalled(describe(), limitMs)));
  try {
    await Promise.race([work, stalled.promise]);
  } finally {
    cancel();
  }
}
