import {
  type Api,
  ApiError,
  type capabilityRoutes,
  type Handlers,
  type nodeRoutes,
  openApiDocument,
  PreparedJson,
} from '@lcs/contract';
import { type Clock, madeOnce, type TaskRunner, toTimestamp } from '@lcs/platform';
import type { JobDefinition } from '../jobs/job-definition.ts';
import { capabilities, type Unavailable } from './capabilities.ts';
import { taskPoll } from './task-answer.ts';

export interface NodeRoutesOptions {
  /** The node's own unit name. */
  readonly unit: string;
  readonly version: string;
  /** Drawn at this start of the program; units tell their leader the same. */
  readonly instance?: string;
  /** The time that the node tells. */
  readonly clock: Pick<Clock, 'now'>;
  readonly tasks: TaskRunner;
  /** What its OpenAPI document describes. */
  readonly api: Api;
  /** What it can run now: plugins change it. */
  readonly jobs: () => readonly JobDefinition[];
  /** Default: nothing is known to be missing. */
  readonly unavailable?: Unavailable;
}

/** The routes of `/unit_api` that every node has, whatever its role and hardware. */
export function nodeHandlers(
  options: NodeRoutesOptions,
): Handlers<typeof nodeRoutes> & Handlers<typeof capabilityRoutes> {
  const { unit, version, instance, clock, tasks, api, jobs, unavailable } = options;
  const versionAnswer = { status: 200, body: PreparedJson.of({ version }) } as const;
  const document = madeOnce(() =>
    PreparedJson.of(
      openApiDocument({
        title: 'Leader Control Service: unit interface',
        version,
        description: 'What this node of the cluster serves.',
        api,
      }),
    ),
  );
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
      body: { status: 'ok', reactor_unit: unit, utc_time: toTimestamp(clock.now()), ...(instance && { instance }) },
    }),
    getAppVersion: () => versionAnswer,
    getUiVersion: () => versionAnswer,
    getUnitOpenApi: () => ({ status: 200, body: document() }),
    getCapabilities: () => ({ status: 200, body: [...capabilities(jobs(), unavailable)] }),
  };
}
