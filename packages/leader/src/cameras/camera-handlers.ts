import {
  type CallOptions,
  type cameraRoutes,
  type Handlers,
  type ResultOf,
  type RouteDeclaration,
  StreamBody,
  unitApi,
} from '@lcs/contract';
import { untilAborted } from '@lcs/platform';
import { type LeaderContext, systemExperiment } from '../core/leader-context.ts';
import { acceptedTask } from '../core/tasks.ts';
import { askUnit } from '../fleet/ask-unit.ts';
import { type StreamRequest, streamFrom } from '../fleet/stream-from.ts';
import { unitPath } from '../fleet/unit-url.ts';
import { expectOneWorker } from '../queries/addressed-units.ts';
import { historyOfExperiment } from '../queries/assignment-history.ts';
import { experimentKey } from '../queries/experiments.ts';
import { workerNames } from '../queries/workers.ts';
import { followStill } from './still-task.ts';

type Routes = typeof cameraRoutes;
type Needs = Pick<
  LeaderContext,
  'leader' | 'database' | 'fleet' | 'nodeHeaders' | 'nodeAgent' | 'tasks' | 'units' | 'wire'
>;

const statusLimits = { readMs: 5_000, readAllMs: 10_000 } as const;
const proxyLimitMs = 10_000;

/** Workers that are or were in the existing experiment of this name; for the cluster all workers. */
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

/** The part of a request that a route of a file uses. */
interface FileRequest<Params> extends Pick<StreamRequest, 'headers' | 'signal'> {
  readonly params: Params;
  readonly query: { readonly size?: 'small' };
}

/** A route that passes on a file of a unit. */
const unitFile =
  <Params extends { readonly reactor_unit: string }>(context: Needs, pathOf: (params: Params) => string) =>
  async ({ params, query: { size }, headers, signal }: FileRequest<Params>) => {
    await expectOneWorker(context, params.reactor_unit);
    const streamRequest = { headers, signal, limitMs: proxyLimitMs };
    const streamed = await streamFrom(
      context,
      params.reactor_unit,
      `${pathOf(params)}${size === undefined ? '' : `?size=${size}`}`,
      streamRequest,
    );
    return { status: 200, headers: streamed.headers, body: new StreamBody(streamed.chunks) } as const;
  };

/** Cameras of units, through the leader. Call it before the tasks are started. */
export function cameraHandlers(context: Needs): Handlers<Routes> {
  const { fleet, leader, tasks } = context;
  const following = followStill(context);
  tasks.register(following);

  const ask = async <const Route extends RouteDeclaration>(
    unit: string,
    route: Route,
    call: CallOptions<Route>,
    requiresChanges?: true,
  ): Promise<ResultOf<Route>> => {
    await expectOneWorker(context, unit);
    return askUnit(fleet, unit, route, call, {
      limitMs: proxyLimitMs,
      ...(requiresChanges && { requiresChanges }),
    });
  };

  return {
    listCameras: async ({ params: { experiment }, signal }) => {
      const units = await unitsOf(context, experiment);
      const path = unitPath(unitApi.getUnitCameraStatus, { experiment });
      const cameras = await untilAborted(signal, fleet.read(units, path, { limits: statusLimits }));
      return { status: 200, body: { cameras } };
    },
    getCameraStatus: async ({ params: { reactor_unit: unit, experiment } }) => ({
      status: 200,
      body: await ask(unit, unitApi.getUnitCameraStatus, { params: { experiment } }),
    }),
    changeCameraSettings: async ({ params: { reactor_unit: unit }, body: { auto_capture_enabled } }) => ({
      status: 200,
      body: await ask(unit, unitApi.changeUnitCameraSettings, { body: { auto_capture_enabled } }, true),
    }),
    listStills: async ({ params: { reactor_unit: unit, experiment } }) => ({
      status: 200,
      body: await ask(unit, unitApi.listUnitStills, { params: { experiment } }),
    }),
    takeStill: async ({ params: { reactor_unit: unit, experiment } }) => {
      const task = await ask(unit, unitApi.takeUnitStill, { params: { experiment } }, true);
      const { taskId } = await tasks.submit(following, { unit, taskId: task.task_id });
      return { status: 202, body: acceptedTask(leader, taskId) };
    },
    getStill: unitFile(context, ({ experiment, image }: ImageParams) =>
      unitPath(unitApi.getUnitStill, { experiment, image }),
    ),
    renameStill: async ({ params: { reactor_unit: unit, experiment, image }, body: { new_image_id } }) => ({
      status: 200,
      body: await ask(unit, unitApi.renameUnitStill, { params: { experiment, image }, body: { new_image_id } }),
    }),
    deleteStill: async ({ params: { reactor_unit: unit, experiment, image } }) => ({
      status: 200,
      body: await ask(unit, unitApi.deleteUnitStill, { params: { experiment, image } }),
    }),
    zipStills: unitFile(context, ({ experiment }: PlaceParams) => unitPath(unitApi.zipUnitStills, { experiment })),
  };
}
