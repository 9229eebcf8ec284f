import { ApiError, type calibrationRoutes, type Handler, type Handlers, type Json } from '@lcs/contract';
import { assertDeviceAccepts, InvalidCalibrationFile, validateCalibrationName, validateDeviceName } from '@lcs/domain';
import { TextReader } from '@lcs/node';
import type { LeaderContext, UnitCommand } from '../core/leader-context.ts';
import type { FleetTasks } from '../jobs/fleet-tasks.ts';
import { addressedUnits, broadcast, expectOneWorker } from '../queries/addressed-units.ts';
import { blanksInUse } from './blanks.ts';
import { calibrationArchive } from './calibration-archive.ts';
import { activeCurves, calibrationSummaries } from './calibration-summaries.ts';
import type { ChangeCalibrations } from './calibration-tasks.ts';
import { sessionProxies } from './session-proxies.ts';

type Routes = typeof calibrationRoutes;

const expectDevice = (device: string): void => {
  const validated = validateDeviceName(device);
  if (!validated.ok) throw new ApiError('artefact_name_invalid', { field: 'device', cause: validated.cause });
};

const expectName = (name: string): void => {
  const validated = validateCalibrationName(name);
  if (!validated.ok) throw new ApiError('artefact_name_invalid', { field: 'name', cause: validated.cause });
};

/** @throws ApiError artefact_name_invalid */
function pathOf(collection: string, device: string, name?: string): string {
  expectDevice(device);
  const below = `/unit_api/${collection}/${encodeURIComponent(device)}`;
  if (name === undefined) return below;
  expectName(name);
  return `${below}/${encodeURIComponent(name)}`;
}

/** @throws ApiError calibration_invalid, artefact_name_invalid */
async function expectCalibration(texts: TextReader, device: string, yaml: string): Promise<void> {
  expectDevice(device);
  try {
    assertDeviceAccepts(device, await texts.read('calibration', yaml));
  } catch (error) {
    if (error instanceof InvalidCalibrationFile) throw new ApiError('calibration_invalid', { cause: error.message });
    throw error;
  }
}

/** @throws ApiError estimator_invalid, artefact_name_invalid */
async function expectEstimator(texts: TextReader, device: string, yaml: string): Promise<void> {
  expectDevice(device);
  try {
    await texts.read('estimator', yaml);
  } catch (error) {
    if (error instanceof InvalidCalibrationFile) throw new ApiError('estimator_invalid', { cause: error.message });
    throw error;
  }
}

/**
 * The workers that a request addresses.
 * @throws ApiError for a leader that is not a worker, as for any other name that is not a worker's
 */
async function addressedWorkers(context: LeaderContext, unit: string): Promise<readonly string[]> {
  if (unit !== broadcast) await expectOneWorker(context, unit);
  return addressedUnits(context, 'workers', unit);
}

/** Each worker returns its calibrations and estimators, in a task. */
function readHandlers(context: LeaderContext, tasks: FleetTasks) {
  const workers = (unit: string) => addressedWorkers(context, unit);
  const readAll =
    (collection: string): Handler<Routes['listCalibrations']> =>
    async ({ params }) =>
      tasks.read(await workers(params.reactor_unit), `/unit_api/${collection}`, { isCached: true });
  const readDevice =
    (collection: string): Handler<Routes['listDeviceCalibrations']> =>
    async ({ params }) => {
      const path = pathOf(collection, params.device);
      return tasks.read(await workers(params.reactor_unit), path);
    };
  return {
    listCalibrations: readAll('calibrations'),
    listActiveCalibrations: readAll('active_calibrations'),
    listEstimators: readAll('estimators'),
    listActiveEstimators: readAll('active_estimators'),
    listCalibrationProtocols: readAll('calibration_protocols'),
    listDeviceCalibrations: readDevice('calibrations'),
    listDeviceEstimators: readDevice('estimators'),
    getCalibration: async ({ params }) => {
      const path = pathOf('calibrations', params.device, params.cal_name);
      return tasks.read(await workers(params.reactor_unit), path);
    },
    getEstimator: async ({ params }) => {
      const path = pathOf('estimators', params.device, params.estimator_name);
      return tasks.read(await workers(params.reactor_unit), path);
    },
    zipCalibrations: async ({ params }) => {
      const units = await workers(params.reactor_unit);
      return {
        status: 200,
        body: await calibrationArchive(context, units, params.reactor_unit !== broadcast),
        headers: { 'content-disposition': 'attachment; filename="calibration_yamls.zip"' },
      };
    },
  } satisfies Partial<Handlers<Routes>>;
}

/** Each worker changes its calibrations and estimators, in a task. */
function changeHandlers(context: LeaderContext, change: ChangeCalibrations) {
  const texts = new TextReader();
  const changeAll = async (unit: string, method: UnitCommand['method'], path: string, body: Json = {}) =>
    change((await addressedWorkers(context, unit)).map((each) => ({ unit: each, method, path, body })));
  return {
    createCalibration: async ({ params: { reactor_unit, device }, body }) => {
      const { calibration_data, set_as_active = false } = body;
      await expectCalibration(texts, device, calibration_data);
      return changeAll(reactor_unit, 'POST', pathOf('calibrations', device), { calibration_data, set_as_active });
    },
    createEstimator: async ({ params: { reactor_unit, device }, body }) => {
      const { estimator_data, set_as_active = false } = body;
      await expectEstimator(texts, device, estimator_data);
      return changeAll(reactor_unit, 'POST', pathOf('estimators', device), { estimator_data, set_as_active });
    },
    deleteCalibration: ({ params: { reactor_unit, device, cal_name } }) =>
      changeAll(reactor_unit, 'DELETE', pathOf('calibrations', device, cal_name)),
    setActiveCalibration: ({ params: { reactor_unit, device, cal_name } }) =>
      changeAll(reactor_unit, 'PATCH', pathOf('active_calibrations', device, cal_name)),
    clearActiveCalibration: ({ params: { reactor_unit, device } }) =>
      changeAll(reactor_unit, 'DELETE', pathOf('active_calibrations', device)),
    deleteEstimator: ({ params: { reactor_unit, device, estimator_name } }) =>
      changeAll(reactor_unit, 'DELETE', pathOf('estimators', device, estimator_name)),
    setActiveEstimator: ({ params: { reactor_unit, device, estimator_name } }) =>
      changeAll(reactor_unit, 'PATCH', pathOf('active_estimators', device, estimator_name)),
    clearActiveEstimator: ({ params: { reactor_unit, device } }) =>
      changeAll(reactor_unit, 'DELETE', pathOf('active_estimators', device)),
  } satisfies Partial<Handlers<Routes>>;
}

/** Calibrations, estimators and sessions of units, through the leader. */
export const calibrationHandlers = (
  context: LeaderContext,
  tasks: FleetTasks,
  change: ChangeCalibrations,
): Handlers<Routes> => ({
  listBlanks: async () => ({ status: 200, body: [...(await blanksInUse(context.database.read))] }),
  listAllCalibrations: async () => ({ status: 200, body: [...(await calibrationSummaries(context))] }),
  listActiveCurves: async ({ params: { device } }) => ({
    status: 200,
    body: [...(await activeCurves(context, device))],
  }),
  ...readHandlers(context, tasks),
  ...changeHandlers(context, change),
  ...sessionProxies(context),
});
