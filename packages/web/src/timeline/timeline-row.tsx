import { leaderApi, type TimelineEntry, type TimelineKind } from '@lcs/contract';
import { ActionIcon, Menu } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useMay } from '../services/use-may.ts';
import { localTimeText, utcText } from '../time/moment-text.ts';
import { BellIcon, DotsIcon, DropIcon, ListIcon, NoteIcon, PersonIcon, PowerIcon, SlidersIcon } from '../ui/icons.tsx';
import { plainWords } from '../ui/plain-words.ts';
import styles from './timeline.module.css';
import { kindWords, rowText } from './timeline-rows.ts';

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
  readonly entry: TimelineEntry;
  readonly name: string | null;
  readonly isChosen: boolean;
  readonly onShow: (entry: TimelineEntry) => void;
  readonly onEdit: (entry: TimelineEntry) => void;
  readonly onRemove: (entry: TimelineEntry) => void;
}

/** Who caused it; nothing of an automation, which is in the reason. Interfaces stand for a person without an account. */
function authorText(by: string): string {
  if (/^(ui|user|cli|mqtt|http)$/i.test(by)) return 'by hand';
  return by.includes(':') ? '' : `by ${by}`;
}

function NoteMenu({ entry, onEdit, onRemove }: Pick<RowProps, 'entry' | 'onEdit' | 'onRemove'>) {
  const may = useMay();
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label="Actions for this note">
          <DotsIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onEdit(entry)} {...may(leaderApi.updateNote)}>
          Correct…
        </Menu.Item>
        <Menu.Item color="red" onClick={() => onRemove(entry)} {...may(leaderApi.deleteNote)}>
          Remove…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** One entry: when, where, what, why and by whom; its time leads to the charts. */
export function TimelineRow({ entry, name, isChosen, onShow, onEdit, onRemove }: RowProps) {
  const { kind, at, text, why, by, refused, severity } = entry;
  const ms = Date.parse(at);
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'center' });
  }, [isChosen]);
  const isFault = refused || severity === 'error' || severity === 'critical';
  return (
    <li
      ref={row}
      className={styles.row}
      data-kind={kind}
      data-fault={isFault || undefined}
      data-chosen={isChosen || undefined}
    >
      <button
        type="button"
        className={styles.time}
        title={`${utcText(ms)}: show it on the charts`}
        aria-label={`${localTimeText(ms)}: show on the charts`}
        onClick={() => onShow(entry)}
      >
        <time dateTime={at}>{localTimeText(ms)}</time>
      </button>
      <span className={styles.icon} title={kindWords[kind]}>
        {kindIcons[kind]}
      </span>
      <span className={styles.unit}>{name ?? ''}</span>
      <span className={styles.what}>
        <span className={styles.text}>{rowText(text)}</span>
        {why !== null && <span className={styles.why}>{plainWords(why)}</span>}
        {by !== null && <span className={styles.by}>{authorText(by)}</span>}
      </span>
      {entry.note !== null && <NoteMenu entry={entry} onEdit={onEdit} onRemove={onRemove} />}
    </li>
  );
}
