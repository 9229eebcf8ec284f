import { NativeSelect, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { experimentsWithUnits, tileUnits } from '../now/cluster-state.ts';
import { useAssignments, useExperiments, useLabels } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { NoteForm } from '../timeline/note-form.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { commonWords } from '../words/common.ts';
import { paletteWords } from '../words/palette.ts';
import { timelineWords } from '../words/timeline.ts';
import { noteTarget, type PageSubject } from './note-target.ts';

interface NoteDialogProps {
  readonly page: PageSubject;
  readonly onClose: () => void;
}

interface NewNoteProps {
  readonly experiment: string;
  /** Chosen at first. */
  readonly unit: string | undefined;
  readonly onClose: () => void;
}

function NewNote({ experiment, unit: ofPage, onClose }: NewNoteProps) {
  const { data: assignments = [] } = useAssignments();
  const { data: labels = {} } = useLabels(experiment);
  const units = tileUnits(assignments, experiment).map(({ unit }) => unit);
  const { toasts } = useServices();
  const added = (): void => {
    toasts.want();
    notifications.show({
      message: timelineWords.noteAddedTo(experiment),
      color: 'green',
    });
    onClose();
  };
  return (
    <NoteForm
      experiment={experiment}
      units={units}
      unit={ofPage}
      nameOf={(unit) => labels[unit] ?? unit}
      edited={null}
      onDone={added}
    />
  );
}

/** A note to an experiment from any page. */
export default function NoteDialog({ page, onClose }: NoteDialogProps) {
  const { data: assignments = [] } = useAssignments();
  const { experiment, unit } = noteTarget(page, assignments);
  const { data: all = [] } = useExperiments();
  const running = experimentsWithUnits(assignments);
  const names = running.length > 0 ? running : all.slice(0, 1).map((newest) => newest.experiment);
  const choices = experiment === undefined || names.includes(experiment) ? names : [experiment, ...names];
  const [chosen = experiment ?? choices[0], choose] = useState<string>();
  return (
    <Dialog isOpen onClose={onClose} title={paletteWords.addNote}>
      <Stack gap="md">
        {choices.length > 1 && (
          <NativeSelect
            label={commonWords.experiment}
            data={[...choices]}
            value={chosen ?? ''}
            onChange={({ currentTarget: { value } }) => choose(value)}
          />
        )}
        {chosen === undefined ? (
          <Text size="sm">{timelineWords.noteBelongsToExperiment}</Text>
        ) : (
          <NewNote key={chosen} experiment={chosen} unit={chosen === experiment ? unit : undefined} onClose={onClose} />
        )}
      </Stack>
    </Dialog>
  );
}
