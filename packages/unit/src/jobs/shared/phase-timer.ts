import type { Cancel, Clock } from '@lcs/platform';

/** The one timer of a state machine's phase: starting it replaces the previous one. */
export class PhaseTimer {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #action: () => void | Promise<void>;
  #cancel: Cancel = () => {};

  constructor(clock: Pick<Clock, 'after'>, action: () => void | Promise<void>) {
    this.#clock = clock;
    this.#action = action;
  }

  start(ms: number): void {
    this.#cancel();
    this.#cancel = this.#clock.after(ms, this.#action);
  }

  cancel(): void {
    this.#cancel();
  }
}
