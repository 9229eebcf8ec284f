/** The job that holds the infrared LED while it runs, and shares it for a moment. */
export interface LightHolder {
  /** Does the work under light of this level, between two uses of its own. */
  withLight<Result>(percent: number, work: () => Promise<Result>): Promise<Result>;
}

/** Who has the infrared LED of a unit: the optical readings as long as they run, and for moments the camera. */
export class InfraredLight {
  #holder: LightHolder | undefined;
  #moments: Promise<unknown> = Promise.resolve();
  /** Releases the LED; undefined when no person has set it. */
  #borrower: (() => Promise<void>) | undefined;

  /** Undefined: the LED is free. */
  get holder(): LightHolder | undefined {
    return this.#holder;
  }

  /** From now on other jobs request it from this holder; the returned function ends that. */
  hold(holder: LightHolder): () => void {
    this.#holder = holder;
    return () => {
      if (this.#holder === holder) this.#holder = undefined;
    };
  }

  /** A person has set the LED: it is released as soon as a job needs it. The returned function ends that. */
  borrow(giveBack: () => Promise<void>): () => void {
    this.#borrower = giveBack;
    return () => {
      if (this.#borrower === giveBack) this.#borrower = undefined;
    };
  }

  /** Work that takes the LED by itself for a moment. */
  moment<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#moments.then(async () => {
      await this.#borrower?.();
      return work();
    });
    // Only the order is kept here; the caller has the outcome.
    this.#moments = done.catch(() => {});
    return done;
  }

  /** Resolves when no such moment lasts, and no guest has the LED. */
  async free(): Promise<void> {
    await this.#moments;
    await this.#borrower?.();
  }
}
