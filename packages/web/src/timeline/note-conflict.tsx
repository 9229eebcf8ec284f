import type { ExperimentNote } from '@lcs/contract';
import { Button, Group, Text } from '@mantine/core';
import { localText } from '../time/moment-text.ts';
import { valueText } from '../ui/number-text.ts';
import { experimentWords } from '../words/experiment.ts';
import { timelineWords } from '../words/timeline.ts';
import styles from './timeline.module.css';
import { noteKindWords } from './timeline-rows.ts';

interface NoteConflictProps {
  readonly theirs: ExperimentNote;
  readonly nameOf: (unit: string) => string;
  readonly onTheirs: () => void;
  readonly onMine: () => void;
}

const noteText = ({ kind, text, volume_ml, reactor_unit }: ExperimentNote, nameOf: (unit: string) => string): string =>
  [
    kind === 'note' ? undefined : noteKindWords[kind],
    volume_ml === null ? undefined : `${valueText(volume_ml)} mL`,
    reactor_unit === null ? undefined : nameOf(reactor_unit),
    text,
  ]
    .filter(Boolean)
    .join(', ');

/** Two people have corrected a note: the person chooses which text stays. */
export function NoteConflict({ theirs, nameOf, onTheirs, onMine }: NoteConflictProps) {
  const savedMs = Date.parse(theirs.updated_at ?? theirs.created_at);
  return (
    <div className={styles.conflict} role="alert">
      <Text size="sm">{timelineWords.correctedMeanwhile(theirs.edited_by, localText(savedMs))}</Text>
      <blockquote className={styles.theirs}>{noteText(theirs, nameOf)}</blockquote>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={onTheirs}>
          {experimentWords.useTheirs}
        </Button>
        <Button size="xs" variant="default" onClick={onMine}>
          {experimentWords.keepMine}
        </Button>
      </Group>
    </div>
  );
}
