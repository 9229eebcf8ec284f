import { failureReason, nodeApi, type TaskRecord } from '@lcs/contract';
import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { plainWords } from '../api/plain-words.ts';
import { problemText, readable } from '../api/problem.ts';
import { queryKeys } from '../api/query-keys.ts';
import { useTask } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { commonWords } from '../words/common.ts';
import { tasksWords } from '../words/tasks.ts';

/** The titles of a task while it runs and when it has ended. */
export interface TaskLabels {
  readonly running: string;
  readonly succeeded: string;
  readonly failed: string;
  /** Whether the task can be stopped before its end without side effects. */
  readonly canBeCancelled: boolean;
}

interface TaskToastProps {
  readonly taskId: string;
  readonly labels: TaskLabels;
}

/** How long a success stays; a failure stays until it is closed. */
const successShownMs = 6000;

function Reason({ lines }: { readonly lines: readonly string[] }) {
  return [...new Set(lines)]
    .filter((line) => line !== '')
    .map((line) => (
      <Text key={line} size="sm">
        {line}
      </Text>
    ));
}

function Running({ task, taskId, labels }: TaskToastProps & { readonly task: TaskRecord | undefined }) {
  const { node } = useServices();
  const may = useMay();
  const cancel = useMutation({ mutationFn: () => node.cancelTask({ params: { task_id: taskId } }) });
  const progress = task && 'progress' in task ? task.progress : null;
  const percent = progress === null ? null : Math.round(progress * 100);
  return (
    <>
      <Text size="sm" fw={600}>
        {labels.running}
        {percent !== null && `: ${percent} %`}
      </Text>
      <Progress
        value={percent ?? 100}
        striped={percent === null}
        animated={percent === null}
        size="sm"
        aria-label={labels.running}
      />
      <Text size="sm" c="dimmed">
        {task?.message
          ? plainWords(task.message)
          : task?.status === 'running'
            ? commonWords.running
            : commonWords.queued}
      </Text>
      {cancel.error && <Reason lines={[problemText(cancel.error).error, problemText(cancel.error).cause]} />}
      {labels.canBeCancelled && (
        <Group justify="flex-end">
          <Button
            size="compact-sm"
            variant="default"
            loading={cancel.isPending}
            onClick={() => cancel.mutate()}
            {...may(nodeApi.cancelTask)}
          >
            {commonWords.cancel}
          </Button>
        </Group>
      )}
    </>
  );
}

/** One task from its start to its outcome, with the reason when it fails. */
function TaskToast({ taskId, labels }: TaskToastProps) {
  const { clock } = useServices();
  const cache = useQueryClient();
  const { data: task, error } = useTask(taskId);
  const status = task?.status;

  useEffect(() => {
    if (status !== 'succeeded' && status !== 'failed') return;
    // The task may have changed these lists.
    void cache.invalidateQueries({ queryKey: queryKeys.experiments });
    void cache.invalidateQueries({ queryKey: queryKeys.assignments });
    if (status === 'succeeded') return clock.after(successShownMs, () => notifications.hide(taskId));
    notifications.update({ ...toastOf(taskId, labels), color: 'red' });
    return undefined;
  }, [status, cache, clock, taskId, labels]);

  if (task?.status === 'succeeded') {
    return (
      <Text size="sm" fw={600}>
        {labels.succeeded}
      </Text>
    );
  }
  if (task?.status === 'failed') {
    const why = readable(failureReason(task));
    return (
      <Stack gap={4}>
        <Text size="sm" fw={600} c="var(--mantine-color-error)">
          {labels.failed}
        </Text>
        <Reason lines={[why.error, why.cause, why.remediation]} />
      </Stack>
    );
  }
  if (error) {
    const problem = problemText(error);
    return (
      <Stack gap={4}>
        <Text size="sm" fw={600}>
          {tasksWords.stateNotKnown(labels.running)}
        </Text>
        <Reason lines={[problem.error, problem.cause]} />
      </Stack>
    );
  }
  return (
    <Stack gap={6}>
      <Running task={task} taskId={taskId} labels={labels} />
    </Stack>
  );
}

const toastOf = (taskId: string, labels: TaskLabels) => ({
  id: taskId,
  message: <TaskToast taskId={taskId} labels={labels} />,
  autoClose: false,
  withBorder: true,
  role: 'status',
  closeButtonProps: { 'aria-label': commonWords.hide },
});

/** How to show a task that was just accepted. */
export function useShowTask(): (taskId: string, labels: TaskLabels) => void {
  const { toasts } = useServices();
  return (taskId, labels) => {
    toasts.want();
    notifications.show(toastOf(taskId, labels));
  };
}
