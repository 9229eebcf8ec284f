import { Select, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import { useExperiments } from '../services/queries.ts';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';
import { Timeline } from './timeline.tsx';
import { actionLineAt, isForEachUnit } from './timeline-layout.ts';
import { usePlan } from './use-profile-file.ts';

interface TimelinePanelProps {
  readonly text: string;
  /** Whether the text has no errors; undefined while it is checked. If it has some, the timeline of the text before stays. */
  readonly isValid: boolean | undefined;
  /** The line of the caret. */
  readonly caretLine: number;
  readonly onGoTo: (line: number, column: number) => void;
}

/** What the profile does, by unit and job, for the units of an experiment or those that the profile names. */
export function TimelinePanel({ text, isValid, caretLine, onGoTo }: TimelinePanelProps) {
  const [experiment, setExperiment] = useState<string | null>(null);
  const { data: experiments = [] } = useExperiments();
  const { data: plan, error } = usePlan(text, experiment ?? undefined, isValid ?? false);
  return (
    <Panel
      title={commonWords.timeline}
      aside={
        <Select
          size="xs"
          aria-label={protocolsWords.unitsOf}
          placeholder={commonWords.unitsInProfile}
          clearable
          searchable
          data={experiments.map((each) => each.experiment)}
          value={experiment}
          onChange={setExperiment}
        />
      }
    >
      {error !== null && <ProblemAlert error={error} />}
      {isValid === false && (
        <Text size="sm" c="dimmed">
          {protocolsWords.ofTextBefore}
        </Text>
      )}
      {plan === undefined && isValid !== false && error === null && (
        <Skeleton height={160} role="status" aria-label={commonWords.loadingTimeline} />
      )}
      {plan !== undefined && (
        <Timeline
          plan={plan}
          unitName={experiment === null && isForEachUnit(plan) ? protocolsWords.eachUnit : undefined}
          currentLine={actionLineAt(plan, caretLine)}
          onGoTo={onGoTo}
        />
      )}
    </Panel>
  );
}
