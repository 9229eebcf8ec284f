import { type AlarmChannelChange, type AlarmChannelKind, ApiError } from '@lcs/contract';
import type { StoredChannel } from './channels/channel-store.ts';

type Channel = Omit<StoredChannel, 'channelId'>;

interface Fault {
  readonly field: string;
  readonly message: string;
}

const defaults = (kind: AlarmChannelKind): Channel => ({
  kind,
  name: '',
  isEnabled: true,
  minSeverity: 'warning',
  remindHours: 0,
  notifiesReturn: true,
  recipients: [],
  url: null,
  secret: null,
  method: kind === 'ping' ? 'GET' : null,
  everyMinutes: kind === 'ping' ? 5 : null,
});

/** One e-mail address, without a name and without characters that could add a second one. */
const address = /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/;

function urlFault(url: string): string | undefined {
  if (!URL.canParse(url)) return 'Enter an address such as https://example.org/alarm.';
  const { protocol, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return 'The address must begin with http or https.';
  return username || password ? 'The address must not contain a user name or password.' : undefined;
}

/** The settings that a kind of channel does not use. */
const unusedFields: { readonly [Kind in AlarmChannelKind]: readonly (keyof AlarmChannelChange)[] } = {
  email: ['url', 'secret', 'method', 'every_minutes'],
  webhook: ['to', 'method', 'every_minutes'],
  ping: ['to', 'secret', 'min_severity', 'remind_hours', 'tells_return'],
};

function* faultsOf(sent: AlarmChannelChange, channel: Channel): Generator<Fault> {
  const { kind, name, recipients, url } = channel;
  if (name === '') yield { field: 'name', message: 'Enter a name.' };
  if (/\p{Cc}/u.test(name) || !name.isWellFormed())
    yield { field: 'name', message: 'The name contains characters that are not allowed.' };
  for (const field of unusedFields[kind])
    if (sent[field] !== undefined) yield { field, message: `A channel of kind ${kind} has no ${field}.` };
  if (kind === 'email' && recipients.length === 0) yield { field: 'to', message: 'Enter at least one e-mail address.' };
  for (const each of recipients)
    if (!address.test(each)) yield { field: 'to', message: `'${each}' is not a valid e-mail address.` };
  if (kind === 'email') return;
  // A stored URL is sealed and was checked before.
  const newUrlFault = sent.url === undefined ? undefined : urlFault(sent.url.trim());
  const message = url === null ? 'Enter an address.' : newUrlFault;
  if (message !== undefined) yield { field: 'url', message };
}

/**
 * The channel after a change, with sealed URL and secret; `before` undefined: a new channel.
 * @throws ApiError alarm_channel_invalid, each fault with its field
 */
export function checkedChannel(
  sent: AlarmChannelChange & { readonly kind: AlarmChannelKind },
  before: Channel | undefined,
  seal: (text: string) => string,
): Channel {
  const start = before ?? defaults(sent.kind);
  const channel: Channel = {
    kind: start.kind,
    name: sent.name?.trim() ?? start.name,
    isEnabled: sent.is_enabled ?? start.isEnabled,
    minSeverity: sent.min_severity ?? start.minSeverity,
    remindHours: sent.remind_hours ?? start.remindHours,
    notifiesReturn: sent.tells_return ?? start.notifiesReturn,
    recipients: sent.to?.map((each) => each.trim()) ?? start.recipients,
    url: sent.url === undefined ? start.url : seal(sent.url.trim()),
    secret: sent.secret === undefined ? start.secret : sent.secret ? seal(sent.secret) : null,
    method: sent.method ?? start.method,
    everyMinutes: sent.every_minutes ?? start.everyMinutes,
  };
  const faults = [...faultsOf(sent, channel)];
  const [first] = faults;
  if (first !== undefined)
    throw new ApiError('alarm_channel_invalid', { cause: first.message, field: first.field }, faults);
  return channel;
}
