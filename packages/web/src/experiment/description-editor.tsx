import { leaderApi } from '@lcs/contract';
import { Button, Group, Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useReducer } from 'react';
import { problemText } from '../api/problem.ts';
import { applyLiveEvent } from '../live/live-cache.ts';
import { useServices, useUnsavedWork } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { Panel } from '../ui/panel.tsx';
import { commonWords } from '../words/common.ts';
import { experimentWords } from '../words/experiment.ts';
import styles from './description-editor.module.css';
import { type Draft, type DraftEvent, isUnsaved, nextDraft } from './saved-draft.ts';

interface DescriptionEditorProps {
  readonly experiment: string;
  /** The leader's text. */
  readonly description: string;
}

/** The pause after the last letter. */
const savePauseMs = 800;

const phaseText: { readonly [Phase in Draft['phase']]: string } = experimentWords.phaseText;

function SaveState({ draft }: { readonly draft: Draft }) {
  const isFault = draft.phase === 'failed' || draft.phase === 'conflicting';
  return (
    <span className={styles.state} data-fault={isFault} role="status">
      {draft.phase === 'settled' && <CheckIcon size={14} />}
      {isFault && <WarningIcon size={14} />}
      {phaseText[draft.phase]}
    </span>
  );
}

/** The draft of the description; it is saved when the typing pauses. */
function useSavedDraft({ experiment, description }: DescriptionEditorProps) {
  const { leader, clock } = useServices();
  const cache = useQueryClient();
  const [draft, dispatch] = useReducer(nextDraft, { phase: 'settled', text: description });
  useUnsavedWork(isUnsaved(draft));

  const saving = useMutation({
    mutationFn: (sent: string) => leader.updateExperiment({ params: { experiment }, body: { description: sent } }),
    onSuccess: (changed) => {
      applyLiveEvent(cache, 'experiment', changed, clock.now());
      dispatch({ type: 'saved', text: changed.description ?? '' });
    },
    onError: (error) => {
      const { error: what, cause } = problemText(error);
      dispatch({ type: 'refused', reason: what === cause ? what : `${what} ${cause}` });
    },
  });
  const save = (): void => {
    if (draft.phase !== 'edited' && draft.phase !== 'failed') return;
    dispatch({ type: 'sent' });
    saving.mutate(draft.text);
  };

  const saveAfterPause = useEffectEvent(save);
  // Each letter restarts the pause.
  useEffect(() => (draft.phase === 'edited' ? clock.after(savePauseMs, saveAfterPause) : undefined), [draft, clock]);
  useEffect(() => dispatch({ type: 'received', text: description }), [description]);
  return { draft, dispatch, save };
}

/** Another person has saved another text: the person chooses one. */
function Conflict({ theirs, dispatch }: { readonly theirs: string; readonly dispatch: (event: DraftEvent) => void }) {
  return (
    <div className={styles.conflict}>
      <Text size="sm">{experimentWords.savedBySomeoneElse}</Text>
      <blockquote className={styles.theirs}>{theirs === '' ? experimentWords.empty : theirs}</blockquote>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => dispatch({ type: 'theirs-accepted' })}>
          {experimentWords.useTheirs}
        </Button>
        <Button size="xs" variant="default" onClick={() => dispatch({ type: 'mine-kept' })}>
          {experimentWords.keepMine}
        </Button>
      </Group>
    </div>
  );
}

/** The description, saved while it is typed. */
export function DescriptionEditor(props: DescriptionEditorProps) {
  const { draft, dispatch, save } = useSavedDraft(props);
  const may = useMay();
  return (
    <Panel title={commonWords.description} aside={<SaveState draft={draft} />}>
      <Textarea
        aria-label={commonWords.description}
        placeholder={experimentWords.whatIsThisExperimentAbout}
        autosize
        minRows={3}
        maxRows={16}
        value={draft.text}
        onChange={(event) => dispatch({ type: 'typed', text: event.currentTarget.value })}
        onBlur={() => draft.phase === 'edited' && save()}
        {...(may(leaderApi.updateExperiment).disabled && { readOnly: true })}
      />
      {draft.phase === 'failed' && (
        <Group gap="xs" mt={8} justify="space-between">
          <Text size="sm" c="var(--mantine-color-error)">
            {draft.reason}
          </Text>
          <Button size="xs" variant="default" onClick={save}>
            {experimentWords.saveAgain}
          </Button>
        </Group>
      )}
      {draft.phase === 'conflicting' && <Conflict theirs={draft.theirs} dispatch={dispatch} />}
    </Panel>
  );
}
