import { ProblemError } from './problem-error.ts';

/** The id of the session that keeps another from beginning; undefined: the refusal is about something else. */
export function openSessionIn(error: unknown): string | undefined {
  if (!(error instanceof ProblemError) || error.body.code !== 'session_exists') return undefined;
  const [open] = error.body.diagnostics ?? [];
  const id: unknown = typeof open === 'object' && open !== null ? Reflect.get(open, 'session_id') : undefined;
  return typeof id === 'string' ? id : undefined;
}
