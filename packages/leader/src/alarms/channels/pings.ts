import { minuteMs } from '@lcs/contract';
import type { Cancel, Service } from '@lcs/platform';
import type { LeaderContext } from '../../core/leader-context.ts';
import { type StoredChannel, storedChannels } from './channel-store.ts';
import type { Dispatcher } from './dispatcher.ts';

export interface PingsOptions {
  readonly context: Pick<LeaderContext, 'clock' | 'database' | 'log'>;
  readonly dispatcher: Pick<Dispatcher, 'ping'>;
  /** The fault of the leader; undefined: none. */
  readonly fault: () => string | undefined;
}

const checkIntervalMs = 30_000;

/**
 * Pings external monitors, which alert when the pings stop. The leader sends a ping only after a successful write to its store, and
 * while it has no fault.
 */
export class Pings implements Service {
  readonly name = 'pings to external monitors';
  readonly #options: PingsOptions;
  readonly #lastMs = new Map<string, number>();
  #cancel: Cancel = () => {};
  #running: Promise<void> | undefined;

  constructor(options: PingsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#lastMs.clear();
    this.#cancel = this.#options.context.clock.every(checkIntervalMs, () => this.wake());
    this.wake();
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#running;
  }

  /** A channel may be due. */
  wake(): void {
    this.#running ??= this.#pingDue()
      .catch((error: unknown) => this.#options.context.log.error('No ping was sent', { error: String(error) }))
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #pingDue(): Promise<void> {
    const { context, dispatcher } = this.#options;
    const channels = (await storedChannels(context.database.read)).filter((channel) => this.#isDue(channel));
    if (channels.length === 0) return;
    const fault = this.#options.fault();
    if (fault !== undefined) {
      context.log.warn('No ping was sent, because the leader has a fault', { fault });
      return;
    }
    await Promise.all(
      channels.map(async (channel) => {
        this.#lastMs.set(channel.channelId, context.clock.monotonic());
        await this.#probeStore(channel);
        const { error } = await dispatcher.ping(channel);
        // The next check repeats it: the monitor alerts after one missing ping.
        if (error !== null) this.#lastMs.delete(channel.channelId);
      }),
    );
  }

  #isDue({ channelId, kind, isEnabled, everyMinutes }: StoredChannel): boolean {
    if (kind !== 'ping' || !isEnabled) return false;
    const lastMs = this.#lastMs.get(channelId);
    return lastMs === undefined || this.#options.context.clock.monotonic() - lastMs >= (everyMinutes ?? 5) * minuteMs;
  }

  /** Rejects when the store refuses writes. */
  async #probeStore({ channelId }: StoredChannel): Promise<void> {
    await this.#options.context.database.write((transaction) =>
      transaction
        .updateTable('alarm_channels')
        .set(({ ref }) => ({ changed_at: ref('changed_at') }))
        .where('channel_id', '=', channelId)
        .execute(),
    );
  }
}
