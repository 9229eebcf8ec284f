import { minuteMs } from '@lcs/contract';
import type { Cancel, Service } from '@lcs/platform';
import type { LeaderContext } from '../../core/leader-context.ts';
import { type StoredChannel, storedChannels } from './channel-store.ts';
import type { Dispatcher } from './dispatcher.ts';

export interface PingsOptions {
  readonly context: Pick<LeaderContext, 'clock' | 'database' | 'log'>;
  readonly dispatcher: Pick<Dispatcher, 'ping'>;
  /** What keeps the leader from being well; undefined: nothing. */
  readonly trouble: () => string | undefined;
}

const lookMs = 30_000;

/**
 * Tells services outside that the leader is well, so that they alarm when it says nothing any more. It says so only after it
 * has written to its store and read from it.
 */
export class Pings implements Service {
  readonly name = 'pings to the outside';
  readonly #options: PingsOptions;
  readonly #lastMs = new Map<string, number>();
  #cancel: Cancel = () => {};
  #underWay: Promise<void> | undefined;

  constructor(options: PingsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#lastMs.clear();
    this.#cancel = this.#options.context.clock.every(lookMs, () => this.wake());
    this.wake();
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#underWay;
  }

  /** A channel may be due. */
  wake(): void {
    this.#underWay ??= this.#pingDue()
      .catch((error: unknown) => this.#options.context.log.error('No ping was sent', { error: String(error) }))
      .finally(() => {
        this.#underWay = undefined;
      });
  }

  async #pingDue(): Promise<void> {
    const { context, dispatcher, trouble } = this.#options;
    const channels = (await storedChannels(context.database.read)).filter((channel) => this.#isDue(channel));
    if (channels.length === 0) return;
    const reason = trouble();
    if (reason !== undefined) {
      context.log.warn('No ping is sent, since the leader is not well', { reason });
      return;
    }
    await Promise.all(
      channels.map(async (channel) => {
        this.#lastMs.set(channel.channelId, context.clock.monotonic());
        await this.#probeStore(channel);
        const { error } = await dispatcher.ping(channel);
        // Tried again at the next look: the service alarms after one that is missing.
        if (error !== null) this.#lastMs.delete(channel.channelId);
      }),
    );
  }

  #isDue({ channelId, kind, isEnabled, everyMinutes }: StoredChannel): boolean {
    if (kind !== 'ping' || !isEnabled) return false;
    const lastMs = this.#lastMs.get(channelId);
    return lastMs === undefined || this.#options.context.clock.monotonic() - lastMs >= (everyMinutes ?? 5) * minuteMs;
  }

  /** A store that does not take a write is not well. */
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
