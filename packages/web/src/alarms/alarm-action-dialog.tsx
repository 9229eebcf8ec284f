import type { Alarm } from '@lcs/contract';
import { Button, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { type FieldDescriptor, FormFields, useFormValues } from '../forms/form-field.tsx';
import { applyLiveEvent } from '../live/live-cache.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { plainWords } from '../ui/plain-words.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';

/** What a person does with an alarm and explains. */
export type OperatorAction = 'acknowledge' | 'shelve';

interface AlarmActionDialogProps {
  readonly alarm: Alarm;
  readonly action: OperatorAction;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const durations = [
  { value: '15', label: '15 minutes' },
  { value: '60', label: '1 hour' },
  { value: '240', label: '4 hours' },
  { value: '720', label: '12 hours' },
  { value: '1440', label: '24 hours' },
];

const durationField: FieldDescriptor = { kind: 'choice', name: 'minutes', label: 'For', options: durations };
const remarkFields: readonly FieldDescriptor[] = [
  { kind: 'text', name: 'author', label: 'Your name', maxLength: 100, isFirst: true },
  {
    kind: 'text',
    name: 'comment',
    label: 'Comment',
    hint: 'What you found or did',
    maxLength: 1000,
  },
];

/** Asks who acknowledges or shelves an alarm, and why. */
export function AlarmActionDialog({ alarm, action, isOpen, onClose }: AlarmActionDialogProps) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const { values, set, isChanged } = useFormValues(() => ({ minutes: '60', author: '', comment: '' }));
  const textOf = (name: string): string | null => String(values[name]).trim() || null;
  const act = useMutation({
    mutationFn: () => {
      const params = { alarm_id: alarm.alarm_id };
      const remark = { author: textOf('author'), comment: textOf('comment') };
      return action === 'acknowledge'
        ? leader.acknowledgeAlarm({ params, body: remark })
        : leader.shelveAlarm({ params, body: { ...remark, minutes: Number(values.minutes) } });
    },
    onSuccess: (changed) => {
      applyLiveEvent(cache, 'alarm', changed, clock.now());
      onClose();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    act.mutate();
  };
  const label = action === 'acknowledge' ? 'Acknowledge' : 'Mute';
  return (
    <Dialog title={`${label}: ${alarm.title}`} isOpen={isOpen} onClose={onClose} closesOutside={!isChanged('comment')}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Text size="sm">{plainWords(alarm.message)}</Text>
          <FormFields
            fields={action === 'shelve' ? [durationField, ...remarkFields] : remarkFields}
            values={values}
            faults={{}}
            onChange={set}
          />
          {act.error && <ProblemAlert error={act.error} />}
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={act.isPending}>
              {label}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
