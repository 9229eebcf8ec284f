import type { Alarm, AlarmNotice } from '@lcs/contract';
import { isAtLeast } from '@lcs/domain';
import { toTimestamp } from '@lcs/platform';
import type { Effects, LeaderContext, LeaderTransaction } from '../../leader-context.ts';
import { type StoredChannel, storedChannels } from './channel-store.ts';
import type { Notice } from './notice.ts';

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

/** Writes notices into the queues of channels, with the change that they tell of: a restart loses none. */
export class NoticeQueue {
  readonly #needs: Needs;
  readonly #wake: () => void;

  /** `wake` is called when something waits. */
  constructor(needs: Needs, wake: () => void) {
    this.#needs = needs;
    this.#wake = wake;
  }

  /** For each channel that is told of it. */
  async add(transaction: LeaderTransaction, effects: Effects, notice: AlarmNotice, alarm: Alarm): Promise<void> {
    const channels = (await storedChannels(transaction)).filter((channel) => isFor(channel, notice, alarm));
    for (const { channelId } of channels) await this.addTo(transaction, effects, channelId, notice, alarm);
  }

  /** For one channel. Resolves to the number of the delivery. */
  async addTo(
    transaction: LeaderTransaction,
    effects: Effects,
    channelId: string,
    notice: AlarmNotice,
    alarm: Alarm | null,
  ): Promise<number> {
    const now = Math.floor(this.#needs.clock.now());
    const told: Notice = { notice, leader: this.#needs.leader, timestamp: toTimestamp(now), alarm };
    const { id } = await transaction
      .insertInto('alarm_deliveries')
      .values({
        ...{ channel_id: channelId, alarm_id: alarm?.alarm_id ?? null, notice, payload: JSON.stringify(told) },
        ...{ created_at: now, next_at: now },
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    effects.afterCommit(this.#wake);
    return id;
  }
}
