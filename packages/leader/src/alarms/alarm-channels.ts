import { type AlarmChannel, type AlarmChannelChange, type AlarmChannelCreation, ApiError } from '@lcs/contract';
import type { LeaderContext, LeaderTransaction } from '../core/leader-context.ts';
import { checkedChannel } from './channel-rules.ts';
import type { ChannelSecrets } from './channels/channel-secrets.ts';
import { channelById, listedChannels, type StoredChannel } from './channels/channel-store.ts';
import { insideAddressFault } from './channels/outside-settings.ts';

type Needs = Pick<LeaderContext, 'change' | 'clock' | 'database' | 'dataFolder' | 'newId' | 'units' | 'wire'>;

const changeable = 'name, is_enabled, min_severity, remind_hours, tells_return, to, url, secret, method, every_minutes';

const columnsOf = (channel: Omit<StoredChannel, 'channelId'>) => ({
  kind: channel.kind,
  name: channel.name,
  is_enabled: Number(channel.isEnabled),
  url: channel.url,
  min_severity: channel.minSeverity,
  remind_hours: channel.remindHours,
  secret: channel.secret,
  tells_return: Number(channel.notifiesReturn),
  recipients: JSON.stringify(channel.recipients),
  method: channel.method,
  every_minutes: channel.everyMinutes,
});

/** The channels, with the changes that people make. */
export class AlarmChannels {
  readonly #needs: Needs;
  readonly #secrets: ChannelSecrets;
  readonly #onChange: () => void;

  /** `onChange` is called when a change of a channel is on disk. */
  constructor(needs: Needs, secrets: ChannelSecrets, onChange: () => void) {
    this.#needs = needs;
    this.#secrets = secrets;
    this.#onChange = onChange;
  }

  /** @throws ApiError alarm_channel_invalid, alarm_channel_name_taken */
  async create(creation: AlarmChannelCreation): Promise<AlarmChannel> {
    const channel = checkedChannel(creation, undefined, this.#secrets.seal);
    await this.#expectOutside(creation.url);
    const channelId = this.#needs.newId();
    const now = Math.floor(this.#needs.clock.now());
    await this.#needs.change(async (transaction, { logEvent, afterCommit }) => {
      await expectFreeName(transaction, channel.name, channelId);
      await transaction
        .insertInto('alarm_channels')
        .values({ channel_id: channelId, ...columnsOf(channel), created_at: now, changed_at: now })
        .execute();
      await logEvent({ level: 'INFO', message: `Channel of alarms ${channel.name} added.`, task: 'alarm_channel' });
      afterCommit(this.#onChange);
    });
    return this.#listed(channelId);
  }

  /** @throws ApiError alarm_channel_not_found, alarm_channel_invalid, alarm_channel_name_taken, nothing_to_change */
  async update(channelId: string, change: AlarmChannelChange): Promise<AlarmChannel> {
    if (Object.keys(change).length === 0) throw new ApiError('nothing_to_change', { fields: changeable });
    await this.mustExist(channelId);
    await this.#expectOutside(change.url);
    const now = Math.floor(this.#needs.clock.now());
    await this.#needs.change(async (transaction, { logEvent, afterCommit }) => {
      const before = await channelById(transaction, channelId);
      if (before === undefined) throw new ApiError('alarm_channel_not_found', { channel: channelId });
      const channel = checkedChannel({ ...change, kind: before.kind }, before, this.#secrets.seal);
      await expectFreeName(transaction, channel.name, channelId);
      await transaction
        .updateTable('alarm_channels')
        .set({ ...columnsOf(channel), changed_at: now })
        .where('channel_id', '=', channelId)
        .execute();
      await logEvent({ level: 'INFO', message: `Channel of alarms ${channel.name} changed.`, task: 'alarm_channel' });
      afterCommit(this.#onChange);
    });
    return this.#listed(channelId);
  }

  /** @throws ApiError alarm_channel_not_found */
  async remove(channelId: string): Promise<void> {
    await this.#needs.change(async (transaction, { logEvent }) => {
      const before = await channelById(transaction, channelId);
      if (before === undefined) throw new ApiError('alarm_channel_not_found', { channel: channelId });
      await transaction.deleteFrom('alarm_channels').where('channel_id', '=', channelId).execute();
      await logEvent({ level: 'INFO', message: `Channel of alarms ${before.name} removed.`, task: 'alarm_channel' });
    });
  }

  /** @throws ApiError alarm_channel_not_found */
  async mustExist(channelId: string): Promise<void> {
    await this.#listed(channelId);
  }

  /** All channels as the API returns them. */
  list(): Promise<AlarmChannel[]> {
    return listedChannels(this.#needs.database.read, this.#secrets);
  }

  /** @throws ApiError alarm_channel_invalid for a URL into the cluster */
  async #expectOutside(url: string | undefined): Promise<void> {
    const cause = url === undefined ? undefined : await insideAddressFault(this.#needs, url.trim());
    if (cause !== undefined)
      throw new ApiError('alarm_channel_invalid', { cause, field: 'url' }, [{ field: 'url', message: cause }]);
  }

  async #listed(channelId: string): Promise<AlarmChannel> {
    const [channel] = await listedChannels(this.#needs.database.read, this.#secrets, channelId);
    if (channel === undefined) throw new ApiError('alarm_channel_not_found', { channel: channelId });
    return channel;
  }
}

async function expectFreeName(transaction: LeaderTransaction, name: string, channelId: string): Promise<void> {
  const taken = await transaction
    .selectFrom('alarm_channels')
    .where('name', '=', name)
    .where('channel_id', '!=', channelId)
    .select('channel_id')
    .executeTakeFirst();
  if (taken !== undefined) throw new ApiError('alarm_channel_name_taken', { name });
}
