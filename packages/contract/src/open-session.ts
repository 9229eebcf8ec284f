import { ProblemError } from './problem-error.ts';

/** The ID of the open session that prevents a new one; undefined: the refusal has another reason. */
export function openSessionIn(error: unknown): string | undefined {
  if (!(error instanceof ProblemError) || error.body.code !== 'session_exists') return undefined;
  const [open] = error.body.diagnostics ?? [];
  const id: unknown = typeof open === 'object' && open !== null ? Reflect.get(open, 'session_id') : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** The running jobs that prevent a session and that can be stopped, by name; empty: the refusal has another reason. */
export function blockingJobsIn(error: unknown): readonly string[] {
  if (!(error instanceof ProblemError) || error.body.code !== 'session_refused') return [];
  return (error.body.diagnostics ?? []).flatMap((entry) => {
    const job: unknown = typeof entry === 'object' && entry !== null ? Reflect.get(entry, 'job_name') : undefined;
    return typeof job === 'string' ? [job] : [];
  });
}
