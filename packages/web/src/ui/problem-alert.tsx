import { Alert, Button, Text } from '@mantine/core';
import { problemText } from '../api/problem.ts';
import { commonWords } from '../words/common.ts';
import { WarningIcon } from './icons.tsx';

interface ProblemAlertProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  readonly retrying?: boolean;
}

/** Shows what failed, why, and what to do next. */
export function ProblemAlert({ error, onRetry, retrying = false }: ProblemAlertProps) {
  const problem = problemText(error);
  return (
    <Alert color="red" variant="light" icon={<WarningIcon />} title={problem.error}>
      {problem.cause !== '' && problem.cause !== problem.error && <Text size="sm">{problem.cause}</Text>}
      <Text size="sm">{problem.remediation}</Text>
      {onRetry && (
        <Button mt="xs" size="xs" variant="default" onClick={onRetry} loading={retrying}>
          {commonWords.tryAgain}
        </Button>
      )}
    </Alert>
  );
}
