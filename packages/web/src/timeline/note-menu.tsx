import { leaderApi, type TimelineEntry } from '@lcs/contract';
import { ActionIcon, Menu } from '@mantine/core';
import { useRef } from 'react';
import { problemText } from '../api/problem.ts';
import { useMay } from '../services/use-may.ts';
import { DotsIcon } from '../ui/icons.tsx';
import { commonWords } from '../words/common.ts';
import { timelineWords } from '../words/timeline.ts';
import { photoTypes } from './photo-file.ts';
import styles from './timeline.module.css';
import { useNotePhoto } from './use-note-photo.ts';

interface NoteMenuProps {
  readonly experiment: string;
  readonly entry: TimelineEntry;
  readonly note: NonNullable<TimelineEntry['note']>;
  readonly onEdit: (entry: TimelineEntry) => void;
  readonly onRemove: (entry: TimelineEntry) => void;
}

/** What can be done with a note and its photo. */
export function NoteMenu({ experiment, entry, note, onEdit, onRemove }: NoteMenuProps) {
  const may = useMay();
  const picker = useRef<HTMLInputElement>(null);
  const { put, remove } = useNotePhoto(experiment, note.note_id);
  const error = put.error ?? remove.error;
  const problem = error === null ? undefined : problemText(error);
  return (
    <>
      <input
        ref={picker}
        type="file"
        hidden
        accept={photoTypes}
        aria-label={timelineWords.photoOfThisNote}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) put.mutate(file);
          // The same file can be chosen again.
          currentTarget.value = '';
        }}
      />
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            loading={put.isPending || remove.isPending}
            aria-label={timelineWords.actionsForThisNote}
          >
            <DotsIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => onEdit(entry)} {...may(leaderApi.updateNote)}>
            {timelineWords.correct}
          </Menu.Item>
          <Menu.Item onClick={() => picker.current?.click()} {...may(leaderApi.putNotePhoto)}>
            {note.photo === null ? timelineWords.addPhoto : timelineWords.replacePhoto}
          </Menu.Item>
          {note.photo !== null && (
            <Menu.Item onClick={() => remove.mutate()} {...may(leaderApi.deleteNotePhoto)}>
              {timelineWords.removePhoto}
            </Menu.Item>
          )}
          <Menu.Item color="red" onClick={() => onRemove(entry)} {...may(leaderApi.deleteNote)}>
            {commonWords.removeDialog}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {problem !== undefined && (
        <p className={styles.photoProblem} role="alert">
          {problem.error} {problem.cause} {problem.remediation}
        </p>
      )}
    </>
  );
}
