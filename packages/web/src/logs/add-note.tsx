import { leaderApi } from '@lcs/contract';
import { Button, Select, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { useLeaderIdentity } from '../services/queries.ts';
import { useServices, useUnsavedWork } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import styles from './event-log.module.css';

interface AddNoteProps {
  readonly experiment: string;
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  /** The leader has stored the note. */
  readonly onAdded?: () => void;
}

/** Adds a person's note to the event log. */
export function AddNote({ experiment, units, nameOf, onAdded }: AddNoteProps) {
  const { leader } = useServices();
  const identity = useLeaderIdentity();
  const may = useMay();
  const mayNote = may(leaderApi.postUnitLog);
  const [message, setMessage] = useState('');
  const [unit, setUnit] = useState<string | null>(null);
  useUnsavedWork(message.trim() !== '');
  const note = useMutation({
    mutationFn: (reactor_unit: string) =>
      leader.postUnitLog({
        params: { reactor_unit, experiment },
        body: { message: message.trim(), level: 'NOTICE', source: 'ui', task: 'note' },
      }),
    onSuccess: () => {
      setMessage('');
      onAdded?.();
    },
  });
  // A note about the whole experiment has the leader as its unit.
  const about = unit ?? identity?.leader;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (about !== undefined && message.trim() !== '') note.mutate(about);
  };
  return (
    <form className={styles.note} onSubmit={submit}>
      <TextInput
        size="xs"
        aria-label="Note"
        placeholder="Note what you did or saw: sample taken, medium changed…"
        value={message}
        onChange={(event) => setMessage(event.currentTarget.value)}
        {...mayNote}
        className={styles.noteText}
        {...(note.error ? { error: problemText(note.error).error } : {})}
      />
      <Select
        size="xs"
        aria-label="About"
        placeholder="Whole experiment"
        clearable
        data={units.map((each) => ({ value: each, label: nameOf(each) }))}
        value={unit}
        onChange={setUnit}
        comboboxProps={{ withinPortal: false }}
        withScrollArea={false}
        className={styles.noteUnit}
      />
      <Button
        size="xs"
        type="submit"
        variant="default"
        disabled={message.trim() === ''}
        loading={note.isPending}
        {...mayNote}
      >
        Add note
      </Button>
    </form>
  );
}
