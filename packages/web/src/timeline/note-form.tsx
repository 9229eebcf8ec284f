import { leaderApi, type NoteKind } from '@lcs/contract';
import { Button, CloseButton, FileButton, Group, Select, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useRef, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { fieldFaults } from '../forms/field-faults.ts';
import { useServices, useUnsavedWork } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { useFieldZone, useLeaderNow } from '../services/use-ticking.ts';
import { CameraIcon } from '../ui/icons.tsx';
import { plainWords } from '../ui/plain-words.ts';
import { commonWords } from '../words/common.ts';
import { timelineWords } from '../words/timeline.ts';
import { photoTypes } from './photo-file.ts';
import { sendPhoto } from './send-photo.ts';
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
  /** Of the units, the one that a new note is about at first. */
  readonly unit?: string | undefined;
  readonly nameOf: (unit: string) => string;
  /** `null`: a new note. */
  readonly edited: EditedNote | null;
  readonly onDone: () => void;
}

const longestName = 24;
const shortName = (name: string): string => (name.length <= longestName ? name : `${name.slice(0, longestName - 1)}…`);

const kindChoices = noteKinds.map((value) => ({ value, label: noteKindWords[value] }));
const isKind = (value: string | null): value is NoteKind => noteKinds.some((kind) => kind === value);

const photoNotAdded = (error: unknown) => {
  const { cause, remediation } = problemText(error);
  return {
    title: timelineWords.savedWithoutPhoto,
    message: timelineWords.menuOfNoteAddsPhoto(cause, remediation),
  };
};

interface PhotoFieldProps {
  readonly photo: File | null;
  readonly onChange: (photo: File | null) => void;
}

/** Chooses the photo of a new note; a phone opens its camera. */
function PhotoField({ photo, onChange }: PhotoFieldProps) {
  const reset = useRef<() => void>(null);
  return (
    <Group gap={4}>
      <FileButton
        resetRef={reset}
        accept={photoTypes}
        capture="environment"
        inputProps={{ 'aria-label': timelineWords.photo }}
        onChange={onChange}
      >
        {(props) => (
          <Button variant="default" leftSection={<CameraIcon />} {...props}>
            {photo === null ? timelineWords.photo : shortName(photo.name)}
          </Button>
        )}
      </FileButton>
      {photo !== null && (
        <CloseButton
          aria-label={timelineWords.withoutPhoto}
          onClick={() => {
            reset.current?.();
            onChange(null);
          }}
        />
      )}
    </Group>
  );
}

/** Writes or corrects a note or a sample, with its own time and photo. */
export function NoteForm({ experiment, units, unit, nameOf, edited, onDone }: NoteFormProps) {
  const { leader, toasts } = useServices();
  const may = useMay()(edited === null ? leaderApi.createNote : leaderApi.updateNote);
  const leaderNowMs = useLeaderNow();
  const changed = useTimelineChanged(experiment);
  const [draft, setDraft] = useState(edited?.draft ?? { ...emptyDraft, unit: unit ?? null });
  const [photo, setPhoto] = useState<File | null>(null);
  const [isShowingFaults, showFaults] = useState(false);
  const change = (part: Partial<NoteDraft>): void => setDraft((before) => ({ ...before, ...part }));
  const faults = isShowingFaults ? faultsOf(draft, leaderNowMs()) : {};
  useUnsavedWork((draft.text.trim() !== '' && draft !== edited?.draft) || photo !== null);
  /** A note whose photo is refused stays: the photo can be added to it later. */
  const createNote = async (): Promise<void> => {
    const { note_id } = await leader.createNote({ params: { experiment }, body: noteOf(draft) });
    if (photo === null) return;
    const params = { experiment, note_id: String(note_id) };
    await sendPhoto({ leader, toasts }, params, photo).catch((error: unknown) => {
      toasts.want();
      notifications.show({ ...photoNotAdded(error), color: 'red', autoClose: false });
    });
  };
  const saving = useMutation<unknown>({
    mutationFn: () =>
      edited === null
        ? createNote()
        : leader.updateNote({
            params: { experiment, note_id: String(edited.noteId) },
            body: noteOf(draft, edited.draft),
          }),
    onSuccess: async () => {
      setDraft(emptyDraft);
      setPhoto(null);
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
  const zone = useFieldZone(draft.moment);
  const refused = fieldFaults(saving.error, ['timestamp', 'reactor_unit']);
  const isAtField = Object.keys(refused).length > 0;
  const problem = saving.error === null || isAtField ? undefined : problemText(saving.error);
  const momentFault = faults.moment ?? (refused.timestamp && plainWords(refused.timestamp));
  const unitFault = faults.unit ?? (refused.reactor_unit && plainWords(refused.reactor_unit));
  return (
    <form
      className={styles.form}
      onSubmit={submit}
      aria-label={edited === null ? timelineWords.newNote : timelineWords.correctNote}
      data-edited={edited !== null || undefined}
    >
      {edited !== null && <h3 className={styles.editing}>{timelineWords.correctNoteOrSample}</h3>}
      <Select
        label={commonWords.kind}
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
        // Of the dialog.
        data-autofocus
        label={draft.kind === 'note' ? commonWords.note : timelineWords.remark}
        placeholder={draft.kind === 'note' ? timelineWords.whatYouDidOrSaw : timelineWords.sampleIdPurposeAnalysis}
        value={draft.text}
        maxLength={10_000}
        error={faults.text ?? (problem && `${problem.error} ${problem.remediation}`)}
        onChange={(event) => change({ text: event.currentTarget.value })}
        className={styles.textField}
      />
      {draft.kind !== 'note' && (
        <TextInput
          label={timelineWords.volumeMl}
          inputMode="decimal"
          value={draft.volume}
          error={faults.volume}
          onChange={(event) => change({ volume: event.currentTarget.value })}
          className={styles.volumeField}
        />
      )}
      <Select
        label={commonWords.unit}
        placeholder={draft.kind === 'note' ? timelineWords.wholeExperiment : commonWords.choose}
        clearable={draft.kind === 'note'}
        data={units.map((value) => ({ value, label: nameOf(value) }))}
        value={draft.unit}
        error={unitFault}
        onChange={(chosen) => change({ unit: chosen })}
        className={styles.unitField}
        comboboxProps={{ withinPortal: false }}
      />
      <TextInput
        type="datetime-local"
        step={1}
        label={timelineWords.timeInEmpty(zone)}
        value={draft.moment}
        error={momentFault}
        onChange={(event) => change({ moment: event.currentTarget.value })}
        className={styles.timeField}
      />
      <Group gap="xs" className={styles.formActions}>
        {edited === null && <PhotoField photo={photo} onChange={setPhoto} />}
        <Button type="submit" variant={edited === null ? 'default' : 'filled'} loading={saving.isPending} {...may}>
          {edited === null ? commonWords.add : commonWords.save}
        </Button>
        {edited !== null && (
          <Button variant="default" onClick={onDone}>
            {commonWords.cancel}
          </Button>
        )}
      </Group>
    </form>
  );
}
