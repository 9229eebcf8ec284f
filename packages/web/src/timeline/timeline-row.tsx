import type { TimelineEntry, TimelineKind } from '@lcs/contract';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { plainSentence, plainWords } from '../api/plain-words.ts';
import { exactText, localText, secondText } from '../time/moment-text.ts';
import { BellIcon, DropIcon, ListIcon, NoteIcon, PersonIcon, PowerIcon, SlidersIcon } from '../ui/icons.tsx';
import type { RowPlace } from '../ui/long-table.tsx';
import { withLocalNumbers } from '../ui/number-text.ts';
import { timelineWords } from '../words/timeline.ts';
import { NoteMenu } from './note-menu.tsx';
import { NotePhotoButton } from './note-photo.tsx';
import styles from './timeline.module.css';
import { authorText, kindWords } from './timeline-rows.ts';

const kindIcons: { readonly [Kind in TimelineKind]: ReactNode } = {
  dose: <DropIcon />,
  setting: <SlidersIcon />,
  note: <NoteIcon />,
  alarm: <BellIcon />,
  profile: <ListIcon />,
  interruption: <PowerIcon />,
  action: <PersonIcon />,
};

interface RowProps {
  readonly experiment: string;
  readonly entry: TimelineEntry;
  readonly name: string | null;
  readonly isChosen: boolean;
  readonly place: RowPlace;
  readonly onShow: (entry: TimelineEntry) => void;
  readonly onEdit: (entry: TimelineEntry) => void;
  readonly onRemove: (entry: TimelineEntry) => void;
}

/** One entry: when, where, what, why and by whom; its time leads to the charts. */
export function TimelineRow({ experiment, entry, name, isChosen, place, onShow, onEdit, onRemove }: RowProps) {
  const { kind, at, why, by, refused, severity, note } = entry;
  const text = withLocalNumbers(entry.text, [entry.volumes_ml, entry.automation?.settings]);
  const ms = Date.parse(at);
  const time = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isChosen) time.current?.scrollIntoView({ block: 'center' });
  }, [isChosen]);
  const isFault = refused || severity === 'error' || severity === 'critical';
  return (
    <li
      {...place}
      className={styles.row}
      data-kind={kind}
      data-fault={isFault || undefined}
      data-chosen={isChosen || undefined}
    >
      <button
        ref={time}
        type="button"
        className={styles.time}
        title={timelineWords.showItOnCharts(exactText(ms))}
        aria-label={timelineWords.showOnCharts(secondText(ms))}
        onClick={() => onShow(entry)}
      >
        <time dateTime={at}>{secondText(ms)}</time>
      </button>
      <span className={styles.icon} title={kindWords[kind]}>
        {kindIcons[kind]}
      </span>
      <span className={styles.unit}>{name ?? ''}</span>
      <span className={styles.what}>
        <span className={styles.text}>{plainSentence(text)}</span>
        {why !== null && <span className={styles.why}>{plainWords(why)}</span>}
        {by !== null && <span className={styles.by}>{authorText(by)}</span>}
        {note !== null && note.edited_at !== null && (
          <span className={styles.by} title={exactText(Date.parse(note.edited_at))}>
            {timelineWords.edited(note.edited_by, localText(Date.parse(note.edited_at)))}
          </span>
        )}
        {kind === 'dose' && entry.reactor_unit !== null && (
          <Link
            to="/units/$unit"
            params={{ unit: entry.reactor_unit }}
            search={{ tab: 'why', at }}
            className="page-link"
            aria-label={timelineWords.whyThisDose(secondText(ms))}
          >
            {timelineWords.why}
          </Link>
        )}
        {note !== null && note.photo !== null && (
          <NotePhotoButton
            experiment={experiment}
            noteId={note.note_id}
            photo={note.photo}
            title={[name, plainSentence(text)].filter(Boolean).join(': ')}
          />
        )}
      </span>
      {note !== null && <NoteMenu {...{ experiment, entry, note, onEdit, onRemove }} />}
    </li>
  );
}
