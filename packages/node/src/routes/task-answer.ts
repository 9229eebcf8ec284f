import { type FinishedTask, PreparedJson, type TaskRecord as TaskAnswer, type UnfinishedTask } from '@lcs/contract';
import { type FinishedTaskRecord, type TaskRecord, toTimestamp, type UnfinishedTaskRecord } from '@lcs/platform';

/** The URL for polling a task of this node. */
export const resultPath = (taskId: string): string => `/unit_api/task_results/${taskId}`;

const commonPart = ({ taskId, message, startedBy, createdAt, startedAt, finishedAt }: TaskRecord) => ({
  task_id: taskId,
  result_url_path: resultPath(taskId),
  message,
  started_by: startedBy,
  created_at: toTimestamp(createdAt),
  started_at: startedAt === null ? null : toTimestamp(startedAt),
  finished_at: finishedAt === null ? null : toTimestamp(finishedAt),
});

const unfinishedAnswer = (record: UnfinishedTaskRecord): UnfinishedTask => ({
  ...commonPart(record),
  status: record.status,
  progress: record.progress,
});

function finishedAnswer(record: FinishedTaskRecord): FinishedTask | PreparedJson<FinishedTask> {
  const common = commonPart(record);
  if (record.status === 'failed') return { ...common, status: record.status, ...record.error };
  const { status, result } = record;
  if (!(result instanceof PreparedJson)) return { ...common, status, result };
  const withoutEnd = JSON.stringify({ ...common, status }).slice(0, -1);
  return PreparedJson.from<FinishedTask>(`${withoutEnd},"result":${result.text}}`);
}

/** A task in the HTTP interface, with the status of the poll: 202 until it has ended. */
export function taskPoll(
  record: TaskRecord,
):
  | { readonly status: 200; readonly body: FinishedTask | PreparedJson<FinishedTask> }
  | { readonly status: 202; readonly body: UnfinishedTask } {
  return record.finishedAt === null
    ? { status: 202, body: unfinishedAnswer(record) }
    : { status: 200, body: finishedAnswer(record) };
}

/** A task in an event; undefined: its result is too long. */
export function taskEvent(record: TaskRecord): TaskAnswer | undefined {
  const { body } = taskPoll(record);
  return body instanceof PreparedJson ? undefined : body;
}
