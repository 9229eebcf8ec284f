import { Skeleton, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { protocolsWords } from '../words/protocols.ts';
import { markText } from './mark-text.ts';
import styles from './protocols.module.css';
import { marksInOrder, timelineOf } from './timeline-layout.ts';
import { usePlan } from './use-profile-file.ts';

/** So many steps are listed; the editor shows all. */
const mostSteps = 30;

/** What a profile does on one unit, each step in a sentence. The plan is made when somebody opens it. */
export function ProfileSteps({ text, name }: { readonly text: string; readonly name: string }) {
  const [isOpen, setOpen] = useState(false);
  const { data: plan, error } = usePlan(text, undefined, isOpen);
  const marks = useMemo(() => {
    const [unit] = plan === undefined ? [] : timelineOf(plan).units;
    return unit && marksInOrder(unit);
  }, [plan]);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-label={protocolsWords.stepsOf(name)}>{protocolsWords.steps}</summary>
      {error !== null && <ProblemAlert error={error} />}
      {isOpen && marks === undefined && error === null && (
        <Skeleton height={60} role="status" aria-label={protocolsWords.loadingSteps} />
      )}
      <ol className={styles.steps} aria-label={protocolsWords.stepsOf(name)}>
        {marks?.slice(0, mostSteps).map((mark) => (
          <li key={`${mark.action.path} ${mark.action.iteration} ${mark.action.at_s}`}>{markText(mark)}</li>
        ))}
      </ol>
      {marks !== undefined && marks.length > mostSteps && <Text size="sm">{protocolsWords.moreStepsFollow}</Text>}
    </details>
  );
}
