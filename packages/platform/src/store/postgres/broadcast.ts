import type { Cancel, Clock } from '../../clock/clock.ts';
import type { Service } from '../../lifecycle/in-order.ts';
import type { Log } from '../../log/log.ts';
import { type ActiveState, processSchema } from './active-lock.ts';
import { ConnectionKeeper, type ConnectionTest, usualTest } from './connection-keeper.ts';
import { identifier } from './identifier.ts';
import { PartAssembly, partsOf } from './notification-parts.ts';
import { connectionLost, toPostgresError } from './postgres-errors.ts';

interface BroadcastOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  readonly channel: string;
  /** The wire clock. */
  readonly clock: Clock;
  readonly log: Log;
}

export interface BroadcasterOptions extends BroadcastOptions {
  readonly active: ActiveState;
  /** The share of the server's queue from which on nothing is sent. A full one would let commits fail. */
  readonly fullAt?: number;
}

const measureEveryMs = 1_000;
/** 80 MiB of usually 8 GiB: a listener that stands still keeps everything that is sent in the queue. */
const usuallyFullAt = 0.01;

/** Sends texts to all processes that listen, as long as this one is the active process of its database. */
export class Broadcaster implements Service {
  readonly name = 'broadcast';
  readonly #options: BroadcasterOptions;
  readonly #keeper: ConnectionKeeper;
  #isFull = false;
  #measuring: Promise<void> = Promise.resolve();
  #cancel: Cancel = () => {};

  constructor(options: BroadcasterOptions) {
    this.#options = options;
    const { url, clock, log } = options;
    this.#keeper = new ConnectionKeeper({
      settings: { url, schema: processSchema, readOnly: true },
      clock,
      log,
      test: usualTest,
      prepare: (connection) => connection.script('set synchronous_commit = off'),
    });
  }

  /** Whether texts can be sent at the moment. */
  get isOpen(): boolean {
    return this.#keeper.isConnected && !this.#isFull;
  }

  /** @throws StoreError */
  async start(_signal: AbortSignal): Promise<void> {
    await this.#keeper.start();
    this.#cancel = this.#options.clock.every(measureEveryMs, () => {
      this.#measuring = this.#measuring.then(() => this.#measure());
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#keeper.stop();
    await this.#measuring;
  }

  /**
   * Resolves when the server has it: who listens gets it, or loses its connection.
   * @throws StoreError
   */
  async send(text: string): Promise<void> {
    if (!this.isOpen) throw connectionLost();
    const { connection } = this.#keeper;
    // One that was suspended may not know yet that another process is active.
    if (!(await this.#options.active.isConfirmed(connection))) throw connectionLost();
    await connection.run({
      text: 'select pg_notify($1, part) from unnest($2::text[]) part',
      values: [this.#options.channel, partsOf(text)],
    });
  }

  async #measure(): Promise<void> {
    if (!this.#keeper.isConnected) return;
    const { log, fullAt = usuallyFullAt } = this.#options;
    try {
      const text = 'select pg_notification_queue_usage() as usage';
      const { rows } = await this.#keeper.connection.run({ text, values: [] });
      const usage = Number(rows[0]?.usage);
      const isFull = usage > fullAt;
      if (isFull && !this.#isFull)
        log.warn('A process that listens at the database stands still: others get no events by it', { usage });
      this.#isFull = isFull;
    } catch (error) {
      log.debug('Cannot read how full the queue of notifications is', { error: toPostgresError(error).message });
    }
  }
}

export interface BroadcastListenerOptions extends BroadcastOptions {
  /** In the order of the texts. It must not throw. */
  readonly onText: (text: string) => void;
  /** The connection has ended, or does not answer: texts may be missing from now on. */
  readonly onLost: () => void;
  readonly test?: ConnectionTest;
}

/** Receives the texts of the active process. */
export class BroadcastListener implements Service {
  readonly name = 'broadcast';
  readonly #keeper: ConnectionKeeper;

  constructor({ url, channel, clock, log, onText, onLost, test = usualTest }: BroadcastListenerOptions) {
    this.#keeper = new ConnectionKeeper({
      settings: { url, schema: processSchema, readOnly: true },
      clock,
      log,
      test,
      prepare: async (connection) => {
        const assembly = new PartAssembly();
        connection.onNotification((_channel, payload) => {
          const text = assembly.add(payload);
          if (text !== undefined) onText(text);
        });
        void connection.ended.then(onLost);
        await connection.script(`listen ${identifier(channel)}`);
      },
    });
  }

  /** Whether each text that is sent from now on is received, or the loss of the connection is reported. */
  get isListening(): boolean {
    return this.#keeper.isConnected;
  }

  /** @throws StoreError */
  start(_signal: AbortSignal): Promise<void> {
    return this.#keeper.start();
  }

  stop(): Promise<void> {
    return this.#keeper.stop();
  }
}
