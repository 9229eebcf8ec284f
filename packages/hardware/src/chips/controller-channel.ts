import type { Clock } from '@lcs/platform';
import type { BoardController, ControllerInput } from './board-controller.ts';

/**
 * The controller updates an input after the 1,024 samples of two inputs at 500,000 a second (RP2040 data sheet, "ADC"):
 * every 4.1 ms, and a little for its work between.
 */
const renewedEveryMs = 5;

/**
 * An input of the board's controller on which a photodiode sits: inputs 2 and 3, which its firmware measures all the time.
 * It averages (a quarter of each new value): 20 ms after a change a third of it is still missing, after 90 ms a hundredth.
 * A caller that changes the light must wait before reading; `od_reading` waits 125 ms. Above 1.65 V the firmware's number wraps round.
 */
export class ControllerChannel {
  readonly #controller: BoardController;
  readonly #input: ControllerInput;
  readonly #clock: Clock;

  constructor(controller: BoardController, input: ControllerInput, clock: Clock) {
    this.#controller = controller;
    this.#input = input;
    this.#clock = clock;
  }

  /** It has one range only. */
  async setGain(): Promise<void> {}

  /** @throws BusError */
  readVolts(): Promise<number> {
    return this.#controller.readVolts(this.#input);
  }

  /** `count` values, each a new one. @throws BusError */
  async readSeries(count: number): Promise<number[]> {
    const volts: number[] = [];
    while (volts.length < count) {
      if (volts.length > 0) await this.#clock.sleep(renewedEveryMs);
      volts.push(await this.readVolts());
    }
    return volts;
  }
}
