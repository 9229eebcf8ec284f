import type { Skipped } from './import-protocol.ts';

/** Rows that do not come, by reason. */
export class Skips {
  readonly #rows = new Map<string, number>();

  add(reason: string, rows = 1): void {
    if (rows > 0) this.#rows.set(reason, (this.#rows.get(reason) ?? 0) + rows);
  }

  list(): Skipped[] {
    return [...this.#rows].map(([reason, rows]) => ({ reason, rows }));
  }
}
