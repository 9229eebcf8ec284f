/** The calibration and LED intensity with which a series was measured. */
export interface ReadingContext {
  readonly calibrationName: string | null;
  readonly calibrationHash: string | null;
  /** Percent. */
  readonly irLedIntensity: number | null;
}

/** The newest context of a series; `entry` is undefined for a stored one. */
interface Newest {
  readonly since: number;
  readonly entry: number | undefined;
}

/**
 * Collects the rows for `insertContextSql`: one for every reading whose context may differ from the effective one.
 * In the order of time that is one for each change; readings that go back in time are checked one by one.
 */
export class ContextRows {
  readonly rows: (string | number | null)[][] = [];
  readonly #newest = new Map<number, Newest>();

  /** `stored`: since when the newest stored context of a series is effective, ms. */
  constructor(stored: ReadonlyMap<number, number>) {
    for (const [id, since] of stored) this.#newest.set(id, { since, entry: undefined });
  }

  note(id: number, at: number, entry: number, context: ReadingContext, angle: number | null): void {
    const newest = this.#newest.get(id);
    if (newest?.entry === entry && at >= newest.since) return;
    const { calibrationName, calibrationHash, irLedIntensity } = context;
    this.rows.push([id, at, calibrationName, calibrationHash, angle, irLedIntensity]);
    if (newest === undefined || at >= newest.since) this.#newest.set(id, { since: at, entry });
  }
}
