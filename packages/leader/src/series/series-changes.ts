/** Counts what was stored, by experiment and source, so that whoever keeps an answer knows when it is out of date. */
export class SeriesChanges {
  readonly #counts = new Map<string, number>();

  /** To be called once the change can be read, before anyone is told of it. */
  note(experimentUid: string, source: string): void {
    const key = keyOf(experimentUid, source);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  count(experimentUid: string, source: string): number {
    return this.#counts.get(keyOf(experimentUid, source)) ?? 0;
  }
}

const keyOf = (experimentUid: string, source: string): string => JSON.stringify([experimentUid, source]);
