import type { LedChannel } from '@lcs/domain';

/** Whoever has LEDs. */
export interface LedHolder {
  /** Somebody else sets this one now: resolves when it is off and given back. */
  giveUp(channel: LedChannel): Promise<void>;
}

/** Who has which LED of a unit: whoever sets one last has it. */
export class LedHolders {
  readonly #holders = new Map<LedChannel, LedHolder>();

  /** From now on the holder has this one; resolves when whoever had it before has given it up. */
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
