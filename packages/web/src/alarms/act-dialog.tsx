import type { Alarm } from '@lcs/contract';
import { Button, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { applyLiveEvent } from '../live/live-cache.ts';
import { useServices } from '../services/services.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';

interface ActDialogProps {
  readonly alarm: Alarm;
  readonly deed: 'acknowledge' | 'shelve';
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const spans = [
  { value: '15', label: '15 minutes' },
  { value: '60', label: '1 hour' },
  { value: '240', label: '4 hours' },
  { value: '720', label: '12 hours' },
  { value: '1440', label: '24 hours' },
];

/** Asks who acknowledges or shelves an alarm, and why. */
export function ActDialog({ alarm, deed, isOpen, onClose }: ActDialogProps) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const [author, setAuthor] = useState('');
  const [comment, setComment] = useState('');
  const [minutes, setMinutes] = useState('60');
  const act = useMutation({
    mutationFn: () => {
      const params = { alarm_id: alarm.alarm_id };
      const said = { author: author.trim() || null, comment: comment.trim() || null };
      return deed === 'acknowledge'
        ? leader.acknowledgeAlarm({ params, body: said })
        : leader.shelveAlarm({ params, body: { ...said, minutes: Number(minutes) } });
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
  const word = deed === 'acknowledge' ? 'Acknowledge' : 'Shelve';
  return (
    <Dialog title={`${word}: ${alarm.title}`} isOpen={isOpen} onClose={onClose} closesOutside={comment === ''}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Text size="sm">{alarm.message}</Text>
          {deed === 'shelve' && (
            <Select
              label="For"
              data={spans}
              value={minutes}
              allowDeselect={false}
              onChange={(value) => setMinutes(value ?? '60')}
              comboboxProps={{ withinPortal: false }}
              withScrollArea={false}
            />
          )}
          <TextInput
            label="Your name"
            maxLength={100}
            value={author}
            onChange={(event) => setAuthor(event.currentTarget.value)}
            data-autofocus
          />
          <TextInput
            label="Comment"
            description="What you found, or what you do about it"
            maxLength={1000}
            value={comment}
            onChange={(event) => setComment(event.currentTarget.value)}
          />
          {act.error && <ProblemAlert error={act.error} />}
          <DialogActions>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={act.isPending}>
              {word}
            </Button>
          </DialogActions>
        </Stack>
      </form>
    </Dialog>
  );
}
