import {
  type Api,
  ApiError,
  type capabilityRoutes,
  type Handlers,
  type nodeRoutes,
  openApiDocument,
  PreparedJson,
} from '@lcs/contract';
import { type Clock, lazy, type TaskRunner, toTimestamp } from '@lcs/platform';
import type { JobDefinition } from '../jobs/job-definition.ts';
import type { LastUsed } from '../jobs/job-registry.ts';
import { capabilities, type OptionDefaults, type Unavailable } from './capabilities.ts';
import { taskPoll } from './task-answer.ts';

export interface NodeRoutesOptions {
  /** The node's own unit name. */
  readonly unit: string;
  readonly version: string;
  /** Random ID of this start of the program; units send it to their leader too. */
  readonly instance?: string;
  /** The clock of the node's time stamps. */
  readonly clock: Pick<Clock, 'now'>;
  readonly tasks: TaskRunner;
  /** The API of its OpenAPI document. */
  readonly api: Api;
  /** The jobs that it can run now; plugins change them. */
  readonly jobs: () => readonly JobDefinition[];
  /** The settings that each job had at its last end. */
  readonly lastUsed: () => Promise<readonly LastUsed[]>;
  readonly defaultsOf: (definition: JobDefinition) => OptionDefaults;
  /** Default: everything is available. */
  readonly unavailable?: Unavailable;
}

/** The routes of `/unit_api` that every node has, whatever its role and hardware. */
export function nodeHandlers(
  options: NodeRoutesOptions,
): Handlers<typeof nodeRoutes> & Handlers<typeof capabilityRoutes> {
  const { unit, version, instance, clock, tasks, api, jobs, lastUsed, defaultsOf, unavailable } = options;
  const versionAnswer = { status: 200, body: PreparedJson.of({ version }) } as const;
  const document = lazy(() =>
    PreparedJson.of(
      openApiDocument({
        title: 'Leader Control Service: unit interface',
        version,
        description: 'The interface of a node of the cluster.',
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
    getCapabilities: async () => ({
      status: 200,
      body: [...capabilities(jobs(), unavailable, await lastUsed(), defaultsOf)],
    }),
  };
}
