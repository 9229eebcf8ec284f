interface RotationSample {
  readonly atMs: number;
  readonly turns: number;
}

/** Longer than the longest window in which turns are counted. */
const historyMs = 10_000;

/** Angle of the stirrer over time, in turns, for the last seconds. */
export class RotationHistory {
  readonly #samples: RotationSample[] = [];

  /** Times and turns never decrease. */
  add(atMs: number, turns: number): void {
    const last = this.#samples.at(-1);
    if (last !== undefined && last.atMs >= atMs) return;
    this.#samples.push({ atMs, turns });
    // The newest sample before the kept time stays: interpolation starts from it.
    const old = this.#samples.findIndex((sample) => sample.atMs > atMs - historyMs) - 1;
    if (old > historyMs / 100) this.#samples.splice(0, old);
  }

  /** When whole turns were completed, after `fromMs` and up to `toMs`; between two samples the speed is constant. */
  turnTimesMs(fromMs: number, toMs: number): number[] {
    const times: number[] = [];
    for (const [index, sample] of this.#samples.entries()) {
      const before = this.#samples[index - 1];
      if (before === undefined || sample.atMs <= fromMs || sample.turns === before.turns) continue;
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
