import type { LedChannel } from '@lcs/domain';

/** A job that holds LEDs. */
export interface LedHolder {
  /** Another job sets this LED now: resolves when it is off and released. */
  giveUp(channel: LedChannel): Promise<void>;
}

/** The holders of the LEDs of a unit: the job that set an LED last holds it. */
export class LedHolders {
  readonly #holders = new Map<LedChannel, LedHolder>();

  /** Gives an LED to a holder; resolves when the holder before has released it. */
  async acquire(channel: LedChannel, holder: LedHolder): Promise<void> {
    const before = this.#holders.get(channel);
    this.#holders.set(channel, holder);
    if (before !== undefined && before !== holder) await before.giveUp(channel);
  }

  /** It is free again, if this holder has it. */
  leave(channel: LedChannel, holder: LedHolder): void {
    if (this.#holders.get(channel) === holder) this.#holders.delete(channel);
  }
}
