import { Button, Group, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useReducer } from 'react';
import { problemText } from '../api/problem.ts';
import { applyLiveEvent } from '../live/live-cache.ts';
import { useServices, useUnsavedWork } from '../services/services.tsx';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { Panel } from '../ui/panel.tsx';
import styles from './description-editor.module.css';
import { type Draft, isUnsaved, nextDraft } from './saved-draft.ts';

interface DescriptionEditorProps {
  readonly experiment: string;
  /** As the leader has it now. */
  readonly description: string;
}

/** After the last letter. */
const savePauseMs = 800;

const stateWords: { readonly [Phase in Draft['phase']]: string } = {
  settled: 'Saved',
  edited: 'Not saved yet',
  saving: 'Saving…',
  failed: 'Not saved',
  conflicting: 'Changed by someone else',
};

function SaveState({ draft }: { readonly draft: Draft }) {
  const isTrouble = draft.phase === 'failed' || draft.phase === 'conflicting';
  return (
    <span className={styles.state} data-trouble={isTrouble} role="status">
      {draft.phase === 'settled' && <CheckIcon size={14} />}
      {isTrouble && <WarningIcon size={14} />}
      {stateWords[draft.phase]}
    </span>
  );
}

/** The description, saved by itself while it is typed. */
export function DescriptionEditor({ experiment, description }: DescriptionEditorProps) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const [draft, tell] = useReducer(nextDraft, { phase: 'settled', text: description });
  const { text } = draft;
  useUnsavedWork(isUnsaved(draft));

  const saving = useMutation({
    mutationFn: (sent: string) => leader.updateExperiment({ params: { experiment }, body: { description: sent } }),
    onSuccess: (changed) => {
      applyLiveEvent(cache, 'experiment', changed, clock.now());
      tell({ type: 'answered', text: changed.description ?? '' });
    },
    onError: (error) => {
      const { error: what, cause } = problemText(error);
      tell({ type: 'refused', reason: what === cause ? what : `${what} ${cause}` });
    },
  });

  const save = (): void => {
    if (draft.phase !== 'edited' && draft.phase !== 'failed') return;
    tell({ type: 'sent' });
    saving.mutate(draft.text);
  };

  const saveAfterPause = useEffectEvent(save);
  // Each letter begins the pause anew.
  useEffect(() => (draft.phase === 'edited' ? clock.after(savePauseMs, saveAfterPause) : undefined), [draft, clock]);
  useEffect(() => tell({ type: 'heard', text: description }), [description]);

  return (
    <Panel title="Description" aside={<SaveState draft={draft} />}>
      <Textarea
        aria-label="Description"
        placeholder="What is this experiment about?"
        autosize
        minRows={3}
        maxRows={16}
        value={text}
        onChange={(event) => tell({ type: 'typed', text: event.currentTarget.value })}
        onBlur={() => draft.phase === 'edited' && save()}
      />
      {draft.phase === 'failed' && (
        <Group gap="xs" mt={8} justify="space-between">
          <Text size="sm" c="var(--mantine-color-error)">
            {draft.reason}
          </Text>
          <Button size="xs" variant="default" onClick={save}>
            Save again
          </Button>
        </Group>
      )}
      {draft.phase === 'conflicting' && (
        <div className={styles.conflict}>
          <Text size="sm">Someone else saved this description meanwhile:</Text>
          <blockquote className={styles.theirs}>{draft.theirs === '' ? '(empty)' : draft.theirs}</blockquote>
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={() => tell({ type: 'took theirs' })}>
              Use theirs
            </Button>
            <Button size="xs" variant="default" onClick={() => tell({ type: 'kept mine' })}>
              Keep mine
            </Button>
          </Group>
        </div>
      )}
    </Panel>
  );
}
