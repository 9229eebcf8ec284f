/** Readings of the optical density beside those of the usual interval. */
export interface ExtraReadingsRequest {
  readonly count: number;
  /** From now to the first one, and between two of them, ms. */
  readonly everyMs: number;
}

/** Resolves when they are taken, or when the job that takes them ends. */
export type TakeExtraReadings = (request: ExtraReadingsRequest) => Promise<void>;

/** Where jobs ask the optical readings of their unit for extra ones; these are recorded as all others. */
export class ExtraReadings {
  #take: TakeExtraReadings | undefined;

  /** From now on requests go to this job; the returned function ends that. */
  offer(take: TakeExtraReadings): () => void {
    this.#take = take;
    return () => {
      if (this.#take === take) this.#take = undefined;
    };
  }

  /** Resolves at once if no job takes readings at an interval. */
  async take(request: ExtraReadingsRequest): Promise<void> {
    await this.#take?.(request);
  }
}
