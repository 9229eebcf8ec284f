import { Alert, Button, Text } from '@mantine/core';
import { WarningIcon } from '../ui/icons.tsx';
import { jobsWords } from '../words/jobs.ts';

/** The end of a long form may be out of view: a question must be visible. */
const show = (element: HTMLElement | null): void => element?.scrollIntoView({ block: 'nearest' });

interface TargetQuestionProps {
  /** What is doubtful, of each unit. */
  readonly texts: readonly string[];
  readonly action: 'start' | 'change';
  readonly onConfirm: () => void;
}

/** Asks a second time before a target is sent that no culture reaches soon. */
export const TargetQuestion = ({ texts, action, onConfirm }: TargetQuestionProps) => (
  <Alert ref={show} color="orange" variant="light" icon={<WarningIcon />} aria-label={jobsWords.targetIsFar}>
    <Text fw={600} size="sm">
      {jobsWords.targetIsFar}
    </Text>
    {texts.map((text) => (
      <Text key={text} size="sm">
        {text}
      </Text>
    ))}
    <Text size="sm">{jobsWords.nothingDosedUntilThen}</Text>
    <Button size="xs" color="red.9" mt="xs" onClick={onConfirm}>
      {jobsWords.confirmFarTarget[action]}
    </Button>
  </Alert>
);
