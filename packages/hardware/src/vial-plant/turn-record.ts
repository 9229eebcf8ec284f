interface Note {
  readonly atMs: number;
  readonly turns: number;
}

/** Longer than anyone counts turns for. */
const keptMs = 10_000;

/** How far the stirrer had turned at which time, for the last seconds. */
export class TurnRecord {
  readonly #notes: Note[] = [];

  /** Times and turns never go back. */
  note(atMs: number, turns: number): void {
    const last = this.#notes.at(-1);
    if (last !== undefined && last.atMs >= atMs) return;
    this.#notes.push({ atMs, turns });
    // The newest note before the kept time stays: it is where the kept time begins.
    const old = this.#notes.findIndex((note) => note.atMs > atMs - keptMs) - 1;
    if (old > keptMs / 100) this.#notes.splice(0, old);
  }

  /** When whole turns were completed, after `fromMs` and up to `toMs`; between two notes the speed counts as even. */
  passesMs(fromMs: number, toMs: number): number[] {
    const passes: number[] = [];
    for (const [index, note] of this.#notes.entries()) {
      const before = this.#notes[index - 1];
      if (before === undefined || note.atMs <= fromMs || note.turns === before.turns) continue;
      const msPerTurn = (note.atMs - before.atMs) / (note.turns - before.turns);
      for (let turn = Math.floor(before.turns) + 1; turn <= note.turns; turn += 1) {
        // Rounding must not carry a turn beyond the note that shows it complete.
        const passMs = Math.min(note.atMs, before.atMs + (turn - before.turns) * msPerTurn);
        if (passMs > fromMs && passMs <= toMs) passes.push(passMs);
      }
    }
    return passes;
  }
}
