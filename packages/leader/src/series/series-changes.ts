/** Versions of the stored data by experiment and source, which invalidate cached answers. */
export class SeriesChanges {
  readonly #counts = new Map<string, number>();

  /** Call it when the change can be read, before it is published. */
  note(experimentUid: string, source: string): void {
    const key = keyOf(experimentUid, source);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  count(experimentUid: string, source: string): number {
    return this.#counts.get(keyOf(experimentUid, source)) ?? 0;
  }
}

const keyOf = (experimentUid: string, source: string): string => JSON.stringify([experimentUid, source]);
