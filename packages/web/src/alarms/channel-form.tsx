import {
  type AlarmChannel,
  type AlarmChannelChange,
  type AlarmChannelKind,
  type AlarmSeverity,
  alarmSeverities,
} from '@lcs/contract';
import { Button, Group, NumberInput, PasswordInput, Select, Stack, Switch, TagsInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useUnsavedWork } from '../services/use-unsaved-work.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { fieldFaults, severityWords } from './alarm-words.ts';

interface ChannelFormProps {
  /** Absent: a new one. */
  readonly channel?: AlarmChannel;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

interface Values {
  readonly kind: AlarmChannelKind;
  readonly name: string;
  readonly is_enabled: boolean;
  readonly min_severity: AlarmSeverity;
  readonly remind_hours: number;
  readonly tells_return: boolean;
  readonly to: string[];
  readonly url: string;
  readonly secret: string;
  readonly method: 'GET' | 'POST';
  readonly every_minutes: number;
}

const kinds: readonly { readonly value: AlarmChannelKind; readonly label: string }[] = [
  { value: 'email', label: 'E-mail' },
  { value: 'webhook', label: 'Webhook' },
  { value: 'ping', label: 'Ping to an outside watch' },
];
const severities = alarmSeverities.map((value) => ({ value, label: `${severityWords[value]} and worse` }));

/** What a kind has, and no more: the leader refuses the rest. */
function bodyOf(values: Values): AlarmChannelChange & { name: string } {
  const { kind, name, is_enabled, min_severity, remind_hours, tells_return, to, url, secret, method, every_minutes } =
    values;
  const shared = { name, is_enabled };
  if (kind === 'ping') return { ...shared, url, method, every_minutes };
  const told = { ...shared, min_severity, remind_hours, tells_return };
  return kind === 'email' ? { ...told, to } : { ...told, url, ...(secret === '' ? {} : { secret }) };
}

const startOf = (channel: AlarmChannel | undefined): Values => ({
  kind: channel?.kind ?? 'email',
  name: channel?.name ?? '',
  is_enabled: channel?.is_enabled ?? true,
  min_severity: channel?.min_severity ?? 'warning',
  remind_hours: channel?.remind_hours ?? 0,
  tells_return: channel?.tells_return ?? true,
  to: [...(channel?.to ?? [])],
  url: channel?.url ?? '',
  secret: '',
  method: channel?.method ?? 'GET',
  every_minutes: channel?.every_minutes ?? 5,
});

/** Adds or changes a channel. */
export function ChannelForm({ channel, isOpen, onClose }: ChannelFormProps) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const form = useForm<Values>({ initialValues: startOf(channel) });
  const save = useMutation({
    mutationFn: (values: Values) =>
      channel === undefined
        ? leader.createAlarmChannel({ body: { ...bodyOf(values), kind: values.kind } })
        : leader.updateAlarmChannel({ params: { channel_id: channel.channel_id }, body: bodyOf(values) }),
    onSuccess: async () => {
      await cache.invalidateQueries({ queryKey: queryKeys.alarmChannels });
      onClose();
    },
    onError: (error) => form.setErrors({ ...fieldFaults(error, 'field') }),
  });
  useUnsavedWork(isOpen && form.isDirty());
  const { kind } = form.values;
  const isAboutField = Object.keys(fieldFaults(save.error, 'field')).length > 0;
  return (
    <Dialog
      title={channel === undefined ? 'New channel' : `Change ${channel.name}`}
      isOpen={isOpen}
      onClose={onClose}
      closesOutside={!form.isDirty()}
      size="lg"
    >
      <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
        <Stack gap="sm">
          {channel === undefined && (
            <Select
              label="Kind"
              data={kinds}
              allowDeselect={false}
              comboboxProps={{ withinPortal: false }}
              {...form.getInputProps('kind')}
            />
          )}
          <TextInput label="Name" maxLength={100} {...form.getInputProps('name')} />
          {kind === 'email' && (
            <TagsInput
              label="To"
              description="Addresses; how letters leave stands in [smtp] of leader.ini"
              comboboxProps={{ withinPortal: false }}
              {...form.getInputProps('to')}
            />
          )}
          {kind !== 'email' && <TextInput label="Address" placeholder="https://…" {...form.getInputProps('url')} />}
          {kind === 'webhook' && (
            <PasswordInput
              label="Secret"
              description={
                channel?.has_secret ? 'There is one; it stays unless you type another' : 'Signs what is sent; optional'
              }
              autoComplete="new-password"
              {...form.getInputProps('secret')}
            />
          )}
          {kind === 'ping' && (
            <Group grow align="start">
              <Select
                label="Method"
                data={['GET', 'POST']}
                allowDeselect={false}
                comboboxProps={{ withinPortal: false }}
                {...form.getInputProps('method')}
              />
              <NumberInput label="Every (minutes)" min={1} max={1440} {...form.getInputProps('every_minutes')} />
            </Group>
          )}
          {kind !== 'ping' && (
            <>
              <Group grow align="start">
                <Select
                  label="Tells"
                  data={severities}
                  allowDeselect={false}
                  comboboxProps={{ withinPortal: false }}
                  {...form.getInputProps('min_severity')}
                />
                <NumberInput
                  label="Reminds every (hours)"
                  description="0: never"
                  min={0}
                  max={168}
                  {...form.getInputProps('remind_hours')}
                />
              </Group>
              <Switch
                label="Tells the end of a condition too"
                {...form.getInputProps('tells_return', { type: 'checkbox' })}
              />
            </>
          )}
          <Switch label="Switched on" {...form.getInputProps('is_enabled', { type: 'checkbox' })} />
          {save.error && !isAboutField && <ProblemAlert error={save.error} />}
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
