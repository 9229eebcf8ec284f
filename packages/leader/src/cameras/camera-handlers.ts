import {
  AcceptedTask,
  ApiError,
  CameraSettings,
  CameraStatus,
  type cameraRoutes,
  type Handlers,
  Still,
  Stills,
  StreamBody,
} from '@lcs/contract';
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { type LeaderContext, type PassedOnRequest, systemExperiment } from '../core/leader-context.ts';
import { acceptedTask } from '../core/tasks.ts';
import { type StreamRequest, streamFrom } from '../fleet/stream-from.ts';
import { expectOneWorker } from '../queries/addressed-units.ts';
import { historyOfExperiment } from '../queries/assignment-history.ts';
import { experimentKey } from '../queries/experiments.ts';
import { workerNames } from '../queries/workers.ts';
import { followStill } from './still-task.ts';

type Routes = typeof cameraRoutes;
type Needs = Pick<LeaderContext, 'leader' | 'database' | 'fleet' | 'tasks' | 'units' | 'wire'>;

const statusLimits = { readMs: 5_000, readAllMs: 10_000 } as const;
const proxyLimitMs = 10_000;

const below = (experiment: string, ...rest: readonly string[]): string =>
  ['/unit_api/camera/experiments', ...[experiment, ...rest].map(encodeURIComponent)].join('/');

/** Workers that are or were in the living experiment of this name; of the cluster itself all of them. */
async function unitsOf({ database }: Pick<Needs, 'database'>, name: string): Promise<readonly string[]> {
  const workers = await workerNames(database.read);
  if (name === systemExperiment) return workers;
  const experiment = await experimentKey(database.read, name).executeTakeFirst();
  if (experiment === undefined) return [];
  const past = await historyOfExperiment(database.read, experiment.id).execute();
  const members = new Set(past.map(({ reactor_unit }) => reactor_unit));
  return workers.filter((unit) => members.has(unit));
}

interface PlaceParams {
  readonly reactor_unit: string;
  readonly experiment: string;
}

interface ImageParams extends PlaceParams {
  readonly image: string;
}

/** What a route of a file uses of its request. */
interface FileRequest<Params> extends Pick<StreamRequest, 'headers' | 'signal'> {
  readonly params: Params;
}

/** Cameras of units, by way of the leader. Call it before the tasks are started. */
export function cameraHandlers(context: Needs): Handlers<Routes> {
  const { fleet, leader, tasks } = context;
  const following = followStill(context);
  tasks.register(following);

  const ask = async <Schema extends TSchema>(
    unit: string,
    request: Omit<PassedOnRequest, 'limitMs'>,
    schema: Schema,
  ): Promise<Static<Schema>> => {
    await expectOneWorker(context, unit);
    const { body } = await fleet.passOn(unit, { ...request, limitMs: proxyLimitMs });
    if (Value.Check(schema, body)) return body;
    throw new ApiError('unit_gave_no_answer', { unit, cause: 'What it sent is not what this route answers.' });
  };

  const file =
    <Params extends { readonly reactor_unit: string }>(pathOf: (params: Params) => string) =>
    async ({ params, headers, signal }: FileRequest<Params>) => {
      await expectOneWorker(context, params.reactor_unit);
      const wanted = { headers, signal, limitMs: proxyLimitMs };
      const streamed = await streamFrom(context, params.reactor_unit, pathOf(params), wanted);
      return { status: 200, headers: streamed.headers, body: new StreamBody(streamed.chunks) } as const;
    };

  return {
    listCameras: async ({ params: { experiment } }) => {
      const units = await unitsOf(context, experiment);
      const cameras = await fleet.read(units, below(experiment, 'status'), { limits: statusLimits });
      return { status: 200, body: { cameras } };
    },
    getCameraStatus: async ({ params: { reactor_unit: unit, experiment } }) => ({
      status: 200,
      body: await ask(unit, { method: 'GET', path: below(experiment, 'status') }, CameraStatus),
    }),
    changeCameraSettings: async ({ params: { reactor_unit: unit }, body }) => {
      const { auto_capture_enabled } = body;
      const request = { method: 'PATCH', path: '/unit_api/camera/settings', body: { auto_capture_enabled } } as const;
      return { status: 200, body: await ask(unit, { ...request, seesChanges: true }, CameraSettings) };
    },
    listStills: async ({ params: { reactor_unit: unit, experiment } }) => ({
      status: 200,
      body: await ask(unit, { method: 'GET', path: below(experiment, 'stills') }, Stills),
    }),
    takeStill: async ({ params: { reactor_unit: unit, experiment } }) => {
      const request = { method: 'POST', path: below(experiment, 'stills'), body: {}, seesChanges: true } as const;
      const task = await ask(unit, request, AcceptedTask);
      const { taskId } = await tasks.submit(following, { unit, taskId: task.task_id });
      return { status: 202, body: acceptedTask(leader, taskId) };
    },
    getStill: file(({ experiment, image }: ImageParams) => below(experiment, 'stills', image)),
    renameStill: async ({ params: { reactor_unit: unit, experiment, image }, body: { new_image_id } }) => {
      const path = below(experiment, 'stills', image);
      return { status: 200, body: await ask(unit, { method: 'PATCH', path, body: { new_image_id } }, Still) };
    },
    deleteStill: async ({ params: { reactor_unit: unit, experiment, image } }) => ({
      status: 200,
      body: await ask(unit, { method: 'DELETE', path: below(experiment, 'stills', image) }, Still),
    }),
    zipStills: file(({ experiment }: PlaceParams) => below(experiment, 'stills.zip')),
  };
}
