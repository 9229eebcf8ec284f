import type { Alarm, AlarmNotice } from '@lcs/contract';
import { isAtLeast } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import type { Effects, LeaderContext, LeaderTransaction } from '../../core/leader-context.ts';
import { type StoredChannel, storedChannels } from './channel-store.ts';
import { isGathered, type Notice } from './notice.ts';

type Needs = Pick<LeaderContext, 'leader' | 'clock'>;

/** Whether a channel receives this notice. A drill goes to all channels. */
const isFor = (
  { kind, isEnabled, minSeverity, notifiesReturn: tellsReturn }: StoredChannel,
  notice: AlarmNotice,
  alarm: Alarm,
): boolean => {
  if (kind === 'ping' || !isEnabled) return false;
  if (notice === 'drill') return true;
  // The end of a drill needs no notice.
  if (alarm.rule === 'drill') return false;
  return isAtLeast(alarm.severity, minSeverity) && (notice !== 'returned' || tellsReturn);
};

/**
 * After an e-mail that was sent at once, the notices of this window become one e-mail: when a network switch fails, every unit
 * raises an alarm.
 */
const windowMs = 10_000;

/** Writes notices into the queues of channels, in the transaction of the alarm's change: a restart loses none. */
export class NoticeQueue {
  readonly #needs: Needs;
  readonly #wake: () => void;
  /** When the last e-mail without a window was queued, by channel; milliseconds since 1970. */
  readonly #windows = new Map<string, number>();

  /** `wake` is called after notices were queued. */
  constructor(needs: Needs, wake: () => void) {
    this.#needs = needs;
    this.#wake = wake;
  }

  /** Queues the notice for each channel that receives it. */
  async add(transaction: LeaderTransaction, effects: Effects, notice: AlarmNotice, alarm: Alarm): Promise<void> {
    const channels = (await storedChannels(transaction)).filter((channel) => isFor(channel, notice, alarm));
    for (const channel of channels) await this.addTo(transaction, effects, channel, notice, alarm);
  }

  /** Queues the notice for one channel. Resolves to the number of the delivery. */
  async addTo(
    transaction: LeaderTransaction,
    effects: Effects,
    { channelId, kind }: Pick<StoredChannel, 'channelId' | 'kind'>,
    notice: AlarmNotice,
    alarm: Alarm | null,
  ): Promise<number> {
    const now = Math.floor(this.#needs.clock.now());
    const payload: Notice = { notice, leader: this.#needs.leader, timestamp: toTimestamp(now), alarm };
    const { id } = await transaction
      .insertInto('alarm_deliveries')
      .values({
        channel_id: channelId,
        alarm_id: alarm?.alarm_id ?? null,
        notice,
        payload: JSON.stringify(payload),
        created_at: now,
        next_at: kind === 'email' && isGathered(notice) ? this.#dueAt(channelId, now) : now,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    effects.afterCommit(this.#wake);
    return id;
  }

  #dueAt(channelId: string, now: number): number {
    const fromMs = this.#windows.get(channelId);
    // A clock that was set back starts a new window.
    if (fromMs !== undefined && now >= fromMs && now < fromMs + windowMs) return fromMs + windowMs;
    this.#windows.set(channelId, now);
    return now;
  }
}
