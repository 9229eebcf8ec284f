import type { Alarm } from '@lcs/contract';
import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { plainWords } from '../api/plain-words.ts';
import type { FieldDescriptor } from '../forms/form-field.tsx';
import { FormDialog, useRequestForm } from '../forms/request-form.tsx';
import { applyLiveEvent } from '../live/live-cache.ts';
import { useServices } from '../services/services.tsx';
import { useMutation } from '../services/use-mutation.ts';
import { alarmsWords } from '../words/alarms.ts';

/** What a person does with an alarm and explains. */
export type OperatorAction = 'acknowledge' | 'shelve';

interface AlarmActionDialogProps {
  readonly alarm: Alarm;
  readonly action: OperatorAction;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const durations = [
  { value: '15', label: alarmsWords.minutes15 },
  { value: '60', label: alarmsWords.hours1 },
  { value: '240', label: alarmsWords.hours4 },
  { value: '720', label: alarmsWords.hours12 },
  { value: '1440', label: alarmsWords.hours24 },
];

const durationField: FieldDescriptor = { kind: 'choice', name: 'minutes', label: alarmsWords.for, options: durations };
const remarkFields: readonly FieldDescriptor[] = [
  { kind: 'text', name: 'author', label: alarmsWords.yourName, maxLength: 100, isFirst: true },
  {
    kind: 'text',
    name: 'comment',
    label: alarmsWords.comment,
    hint: alarmsWords.whatYouFoundOrDid,
    maxLength: 1000,
  },
];

interface Remark {
  readonly minutes: string;
  readonly author: string;
  readonly comment: string;
}

/** Asks who acknowledges or shelves an alarm, and why. */
export function AlarmActionDialog({ alarm, action, isOpen, onClose }: AlarmActionDialogProps) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const act = useMutation({
    mutationFn: ({ minutes, ...entered }: Remark) => {
      const params = { alarm_id: alarm.alarm_id };
      const remark = { author: entered.author.trim() || null, comment: entered.comment.trim() || null };
      return action === 'acknowledge'
        ? leader.acknowledgeAlarm({ params, body: remark })
        : leader.shelveAlarm({ params, body: { ...remark, minutes: Number(minutes) } });
    },
    onSuccess: (changed) => {
      applyLiveEvent(cache, 'alarm', changed, clock.now());
      onClose();
    },
  });
  const state = useRequestForm(act, { initialValues: { minutes: '60', author: '', comment: '' } });
  const label = action === 'acknowledge' ? alarmsWords.acknowledge : alarmsWords.mute;
  return (
    <FormDialog
      {...{ state, isOpen, onClose }}
      title={`${label}: ${alarm.title}`}
      intro={<Text size="sm">{plainWords(alarm.message)}</Text>}
      fields={action === 'shelve' ? [durationField, ...remarkFields] : remarkFields}
      action={label}
    />
  );
}
