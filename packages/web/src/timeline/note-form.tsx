import { type ExperimentNote, leaderApi, ProblemError } from '@lcs/contract';
import { Button, CloseButton, FileButton, Group, Radio, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useRef, useState } from 'react';
import { plainWords } from '../api/plain-words.ts';
import { problemText } from '../api/problem.ts';
import { fieldFaults } from '../forms/field-faults.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { useFieldZone, useLeaderNow } from '../services/use-ticking.ts';
import { CameraIcon } from '../ui/icons.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { commonWords } from '../words/common.ts';
import { timelineWords } from '../words/timeline.ts';
import { uiWords } from '../words/ui.ts';
import { unitNameText } from '../words/unit-name.ts';
import { NoteConflict } from './note-conflict.tsx';
import { noteNow } from './note-now.ts';
import { photoTypes } from './photo-file.ts';
import { sendPhoto } from './send-photo.ts';
import styles from './timeline.module.css';
import { emptyDraft, faultsOf, type NoteDraft, noteKinds, noteKindWords, noteOf } from './timeline-rows.ts';
import { useTimelineChanged } from './use-timeline.ts';

/** A correction that is sent; `version` is that of the note on which it is based. */
interface Sent {
  readonly draft: NoteDraft;
  readonly version: number | undefined;
}

const isChangedMeanwhile = (error: unknown): boolean =>
  error instanceof ProblemError && error.body.code === 'note_changed';

/** A note that is corrected. */
export interface EditedNote {
  readonly noteId: number;
  /** The version that was opened. */
  readonly version: number;
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

/** What the leader refused, by field; what is about no field is shown at the text. */
function refusedFields(refusal: unknown): Partial<Record<keyof NoteDraft, string>> {
  const { timestamp, reactor_unit, volume_ml } = fieldFaults(refusal, ['timestamp', 'reactor_unit', 'volume_ml']);
  if (timestamp !== undefined) return { moment: plainWords(timestamp) };
  if (reactor_unit !== undefined) return { unit: plainWords(reactor_unit) };
  if (volume_ml !== undefined) return { volume: volume_ml };
  const { error, remediation } = problemText(refusal);
  return { text: `${error} ${remediation}` };
}

/** Writes or corrects a note or a sample, with its own time and photo. */
export function NoteForm({ experiment, units, unit, nameOf, edited, onDone }: NoteFormProps) {
  const { leader, toasts } = useServices();
  const may = useMay()(edited === null ? leaderApi.createNote : leaderApi.updateNote);
  const leaderNowMs = useLeaderNow();
  const changed = useTimelineChanged(experiment);
  const form = useForm<NoteDraft>({
    initialValues: edited?.draft ?? { ...emptyDraft, unit: unit ?? null },
    validate: (draft) => ({ ...faultsOf(draft, leaderNowMs()) }),
  });
  const { kind, text, moment } = form.values;
  const [photo, setPhoto] = useState<File | null>(null);
  const isUnsaved = (text.trim() !== '' && form.isDirty()) || photo !== null;
  /** A note whose photo is refused stays: the photo can be added to it later. */
  const createNote = async (draft: NoteDraft): Promise<void> => {
    const { note_id } = await leader.createNote({ params: { experiment }, body: noteOf(draft) });
    if (photo === null) return;
    const params = { experiment, note_id: String(note_id) };
    await sendPhoto({ leader, toasts }, params, photo).catch((error: unknown) => {
      toasts.want();
      notifications.show({ ...photoNotAdded(error), color: 'red', autoClose: false });
    });
  };
  /** What another person has saved since this note was opened. */
  const [theirs, setTheirs] = useState<ExperimentNote>();
  const saving = useMutation<unknown, Error, Sent>({
    mutationFn: ({ draft, version }) =>
      edited === null
        ? createNote(draft)
        : leader.updateNote({
            params: { experiment, note_id: String(edited.noteId) },
            body: { ...noteOf(draft, edited.draft), ...(version !== undefined && { based_on: version }) },
          }),
    onSuccess: async () => {
      form.setInitialValues(emptyDraft);
      form.reset();
      setPhoto(null);
      onDone();
      await changed();
    },
    onError: async (refusal) => {
      if (edited === null || !isChangedMeanwhile(refusal)) return form.setErrors(refusedFields(refusal));
      const present = await noteNow(leader, experiment, edited.noteId);
      if (present === undefined) form.setErrors({ text: timelineWords.noteIsGone });
      setTheirs(present);
    },
  });
  const zone = useFieldZone(moment);
  return (
    <form
      className={styles.form}
      onSubmit={form.onSubmit((draft) => saving.mutate({ draft, version: edited?.version }))}
      aria-label={edited === null ? timelineWords.newNote : timelineWords.correctNote}
      data-edited={edited !== null || undefined}
    >
      <LeaveGuard what={uiWords.theNote} isUnsaved={isUnsaved} />
      {edited !== null && <h3 className={styles.editing}>{timelineWords.correctNoteOrSample}</h3>}
      <Radio.Group label={commonWords.kind} {...form.getInputProps('kind')} className={styles.kindField}>
        <Group gap="sm" className={styles.kinds}>
          {noteKinds.map((value) => (
            <Radio key={value} value={value} label={noteKindWords[value]} />
          ))}
        </Group>
      </Radio.Group>
      <TextInput
        // Of the dialog.
        data-autofocus
        label={kind === 'note' ? commonWords.note : timelineWords.remark}
        placeholder={kind === 'note' ? timelineWords.whatYouDidOrSaw : timelineWords.sampleIdPurposeAnalysis}
        maxLength={10_000}
        {...form.getInputProps('text')}
        className={styles.textField}
      />
      {kind !== 'note' && (
        <TextInput
          label={timelineWords.volumeMl}
          inputMode="decimal"
          {...form.getInputProps('volume')}
          className={styles.volumeField}
        />
      )}
      <Select
        label={commonWords.unit}
        placeholder={kind === 'note' ? timelineWords.wholeExperiment : commonWords.choose}
        clearable={kind === 'note'}
        searchable
        selectFirstOptionOnChange
        data={units.map((value) => ({ value, label: unitNameText(value, nameOf(value)) }))}
        {...form.getInputProps('unit')}
        className={styles.unitField}
        comboboxProps={{ withinPortal: false }}
      />
      <TextInput
        type="datetime-local"
        step={1}
        label={timelineWords.timeInEmpty(zone)}
        {...form.getInputProps('moment')}
        className={styles.timeField}
      />
      {theirs !== undefined && (
        <NoteConflict
          theirs={theirs}
          nameOf={nameOf}
          onTheirs={() => {
            onDone();
            void changed();
          }}
          onMine={() => form.onSubmit((draft) => saving.mutate({ draft, version: theirs.version }))()}
        />
      )}
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
        {edited === null && (
          <span role="status">{saving.isSuccess && !form.isDirty() ? timelineWords.noteAdded : ''}</span>
        )}
      </Group>
    </form>
  );
}
