import { ApiError, type Handlers, type nodeRoutes, openApiDocument, PreparedJson, unitApi } from '@lcs/contract';
import type { Clock } from '../clock/clock.ts';
import { toTimestamp } from '../clock/timestamp.ts';
import type { TaskRunner } from '../tasks/task-runner.ts';
import { taskPoll } from './task-answer.ts';

export interface NodeRoutesOptions {
  /** The node's own unit name. */
  readonly unit: string;
  readonly version: string;
  readonly clock: Clock;
  readonly tasks: TaskRunner;
}

/** The routes of `/unit_api` that every node has, whatever its role and hardware. */
export function nodeHandlers({ unit, version, clock, tasks }: NodeRoutesOptions): Handlers<typeof nodeRoutes> {
  const versionAnswer = { status: 200, body: PreparedJson.of({ version }) } as const;
  const document = openApiDocument({
    title: 'Leader Control Service: unit interface',
    version,
    description: 'What every node of the cluster serves.',
    api: unitApi,
  });
  const openApi = { status: 200, body: PreparedJson.of(document) } as const;
  return {
    getTaskResult: async ({ params }) => {
      const record = await tasks.get(params.task_id);
      if (!record) throw new ApiError('task_not_found', { taskId: params.task_id });
      return taskPoll(record);
    },
    cancelTask: async ({ params }) => {
      await tasks.cancel(params.task_id);
      return { status: 202, body: { status: 'success' } };
    },
    getHealth: () => ({
      status: 200,
      body: { status: 'ok', reactor_unit: unit, utc_time: toTimestamp(clock.now()) },
    }),
    getAppVersion: () => versionAnswer,
    getUiVersion: () => versionAnswer,
    getUnitOpenApi: () => openApi,
  };
}
