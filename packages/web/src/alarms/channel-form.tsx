import { type AlarmChannel, type AlarmChannelChange, type AlarmChannelKind, alarmSeverities } from '@lcs/contract';
import { useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import type { FieldDescriptor, FieldRows } from '../forms/form-field.tsx';
import { FormDialog, useRequestForm } from '../forms/request-form.tsx';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { severityLabels } from './alarm-labels.ts';

interface ChannelFormProps {
  /** Absent: a new one. */
  readonly channel?: AlarmChannel;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const kinds: readonly { readonly value: AlarmChannelKind; readonly label: string }[] = [
  { value: 'email', label: 'E-mail' },
  { value: 'webhook', label: 'Webhook' },
  { value: 'ping', label: 'Heartbeat to an external monitor' },
];
const severities = alarmSeverities.map((value) => ({ value, label: `${severityLabels[value]} and worse` }));
const methods = ['GET', 'POST'].map((value) => ({ value, label: value }));

const address: FieldDescriptor = { kind: 'text', name: 'url', label: 'Address', placeholder: 'https://…' };
const noticeFields: FieldRows = [
  [
    { kind: 'choice', name: 'min_severity', label: 'Minimum severity', options: severities },
    {
      kind: 'number',
      name: 'remind_hours',
      label: 'Repeat every (h)',
      hint: '0: never',
      min: 0,
      max: 168,
      hasSteps: true,
    },
  ],
  { kind: 'switch', name: 'tells_return', label: 'Also when it clears' },
];

/** The fields that a channel of a kind has. */
function fieldsOf(kind: AlarmChannelKind, hasSecret: boolean): FieldRows {
  switch (kind) {
    case 'email':
      return [
        {
          kind: 'tags',
          name: 'to',
          label: 'To',
          hint: 'Mail server: section [smtp] of leader.ini',
        },
        ...noticeFields,
      ];
    case 'webhook': {
      const hint = hasSecret
        ? 'A secret is set; it stays unless you enter another'
        : 'Optional; signs each notification';
      return [address, { kind: 'secret', name: 'secret', label: 'Secret', hint }, ...noticeFields];
    }
    case 'ping':
      return [
        address,
        [
          { kind: 'choice', name: 'method', label: 'Method', options: methods },
          { kind: 'number', name: 'every_minutes', label: 'Every (min)', min: 1, max: 1440, hasSteps: true },
        ],
      ];
  }
}

/** Only the fields of the kind: the leader refuses others. */
function bodyOf(values: ChannelValues): AlarmChannelChange & { name: string } {
  const { kind, name, is_enabled, url, method, min_severity, tells_return, secret } = values;
  const shared = { name, is_enabled };
  if (kind === 'ping') return { ...shared, url, method, every_minutes: Number(values.every_minutes) };
  const notices = { ...shared, min_severity, remind_hours: Number(values.remind_hours), tells_return };
  if (kind === 'email') return { ...notices, to: [...values.to] };
  return { ...notices, url, ...(secret !== '' && { secret }) };
}

const initialValues = (channel: AlarmChannel | undefined) => ({
  kind: channel?.kind ?? 'email',
  name: channel?.name ?? '',
  is_enabled: channel?.is_enabled ?? true,
  min_severity: channel?.min_severity ?? 'warning',
  remind_hours: channel?.remind_hours ?? 0,
  tells_return: channel?.tells_return ?? true,
  to: channel?.to ?? [],
  url: channel?.url ?? '',
  secret: '',
  method: channel?.method ?? 'GET',
  every_minutes: channel?.every_minutes ?? 5,
});

type ChannelValues = ReturnType<typeof initialValues>;

/** Adds or changes a channel. */
export function ChannelForm({ channel, isOpen, onClose }: ChannelFormProps) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const save = useMutation({
    mutationFn: (sent: ChannelValues) =>
      channel === undefined
        ? leader.createAlarmChannel({ body: { ...bodyOf(sent), kind: sent.kind } })
        : leader.updateAlarmChannel({ params: { channel_id: channel.channel_id }, body: bodyOf(sent) }),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: queryKeys.alarmChannels });
      onClose();
    },
  });
  const state = useRequestForm(save, { initialValues: initialValues(channel) });
  const fields: FieldRows = [
    ...(channel === undefined ? [{ kind: 'choice', name: 'kind', label: 'Kind', options: kinds } as const] : []),
    { kind: 'text', name: 'name', label: 'Name', maxLength: 100 },
    ...fieldsOf(state.form.values.kind, channel?.has_secret ?? false),
    { kind: 'switch', name: 'is_enabled', label: 'Enabled' },
  ];
  const title = channel === undefined ? 'Add a notification' : `Change ${channel.name}`;
  return <FormDialog {...{ state, fields, title, isOpen, onClose }} size="lg" action="Save" noValidate />;
}
