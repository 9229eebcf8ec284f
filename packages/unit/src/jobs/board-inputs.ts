import {
  Ads1114,
  Ads1115,
  type Ads1115Input,
  BoardController,
  type BoardLayout,
  type Buses,
  ControllerChannel,
  type ControllerInput,
  type ConverterInput,
  converterInput,
  type Photodiodes,
  supplyInput,
  supplyInputOfFirstBoards,
} from '@lcs/hardware';
import type { Clock } from '@lcs/platform';
import type { Photodiode } from './shared/photodiode.ts';

/** The drivers of all voltage inputs of a board; one driver for each chip, for all callers. */
export class BoardInputs {
  readonly #buses: Buses;
  readonly #clock: Clock;
  readonly #controllers = new Map<number, BoardController>();
  readonly #ads1115s = new Map<number, Ads1115>();
  #photodiodes: { readonly places: Photodiodes; readonly drivers: ReadonlyMap<string, Photodiode> } | undefined;

  constructor(buses: Buses, clock: Clock) {
    this.#buses = buses;
    this.#clock = clock;
  }

  /** By photodiode number, as text. The drivers stay the same while the places do. */
  photodiodes(places: Photodiodes): ReadonlyMap<string, Photodiode> {
    if (this.#photodiodes?.places === places) return this.#photodiodes.drivers;
    const drivers = new Map(
      Object.entries(places).map(([channel, place]) => [channel, this.#photodiode(converterInput(place))] as const),
    );
    this.#photodiodes = { places, drivers };
    return drivers;
  }

  /** Voltage of the supply of pumps, heater and stirrer. */
  supply({ ledDriver: { chip, address } }: BoardLayout): { readVolts(): Promise<number> } {
    const { dividedBy } = supplyInput;
    if (chip === 'controller')
      return { readVolts: async () => (await this.#controller(address).readVolts(supplyInput.input)) / dividedBy };
    const input = this.#ads1115At(supplyInputOfFirstBoards.address);
    // Gain 1 measures up to 4 V: a supply of 30 V behind the divider.
    return { readVolts: async () => (await input.readVolts(supplyInputOfFirstBoards.input, 1)) / dividedBy };
  }

  #photodiode({ chip, address, input }: ConverterInput): Photodiode {
    switch (chip) {
      case 'ads1114':
        return new Ads1114(this.#buses.i2c, address, this.#clock);
      case 'ads1115':
        return this.#ads1115At(address).input(ads1115InputOf(input));
      case 'controller':
        return new ControllerChannel(this.#controller(address), ads1115InputOf(input), this.#clock);
    }
  }

  #controller(address: number): BoardController {
    const known = this.#controllers.get(address) ?? new BoardController(this.#buses.i2c, address);
    this.#controllers.set(address, known);
    return known;
  }

  #ads1115At(address: number): Ads1115 {
    const known = this.#ads1115s.get(address) ?? new Ads1115(this.#buses.i2c, address, this.#clock);
    this.#ads1115s.set(address, known);
    return known;
  }
}

function ads1115InputOf(input: number): Ads1115Input & ControllerInput {
  if (input === 0 || input === 1 || input === 2 || input === 3) return input;
  throw new RangeError(`A converter has inputs 0 to 3, not ${input}.`);
}
