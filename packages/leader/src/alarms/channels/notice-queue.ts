import type { Alarm, AlarmNotice } from '@lcs/contract';
import { isAtLeast } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import type { Effects, LeaderContext, LeaderTransaction } from '../../core/leader-context.ts';
import { type StoredChannel, storedChannels } from './channel-store.ts';
import { isGathered, type Notice } from './notice.ts';

type Needs = Pick<LeaderContext, 'leader' | 'clock'>;

/** Whether a channel is told of this. A drill is told everywhere. */
const isFor = (
  { kind, isEnabled, minSeverity, tellsReturn }: StoredChannel,
  notice: AlarmNotice,
  alarm: Alarm,
): boolean => {
  if (kind === 'ping' || !isEnabled) return false;
  if (notice === 'drill') return true;
  // The end of a drill is no news.
  if (alarm.rule === 'drill') return false;
  return isAtLeast(alarm.severity, minSeverity) && (notice !== 'returned' || tellsReturn);
};

/**
 * Letters that come so soon after one that went out at once wait for the end of this window, and become one letter: when a
 * switch of the network fails, every unit is an alarm.
 */
const windowMs = 10_000;

/** Writes notices into the queues of channels, with the change that they tell of: a restart loses none. */
export class NoticeQueue {
  readonly #needs: Needs;
  readonly #wake: () => void;
  /** When the last letter of each channel that went out at once was queued, in milliseconds since 1970. */
  readonly #windows = new Map<string, number>();

  /** `wake` is called when something waits. */
  constructor(needs: Needs, wake: () => void) {
    this.#needs = needs;
    this.#wake = wake;
  }

  /** For each channel that is told of it. */
  async add(transaction: LeaderTransaction, effects: Effects, notice: AlarmNotice, alarm: Alarm): Promise<void> {
    const channels = (await storedChannels(transaction)).filter((channel) => isFor(channel, notice, alarm));
    for (const channel of channels) await this.addTo(transaction, effects, channel, notice, alarm);
  }

  /** For one channel. Resolves to the number of the delivery. */
  async addTo(
    transaction: LeaderTransaction,
    effects: Effects,
    { channelId, kind }: Pick<StoredChannel, 'channelId' | 'kind'>,
    notice: AlarmNotice,
    alarm: Alarm | null,
  ): Promise<number> {
    const now = Math.floor(this.#needs.clock.now());
    const told: Notice = { notice, leader: this.#needs.leader, timestamp: toTimestamp(now), alarm };
    const { id } = await transaction
      .insertInto('alarm_deliveries')
      .values({
        channel_id: channelId,
        alarm_id: alarm?.alarm_id ?? null,
        notice,
        payload: JSON.stringify(told),
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
    // A clock that was set back begins a window of its own.
    if (fromMs !== undefined && now >= fromMs && now < fromMs + windowMs) return fromMs + windowMs;
    this.#windows.set(channelId, now);
    return now;
  }
}
