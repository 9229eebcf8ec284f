import {
  defaultOversampling,
  fitMainsHum,
  type LevelGains,
  levelDistribution,
  levelGains,
  type SeededStream,
  type SteadySignal,
  sampleSignal,
  slotTimes,
} from '@lcs/domain';

/** Seconds of one conversion at 128 per second, and the volts of one count at the narrowest gain (ADS111x data sheet). */
const conversionS = 1 / 128;
const converter = { stepV: 0.256 / 32_768, lowestV: 0, highestV: 3.3 };
const times = slotTimes(defaultOversampling, conversionS);

/** The earlier readings of a photodiode. */
export class PastPhotodiode {
  readonly #random: SeededStream;
  readonly #gains: LevelGains;
  readonly #darkV: number;

  /** `dark`: its signal without light. */
  constructor(random: SeededStream, dark: SteadySignal) {
    this.#random = random;
    this.#gains = levelGains(times, dark.mainsHz, conversionS);
    this.#darkV = this.#level(dark);
  }

  /** Volts of one reading, darkness subtracted. */
  read(signal: SteadySignal): number {
    return this.#level(signal) - this.#darkV;
  }

  #level(signal: SteadySignal): number {
    const known = levelDistribution(signal, this.#gains, converter);
    if (known !== null) return known.meanV + known.sdV * this.#random.normal();
    const samples = sampleSignal(signal, times, () => this.#random.normal());
    const clipped = samples.map(({ timeS, value }) => ({
      timeS,
      value: Math.min(converter.highestV, Math.max(converter.lowestV, value)),
    }));
    return fitMainsHum(clipped, signal.mainsHz).level;
  }
}
