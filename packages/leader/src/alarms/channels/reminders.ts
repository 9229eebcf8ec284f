import { hourMs, minuteMs } from '@lcs/contract';
import { isAtLeast, needsAttention } from '@lcs/domain';
import type { Cancel, Service } from '@lcs/platform';
import type { LeaderContext } from '../../core/leader-context.ts';
import type { AlarmRegistry } from '../alarm-registry.ts';
import { toAlarm } from '../alarm-store.ts';
import { storedChannels } from './channel-store.ts';
import type { NoticeQueue } from './notice-queue.ts';

export interface RemindersOptions {
  readonly context: Pick<LeaderContext, 'change' | 'clock' | 'database' | 'log'>;
  readonly registry: Pick<AlarmRegistry, 'open'>;
  readonly queue: NoticeQueue;
}

const checkIntervalMs = 5 * minuteMs;

/** Repeats the notices of unacknowledged alarms, at the interval of each channel. */
export class Reminders implements Service {
  readonly name = 'alarm reminders';
  readonly #options: RemindersOptions;
  #cancel: Cancel = () => {};
  #running: Promise<void> | undefined;

  constructor(options: RemindersOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { context } = this.#options;
    this.#cancel = context.clock.every(checkIntervalMs, () => {
      this.#running ??= this.remind()
        .catch((error: unknown) =>
          context.log.error('Reminders of alarms could not be queued', { error: String(error) }),
        )
        .finally(() => {
          this.#running = undefined;
        });
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#running;
  }

  /** Queues the reminders that are due. */
  async remind(): Promise<void> {
    const { context, registry, queue } = this.#options;
    const waiting = registry.open().filter(({ life, rule }) => needsAttention(life) && rule !== 'drill');
    if (waiting.length === 0) return;
    const channels = (await storedChannels(context.database.read)).filter(
      ({ kind, isEnabled, remindHours }) => kind !== 'ping' && isEnabled && remindHours > 0,
    );
    for (const channel of channels) {
      const { channelId, remindHours, minSeverity } = channel;
      for (const stored of waiting.filter(({ severity }) => isAtLeast(severity, minSeverity))) {
        const last = await this.#lastNotice(channelId, stored.alarmId);
        if (last === undefined || context.clock.now() - last < remindHours * hourMs) continue;
        await context.change(async (transaction, effects) => {
          await queue.addTo(transaction, effects, channel, 'reminder', toAlarm(stored));
        });
      }
    }
  }

  /** The time of the channel's last notice of an alarm; undefined: it received none. */
  async #lastNotice(channelId: string, alarmId: string): Promise<number | undefined> {
    const row = await this.#options.context.database.read
      .selectFrom('alarm_deliveries')
      .where('alarm_id', '=', alarmId)
      .where('channel_id', '=', channelId)
      .orderBy('created_at', 'desc')
      .select('created_at')
      .limit(1)
      .executeTakeFirst();
    return row?.created_at;
  }
}
