import type { Clock } from '@lcs/platform';
import type { BoardController, ControllerInput } from './board-controller.ts';

/**
 * The firmware's loop: a round of 1,024 samples of both photodiode inputs takes about 10 ms. The average takes a quarter of the value
 * of each round.
 */
export const controllerRound = { ms: 10, newShare: 0.25 } as const;

/** A round of the slowest controller: its clock, and the work between rounds, are not known better than by a tenth. Chosen. */
const longestRoundMs = controllerRound.ms * 1.1;

/** Part of a change of the light that may be missing from a value: below the noise of a reading (0.5 %). Chosen. */
const missingPart = 0.001;

/**
 * After `n` rounds 0.75ⁿ of a change is missing: 25 rounds for a thousandth, and the round in which the light changes. 125 ms leave
 * 4 %, and a value that depends on when in its round the light came on.
 */
const settlingRounds = 1 + Math.ceil(Math.log(missingPart) / Math.log(1 - controllerRound.newShare));

/**
 * An input of the board's controller on which a photodiode sits: inputs 2 and 3, which its firmware measures all the time and
 * averages. Above 1.65 V the firmware's number wraps round.
 */
export class ControllerChannel {
  /** A caller that changes the light must wait so long before it reads. */
  readonly settlingMs = settlingRounds * longestRoundMs;
  /** Time from one value of a series to the next. */
  readonly conversionMs = longestRoundMs;
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
      if (volts.length > 0) await this.#clock.sleep(this.conversionMs);
      volts.push(await this.readVolts());
    }
    return volts;
  }
}
