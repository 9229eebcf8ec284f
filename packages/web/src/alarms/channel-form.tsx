import { type AlarmChannel, type AlarmChannelChange, type AlarmChannelKind, alarmSeverities } from '@lcs/contract';
import { useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import type { FieldDescriptor, FieldRows } from '../forms/form-field.tsx';
import { FormDialog, useRequestForm } from '../forms/request-form.tsx';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { alarmsWords } from '../words/alarms.ts';
import { commonWords } from '../words/common.ts';
import { severityLabels } from './alarm-labels.ts';

interface ChannelFormProps {
  /** Absent: a new one. */
  readonly channel?: AlarmChannel;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const kinds: readonly { readonly value: AlarmChannelKind; readonly label: string }[] = [
  { value: 'email', label: alarmsWords.email },
  { value: 'webhook', label: alarmsWords.webhook },
  { value: 'ping', label: alarmsWords.heartbeatToExternalMonitor },
];
const severities = alarmSeverities.map((value) => ({ value, label: alarmsWords.andWorse(severityLabels[value]) }));
const methods = ['GET', 'POST'].map((value) => ({ value, label: value }));

const address: FieldDescriptor = { kind: 'text', name: 'url', label: alarmsWords.address, placeholder: 'https://…' };
const noticeFields: FieldRows = [
  [
    { kind: 'choice', name: 'min_severity', label: alarmsWords.minimumSeverity, options: severities },
    {
      kind: 'number',
      name: 'remind_hours',
      label: alarmsWords.repeatEveryH,
      hint: alarmsWords.zeroMeansNever,
      min: 0,
      max: 168,
    },
  ],
  { kind: 'switch', name: 'tells_return', label: alarmsWords.alsoWhenItClears },
];

/** The fields that a channel of a kind has. */
function fieldsOf(kind: AlarmChannelKind, hasSecret: boolean): FieldRows {
  switch (kind) {
    case 'email':
      return [
        {
          kind: 'tags',
          name: 'to',
          label: commonWords.to,
          hint: alarmsWords.mailServerHelp,
        },
        ...noticeFields,
      ];
    case 'webhook': {
      const hint = hasSecret ? alarmsWords.secretIsSet : alarmsWords.secretHelp;
      return [address, { kind: 'secret', name: 'secret', label: alarmsWords.secret, hint }, ...noticeFields];
    }
    case 'ping':
      return [
        address,
        [
          { kind: 'choice', name: 'method', label: alarmsWords.method, options: methods },
          { kind: 'number', name: 'every_minutes', label: alarmsWords.everyMin, min: 1, max: 1440 },
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
    ...(channel === undefined
      ? [{ kind: 'choice', name: 'kind', label: commonWords.kind, options: kinds } as const]
      : []),
    { kind: 'text', name: 'name', label: commonWords.name, maxLength: 100 },
    ...fieldsOf(state.form.values.kind, channel?.has_secret ?? false),
    { kind: 'switch', name: 'is_enabled', label: alarmsWords.enabled },
  ];
  const title = channel === undefined ? alarmsWords.addNotification : alarmsWords.changeNamed(channel.name);
  return <FormDialog {...{ state, fields, title, isOpen, onClose }} size="lg" action={commonWords.save} noValidate />;
}
