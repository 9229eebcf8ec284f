import type { ErrorComponentProps } from '@tanstack/react-router';
import { ProblemAlert } from '../ui/problem-alert.tsx';

/** Instead of a page that could not be drawn or loaded; the frame around it stays. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  return <ProblemAlert error={error} onRetry={reset} />;
}
