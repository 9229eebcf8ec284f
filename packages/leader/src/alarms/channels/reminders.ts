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
  readonly book: Pick<AlarmRegistry, 'open'>;
  readonly queue: NoticeQueue;
}

const lookMs = 5 * minuteMs;

/** Tells alarms again that nobody has acknowledged, as often as each channel wants it. */
export class Reminders implements Service {
  readonly name = 'reminders of alarms';
  readonly #options: RemindersOptions;
  #cancel: Cancel = () => {};
  #underWay: Promise<void> | undefined;

  constructor(options: RemindersOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { context } = this.#options;
    this.#cancel = context.clock.every(lookMs, () => {
      this.#underWay ??= this.look()
        .catch((error: unknown) => context.log.error('Nobody could be reminded of alarms', { error: String(error) }))
        .finally(() => {
          this.#underWay = undefined;
        });
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#underWay;
  }

  async look(): Promise<void> {
    const { context, book, queue } = this.#options;
    const waiting = book.open().filter(({ life, rule }) => needsAttention(life) && rule !== 'drill');
    if (waiting.length === 0) return;
    const channels = (await storedChannels(context.database.read)).filter(
      ({ kind, isEnabled, remindHours }) => kind !== 'ping' && isEnabled && remindHours > 0,
    );
    for (const channel of channels) {
      const { channelId, remindHours, minSeverity } = channel;
      for (const stored of waiting.filter(({ severity }) => isAtLeast(severity, minSeverity))) {
        const last = await this.#lastTold(channelId, stored.alarmId);
        if (last === undefined || context.clock.now() - last < remindHours * hourMs) continue;
        await context.change(async (transaction, effects) => {
          await queue.addTo(transaction, effects, channel, 'reminder', toAlarm(stored));
        });
      }
    }
  }

  /** When the channel was last told of an alarm; undefined: never, so that there is nothing to remind of. */
  async #lastTold(channelId: string, alarmId: string): Promise<number | undefined> {
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
