import { leaderApi, type NoteKind } from '@lcs/contract';
import { Button, Group, Select, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { useServices, useUnsavedWork } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useLeaderNow } from '../services/use-ticking.ts';
import styles from './timeline.module.css';
import { emptyDraft, faultsOf, type NoteDraft, noteKinds, noteKindWords, noteOf } from './timeline-rows.ts';
import { useTimelineChanged } from './use-timeline.ts';

/** A note that is corrected. */
export interface EditedNote {
  readonly noteId: number;
  readonly draft: NoteDraft;
}

interface NoteFormProps {
  readonly experiment: string;
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  /** `null`: a new note. */
  readonly edited: EditedNote | null;
  readonly onDone: () => void;
}

const kindChoices = noteKinds.map((value) => ({ value, label: noteKindWords[value] }));
const isKind = (value: string | null): value is NoteKind => noteKinds.some((kind) => kind === value);

/** Writes or corrects a note or a sample, with its own time. */
export function NoteForm({ experiment, units, nameOf, edited, onDone }: NoteFormProps) {
  const { leader } = useServices();
  const may = useMay()(edited === null ? leaderApi.createNote : leaderApi.updateNote);
  const leaderNowMs = useLeaderNow();
  const changed = useTimelineChanged(experiment);
  const [draft, setDraft] = useState(edited?.draft ?? emptyDraft);
  const [isShowingFaults, showFaults] = useState(false);
  const change = (part: Partial<NoteDraft>): void => setDraft((before) => ({ ...before, ...part }));
  const faults = isShowingFaults ? faultsOf(draft, leaderNowMs()) : {};
  useUnsavedWork(draft.text.trim() !== '' && draft !== edited?.draft);
  const saving = useMutation({
    mutationFn: () =>
      edited === null
        ? leader.createNote({ params: { experiment }, body: noteOf(draft) })
        : leader.updateNote({
            params: { experiment, note_id: String(edited.noteId) },
            body: noteOf(draft, edited.draft),
          }),
    onSuccess: async () => {
      setDraft(emptyDraft);
      showFaults(false);
      onDone();
      await changed();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    showFaults(true);
    if (Object.keys(faultsOf(draft, leaderNowMs())).length === 0) saving.mutate();
  };
  const problem = saving.error === null ? undefined : problemText(saving.error);
  return (
    <form
      className={styles.form}
      onSubmit={submit}
      aria-label={edited === null ? 'New note' : 'Correct a note'}
      data-edited={edited !== null || undefined}
    >
      {edited !== null && <h3 className={styles.editing}>Correct the note or sample</h3>}
      <Select
        label="Kind"
        data={kindChoices}
        value={draft.kind}
        allowDeselect={false}
        onChange={(value) => {
          if (isKind(value)) change({ kind: value });
        }}
        className={styles.kindField}
        comboboxProps={{ withinPortal: false }}
      />
      <TextInput
        label={draft.kind === 'note' ? 'Note' : 'Remark'}
        placeholder={draft.kind === 'note' ? 'What you did or saw' : 'Sample ID, purpose, analysis…'}
        value={draft.text}
        maxLength={10_000}
        error={faults.text ?? (problem && `${problem.error} ${problem.remediation}`)}
        onChange={(event) => change({ text: event.currentTarget.value })}
        className={styles.textField}
      />
      {draft.kind !== 'note' && (
        <TextInput
          label="Volume (mL)"
          inputMode="decimal"
          value={draft.volume}
          error={faults.volume}
          onChange={(event) => change({ volume: event.currentTarget.value })}
          className={styles.volumeField}
        />
      )}
      <Select
        label="Unit"
        placeholder={draft.kind === 'note' ? 'Whole experiment' : 'Choose'}
        clearable={draft.kind === 'note'}
        data={units.map((value) => ({ value, label: nameOf(value) }))}
        value={draft.unit}
        error={faults.unit}
        onChange={(unit) => change({ unit })}
        className={styles.unitField}
        comboboxProps={{ withinPortal: false }}
      />
      <TextInput
        type="datetime-local"
        step={1}
        label="Time (empty: now)"
        value={draft.moment}
        error={faults.moment}
        onChange={(event) => change({ moment: event.currentTarget.value })}
        className={styles.timeField}
      />
      <Group gap="xs" className={styles.formActions}>
        <Button type="submit" variant={edited === null ? 'default' : 'filled'} loading={saving.isPending} {...may}>
          {edited === null ? 'Add' : 'Save'}
        </Button>
        {edited !== null && (
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
        )}
      </Group>
    </form>
  );
}
