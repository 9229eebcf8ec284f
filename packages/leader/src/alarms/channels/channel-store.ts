import type {
  AlarmChannel,
  AlarmChannelKind,
  AlarmDelivery,
  AlarmDeliveryQuery,
  AlarmNotice,
  AlarmSeverity,
} from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import type { LeaderReader } from '../../queries/experiments.ts';
import { severityOf } from '../alarm-store.ts';
import type { ChannelSecrets } from './channel-secrets.ts';

/** A stored channel: not for responses. */
export interface StoredChannel {
  readonly channelId: string;
  readonly kind: AlarmChannelKind;
  readonly name: string;
  readonly isEnabled: boolean;
  readonly minSeverity: AlarmSeverity;
  /** 0: no reminders. */
  readonly remindHours: number;
  readonly notifiesReturn: boolean;
  readonly recipients: readonly string[];
  /** Sealed, like the secret. */
  readonly url: string | null;
  readonly secret: string | null;
  readonly method: 'GET' | 'POST' | null;
  readonly everyMinutes: number | null;
}

const kindOf = (text: string): AlarmChannelKind => (text === 'email' || text === 'webhook' ? text : 'ping');
const methodOf = (text: string | null): StoredChannel['method'] => (text === 'GET' || text === 'POST' ? text : null);

function addressesOf(json: string): readonly string[] {
  const list: unknown = JSON.parse(json);
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}

const rows = (database: LeaderReader) =>
  database.selectFrom('alarm_channels').selectAll().orderBy('created_at').orderBy('name');
type ChannelRow = Awaited<ReturnType<ReturnType<typeof rows>['executeTakeFirstOrThrow']>>;

const toStored = (row: ChannelRow): StoredChannel => ({
  channelId: row.channel_id,
  kind: kindOf(row.kind),
  name: row.name,
  isEnabled: row.is_enabled === 1,
  minSeverity: severityOf(row.min_severity),
  remindHours: row.remind_hours,
  notifiesReturn: row.tells_return === 1,
  recipients: addressesOf(row.recipients),
  url: row.url,
  secret: row.secret,
  method: methodOf(row.method),
  everyMinutes: row.every_minutes,
});

/** All channels, oldest first. */
export const storedChannels = async (database: LeaderReader): Promise<readonly StoredChannel[]> =>
  (await rows(database).execute()).map(toStored);

export async function channelById(database: LeaderReader, channelId: string): Promise<StoredChannel | undefined> {
  const row = await rows(database).where('channel_id', '=', channelId).executeTakeFirst();
  return row && toStored(row);
}

const momentOf = (at: number | null): string | null => (at === null ? null : toTimestamp(at));

/** All channels as the API returns them: without secrets, and without URLs that cannot be unsealed here. */
export async function listedChannels(
  database: LeaderReader,
  { unseal: opened }: Pick<ChannelSecrets, 'unseal'>,
  channelId?: string,
): Promise<AlarmChannel[]> {
  let found = rows(database);
  if (channelId !== undefined) found = found.where('channel_id', '=', channelId);
  const waiting = await database
    .selectFrom('alarm_deliveries')
    .where('state', '=', 'waiting')
    .groupBy('channel_id')
    .select(({ fn }) => ['channel_id', fn.countAll<number>().as('count')])
    .execute();
  return (await found.execute()).map((row) => ({
    channel_id: row.channel_id,
    kind: kindOf(row.kind),
    name: row.name,
    is_enabled: row.is_enabled === 1,
    min_severity: severityOf(row.min_severity),
    remind_hours: row.remind_hours,
    tells_return: row.tells_return === 1,
    to: [...addressesOf(row.recipients)],
    url: row.url === null ? null : (opened(row.url) ?? null),
    has_secret: row.secret !== null,
    method: methodOf(row.method),
    every_minutes: row.every_minutes,
    created_at: toTimestamp(row.created_at),
    changed_at: toTimestamp(row.changed_at),
    waiting: waiting.find(({ channel_id }) => channel_id === row.channel_id)?.count ?? 0,
    last_success_at: momentOf(row.last_success_at),
    last_error: row.last_error,
    last_error_at: momentOf(row.last_error_at),
  }));
}

const noticeOf = (text: string): AlarmNotice =>
  text === 'returned' || text === 'reminder' || text === 'drill' || text === 'test' ? text : 'raised';
const stateOf = (text: string): AlarmDelivery['state'] =>
  text === 'delivered' || text === 'given_up' ? text : 'waiting';

/** The deliveries of a channel, newest first. */
export async function listedDeliveries(
  database: LeaderReader,
  { channel, skip = 0, limit = 100 }: AlarmDeliveryQuery,
): Promise<AlarmDelivery[]> {
  let found = database
    .selectFrom('alarm_deliveries as d')
    .innerJoin('alarm_channels as c', 'c.channel_id', 'd.channel_id')
    .selectAll('d')
    .select('c.name')
    .orderBy('d.id', 'desc')
    .limit(limit)
    .offset(skip);
  if (channel !== undefined) found = found.where('d.channel_id', '=', channel);
  return (await found.execute()).map((row) => ({
    delivery_id: row.id,
    channel_id: row.channel_id,
    channel: row.name,
    alarm_id: row.alarm_id,
    notice: noticeOf(row.notice),
    state: stateOf(row.state),
    attempts: row.attempts,
    created_at: toTimestamp(row.created_at),
    next_at: momentOf(row.next_at),
    ended_at: momentOf(row.ended_at),
    error: row.error,
  }));
}
