interface RotationSample {
  readonly atMs: number;
  readonly turns: number;
}

/** Longer than the longest window in which turns are counted. */
const historyMs = 10_000;
/** Older samples are removed when there are more than these. */
const mostOldSamples = 100;

/** Angle of the stirrer over time, in turns, for the last seconds. */
export class RotationHistory {
  readonly #samples: RotationSample[] = [];

  /** Times and turns never decrease. */
  add(atMs: number, turns: number): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && last.atMs >= atMs) return;
    this.#samples.push({ atMs, turns });
    const fromMs = atMs - historyMs;
    if ((this.#samples[mostOldSamples + 1]?.atMs ?? atMs) > fromMs) return;
    // The newest sample before the kept time stays: interpolation starts from it.
    const old = this.#samples.findIndex((sample) => sample.atMs > fromMs) - 1;
    this.#samples.splice(0, old);
  }

  /** When whole turns were completed, after `fromMs` and up to `toMs`; between two samples the speed is constant. */
  turnTimesMs(fromMs: number, toMs: number): number[] {
    const times: number[] = [];
    const first = this.#samples.findLastIndex((sample) => sample.atMs <= fromMs) + 1;
    for (let index = Math.max(1, first); index < this.#samples.length; index += 1) {
      const [before, sample] = [this.#samples[index - 1], this.#samples[index]];
      if (before === undefined || sample === undefined || sample.turns === before.turns) continue;
      const msPerTurn = (sample.atMs - before.atMs) / (sample.turns - before.turns);
      for (let turn = Math.floor(before.turns) + 1; turn <= sample.turns; turn += 1) {
        // Rounding must not move a turn behind the sample that contains it.
        const turnMs = Math.min(sample.atMs, before.atMs + (turn - before.turns) * msPerTurn);
        if (turnMs > fromMs && turnMs <= toMs) times.push(turnMs);
      }
    }
    return times;
  }
}
