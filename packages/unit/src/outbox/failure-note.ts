import type { NewNote } from './new-record.ts';

interface FailedJob {
  readonly jobId: number;
  readonly jobName: string;
}

/** The note of a failed job that no response has reported; leaders raise an alarm on it. */
export const failureNote = ({ jobId: job_id, jobName: job_name }: FailedJob, experiment_uid: string, error?: string) =>
  ({
    ...({ kind: 'event', experiment_uid, name: 'job_ended', source: job_name, message: null } as const),
    data: { job_id, job_name, ok: false, ...(error !== undefined && { error }) },
  }) satisfies NewNote;
