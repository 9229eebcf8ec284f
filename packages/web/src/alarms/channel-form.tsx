import { type AlarmChannel, type AlarmChannelChange, type AlarmChannelKind, alarmSeverities } from '@lcs/contract';
import { Button, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { queryKeys } from '../api/query-keys.ts';
import { fieldFaults } from '../forms/field-faults.ts';
import { type FieldDescriptor, FormFields, type FormValues, useFormValues } from '../forms/form-field.tsx';
import { useServices, useUnsavedWork } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
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

const kindOf = ({ kind }: FormValues): AlarmChannelKind => kinds.find(({ value }) => value === kind)?.value ?? 'email';

const address: FieldDescriptor = { kind: 'text', name: 'url', label: 'Address', placeholder: 'https://…' };
const noticeFields: readonly (FieldDescriptor | readonly FieldDescriptor[])[] = [
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
function fieldsOf(
  kind: AlarmChannelKind,
  hasSecret: boolean,
): readonly (FieldDescriptor | readonly FieldDescriptor[])[] {
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
function bodyOf(values: FormValues): AlarmChannelChange & { name: string } {
  const kind = kindOf(values);
  const secret = String(values.secret);
  const shared = { name: String(values.name), is_enabled: values.is_enabled === true };
  if (kind === 'ping')
    return {
      ...shared,
      url: String(values.url),
      method: values.method === 'POST' ? 'POST' : 'GET',
      every_minutes: Number(values.every_minutes),
    };
  const notices = {
    ...shared,
    min_severity: alarmSeverities.find((each) => each === values.min_severity) ?? 'warning',
    remind_hours: Number(values.remind_hours),
    tells_return: values.tells_return === true,
  };
  if (kind === 'email') return { ...notices, to: Array.isArray(values.to) ? [...values.to] : [] };
  return { ...notices, url: String(values.url), ...(secret !== '' && { secret }) };
}

const initialValues = (channel: AlarmChannel | undefined): FormValues => ({
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

/** Adds or changes a channel. */
export function ChannelForm({ channel, isOpen, onClose }: ChannelFormProps) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const { values, set, isDirty } = useFormValues(() => initialValues(channel));
  const kind = kindOf(values);
  const save = useMutation({
    mutationFn: (sent: FormValues) =>
      channel === undefined
        ? leader.createAlarmChannel({ body: { ...bodyOf(sent), kind } })
        : leader.updateAlarmChannel({ params: { channel_id: channel.channel_id }, body: bodyOf(sent) }),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: queryKeys.alarmChannels });
      onClose();
    },
  });
  useUnsavedWork(isOpen && isDirty);
  const fields: readonly (FieldDescriptor | readonly FieldDescriptor[])[] = [
    ...(channel === undefined ? [{ kind: 'choice', name: 'kind', label: 'Kind', options: kinds } as const] : []),
    { kind: 'text', name: 'name', label: 'Name', maxLength: 100 },
    ...fieldsOf(kind, channel?.has_secret ?? false),
    { kind: 'switch', name: 'is_enabled', label: 'Enabled' },
  ];
  const faults = fieldFaults(
    save.error,
    fields.flat().map(({ name }) => name),
  );
  // A fault disappears when its field is changed.
  const shownFaults = Object.fromEntries(
    Object.entries(faults).filter(([name]) => save.variables?.[name] === values[name]),
  );
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate(values);
  };
  return (
    <Dialog
      title={channel === undefined ? 'Add a notification' : `Change ${channel.name}`}
      isOpen={isOpen}
      onClose={onClose}
      closesOutside={!isDirty}
      size="lg"
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <FormFields fields={fields} values={values} faults={shownFaults} onChange={set} />
          {save.error && Object.keys(faults).length === 0 && <ProblemAlert error={save.error} />}
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
