import type { Clock } from '../../clock/clock.ts';
import type { Service } from '../../lifecycle/in-order.ts';
import type { Log } from '../../log/log.ts';
import { ConnectionKeeper, usualTest } from './connection-keeper.ts';
import { identifier } from './identifier.ts';
import { channelOf } from './postgres-database.ts';

export interface CommitWatchOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Of the store. */
  readonly schema: string;
  /** The wire clock. */
  readonly clock: Clock;
  readonly log: Log;
}

/** Counts the commits of a store, for processes that only read it. */
export class CommitWatch implements Service {
  readonly name = 'commits of the store';
  readonly #keeper: ConnectionKeeper;
  #version = 0;

  constructor({ url, schema, clock, log }: CommitWatchOptions) {
    this.#keeper = new ConnectionKeeper({
      settings: { url, schema, readOnly: true },
      clock,
      log,
      test: usualTest,
      prepare: async (connection) => {
        connection.onNotification(() => {
          this.#version += 1;
        });
        await connection.script(`listen ${identifier(channelOf(schema))}`);
        this.#version += 1;
      },
    });
  }

  /** Number of commits so far that may have changed the store; without a connection each call may be after one. */
  get version(): number {
    if (!this.#keeper.isConnected) this.#version += 1;
    return this.#version;
  }

  /** @throws StoreError */
  start(_signal: AbortSignal): Promise<void> {
    return this.#keeper.start();
  }

  stop(): Promise<void> {
    return this.#keeper.stop();
  }
}
