import {
  defaultOversampling,
  fitMainsHum,
  levelDistribution,
  priorWeight,
  type SeededStream,
  type SteadySignal,
  sampleSignal,
  slotTimes,
  subtractDark,
} from '@lcs/domain';

/** Seconds of one conversion at 128 per second, and the volts of one count at the narrowest gain (ADS111x data sheet). */
const conversionS = 1 / 128;
const converter = { stepV: 0.256 / 32_768, lowestV: 0, highestV: 3.3 };
const times = slotTimes(defaultOversampling, conversionS);
const kept = defaultOversampling.rounds - 2;

/** The earlier readings of a photodiode: each with the usual smoothing towards the one before. */
export class PastPhotodiode {
  readonly #random: SeededStream;
  readonly #weight: number;
  readonly #darkV: number;
  #previousV: number | undefined;

  /** `dark`: its signal without light. `penalizer`: `smoothing_penalizer` in docs/reference/settings.md. */
  constructor(random: SeededStream, dark: SteadySignal, penalizer: number, intervalS: number) {
    this.#random = random;
    this.#weight = priorWeight(penalizer, intervalS, defaultOversampling.rounds);
    this.#darkV = Math.max(0, this.#level(dark));
  }

  /** Volts of one reading, darkness subtracted. */
  read(signal: SteadySignal): number {
    const measured = this.#level(signal);
    const previous = this.#previousV;
    const volts =
      previous === undefined ? measured : (kept * measured + this.#weight * previous) / (kept + this.#weight);
    this.#previousV = volts;
    return subtractDark(volts, this.#darkV);
  }

  #level(signal: SteadySignal): number {
    const known = levelDistribution(signal, times, converter);
    if (known !== null) return known.meanV + known.sdV * this.#random.normal();
    const samples = sampleSignal(signal, times, () => this.#random.normal());
    const clipped = samples.map(({ timeS, value }) => ({
      timeS,
      value: Math.min(converter.highestV, Math.max(converter.lowestV, value)),
    }));
    return fitMainsHum(clipped, signal.mainsHz).level;
  }
}
