import type { FinishedTask, TaskRecord as TaskAnswer, UnfinishedTask } from '@lcs/contract';
import { toTimestamp } from '../clock/timestamp.ts';
import type { FinishedTaskRecord, TaskRecord, UnfinishedTaskRecord } from '../tasks/task-record.ts';

/** Where a task of this node is polled. */
export const resultPath = (taskId: string): string => `/unit_api/task_results/${taskId}`;

const commonPart = ({ taskId, message, createdAt, startedAt, finishedAt }: TaskRecord) => ({
  task_id: taskId,
  result_url_path: resultPath(taskId),
  message,
  created_at: toTimestamp(createdAt),
  started_at: startedAt === null ? null : toTimestamp(startedAt),
  finished_at: finishedAt === null ? null : toTimestamp(finishedAt),
});

const unfinishedAnswer = (record: UnfinishedTaskRecord): UnfinishedTask => ({
  ...commonPart(record),
  status: record.status,
  progress: record.progress,
});

const finishedAnswer = (record: FinishedTaskRecord): FinishedTask =>
  record.status === 'succeeded'
    ? { ...commonPart(record), status: record.status, result: record.result }
    : { ...commonPart(record), status: record.status, ...record.error };

/** A task as the interface shows it, with the status of the poll: 202 until it has ended. */
export function taskPoll(
  record: TaskRecord,
): { readonly status: 200; readonly body: FinishedTask } | { readonly status: 202; readonly body: UnfinishedTask } {
  return record.finishedAt === null
    ? { status: 202, body: unfinishedAnswer(record) }
    : { status: 200, body: finishedAnswer(record) };
}

/** A task as the interface shows it. */
export const taskAnswer = (record: TaskRecord): TaskAnswer => taskPoll(record).body;
