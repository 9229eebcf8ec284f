import type { StatementResult } from '../statement-cache.ts';
import { ConnectionKeeper, type KeeperParts } from './connection-keeper.ts';
import type { PreparedStatement } from './postgres-connection.ts';

/** Reading connections: each query goes to the one with the fewest unanswered queries. */
export class ReadPool {
  readonly #keepers: readonly ConnectionKeeper[];
  readonly #unanswered: number[];

  constructor(parts: KeeperParts, size: number) {
    this.#keepers = Array.from({ length: size }, () => new ConnectionKeeper(parts));
    this.#unanswered = this.#keepers.map(() => 0);
  }

  async start(): Promise<void> {
    for (const keeper of this.#keepers) await keeper.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#keepers.map((keeper) => keeper.stop()));
  }

  /** @throws StoreError */
  async run(statement: PreparedStatement): Promise<StatementResult> {
    const at = this.#unanswered.indexOf(Math.min(...this.#unanswered));
    const keeper = this.#keepers[at];
    if (keeper === undefined) throw new RangeError('A pool needs a connection.');
    this.#unanswered[at] = (this.#unanswered[at] ?? 0) + 1;
    try {
      return await keeper.connection.run(statement);
    } finally {
      this.#unanswered[at] = (this.#unanswered[at] ?? 1) - 1;
    }
  }
}
