import { BusError, type GpioBank } from '@lcs/hardware';
import type { Clock, Log, Service } from '@lcs/platform';

export interface StatusLightOptions {
  readonly gpio: Pick<GpioBank, 'setOutput'>;
  readonly line: number;
  readonly clock: Clock;
  readonly log: Log;
}

interface Flash {
  readonly isOn: boolean;
  readonly ms: number;
}

const on = (ms: number): Flash => ({ isOn: true, ms });
const off = (ms: number): Flash => ({ isOn: false, ms });

/** "Here I am": four times two short flashes. The times are those of similar systems, so that people know them. */
const here: readonly Flash[] = Array.from({ length: 4 }, () => [on(140), off(140), on(140), off(450)]).flat();

/** One long flash, then as many short ones as the number of the code, then a pause. */
const codeOf = (code: number): readonly Flash[] => [
  ...[on(2000), off(250)],
  ...Array.from({ length: code }, () => [on(250), off(250)]).flat(),
  off(5000),
];

/** The small light on the board of a unit. It is not an output of a job and harmless: no guard monitors it. */
export class StatusLight implements Service {
  readonly name = 'status light';
  readonly #options: StatusLightOptions;
  #stopping = new AbortController();
  #showing: Promise<void> | undefined;
  #isHeld = false;

  constructor(options: StatusLightOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#stopping = new AbortController();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#showing;
    if (this.#isHeld) await this.#show([], false);
  }

  /** Shows the place of the unit. A running pattern is completed. */
  blink(): void {
    this.#begin(here);
  }

  /** Shows a fault of the unit by the number of short flashes. A running pattern is completed. */
  showCode(code: number): void {
    this.#begin(codeOf(code));
  }

  /** On while a person presses the button. */
  hold(isOn: boolean): void {
    this.#isHeld = isOn;
    this.#begin([isOn ? on(0) : off(0)], isOn);
  }

  #begin(flashes: readonly Flash[], endsOn = false): void {
    if (this.#stopping.signal.aborted) return;
    this.#showing ??= this.#show(flashes, endsOn).finally(() => {
      this.#showing = undefined;
    });
  }

  async #show(flashes: readonly Flash[], endsOn: boolean): Promise<void> {
    const { gpio, line, clock, log } = this.#options;
    const { signal } = this.#stopping;
    try {
      for (const { isOn, ms } of flashes) {
        if (signal.aborted) break;
        await gpio.setOutput(line, isOn);
        await clock.sleep(ms, signal).catch(() => {});
      }
      if (!endsOn || signal.aborted) await gpio.setOutput(line, false);
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      log.warn('The status light does not obey', { error: error.message });
    }
  }
}
