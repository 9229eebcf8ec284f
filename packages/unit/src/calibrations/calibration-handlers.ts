import { createHash } from 'node:crypto';
import {
  ApiError,
  type CalibrationContent,
  type EstimatorContent,
  type Handlers,
  PreparedJson,
  StreamBody,
  type unitCalibrationRoutes,
} from '@lcs/contract';
import { assertDeviceAccepts, InvalidCalibrationFile } from '@lcs/domain';
import { type TextReader, zippedTexts } from '@lcs/node';
import { jsonInPieces } from '@lcs/platform';
import type { CalibrationFiles, Shown } from './calibration-files.ts';
import type { CalibrationFolder } from './calibration-folder.ts';
import type { CalibrationSessions } from './calibration-sessions.ts';

type Routes = typeof unitCalibrationRoutes;

export interface CalibrationHandlersOptions {
  readonly unit: string;
  readonly calibrations: CalibrationFiles<CalibrationContent>;
  readonly calibrationFiles: CalibrationFolder<CalibrationContent>;
  readonly estimators: CalibrationFiles<EstimatorContent>;
  readonly sessions: CalibrationSessions;
  readonly texts: TextReader;
  readonly now: () => number;
  /** A calibration is in use from now on. */
  readonly onActive: (device: string) => void;
}

const done = { status: 200, body: { status: 'success' } } as const;

/** A response that a browser need not load again while it is unchanged. */
/** Devices, their calibrations and the fields of these. */
const levelsOfLists = 3;

async function tagged<Body extends object>(body: Body) {
  const json = await jsonInPieces(body, levelsOfLists);
  const etag = `"${createHash('sha256').update(json).digest('base64url').slice(0, 22)}"`;
  return { status: 200, body: PreparedJson.from<Body>(json), headers: { etag } } as const;
}

/** @throws ApiError calibration_invalid */
async function readCalibration(texts: TextReader, device: string, yaml: string): Promise<CalibrationContent> {
  try {
    const content = await texts.read('calibration', yaml);
    assertDeviceAccepts(device, content);
    return content;
  } catch (error) {
    if (error instanceof InvalidCalibrationFile) throw new ApiError('calibration_invalid', { cause: error.message });
    throw error;
  }
}

/** @throws ApiError estimator_invalid */
async function readEstimator(texts: TextReader, yaml: string): Promise<EstimatorContent> {
  try {
    return await texts.read('estimator', yaml);
  } catch (error) {
    if (error instanceof InvalidCalibrationFile) throw new ApiError('estimator_invalid', { cause: error.message });
    throw error;
  }
}

/** Stores a calibration from its text. @throws ApiError calibration_invalid */
export async function storeCalibration(
  { texts, calibrations, onActive }: Pick<CalibrationHandlersOptions, 'texts' | 'calibrations' | 'onActive'>,
  device: string,
  yaml: string,
  isToBeActive: boolean,
) {
  const content = await readCalibration(texts, device, yaml);
  const stored = await calibrations.store(device, content, yaml, isToBeActive);
  if (isToBeActive) onActive(device);
  return stored;
}

const ofDevice =
  (device: string) =>
  (estimator: Shown<EstimatorContent>): Shown<EstimatorContent> & { device: string } => ({ ...estimator, device });

function calibrationFileHandlers(options: CalibrationHandlersOptions) {
  const { unit, calibrations, calibrationFiles, now, onActive } = options;
  return {
    listUnitCalibrations: async () => tagged(await calibrations.all()),
    listUnitDeviceCalibrations: async ({ params: { device } }) => {
      const found = await calibrations.ofDevice(device);
      if (found === undefined) throw new ApiError('calibration_device_unknown', { device });
      return tagged(found);
    },
    createUnitCalibration: async ({ params: { device }, body }) => {
      const { calibration_data: yaml, set_as_active: isToBeActive = false } = body;
      const { name, path, replaced } = await storeCalibration(options, device, yaml, isToBeActive);
      return { status: 201, body: { msg: `Stored ${name} for ${device}`, path, replaced } };
    },
    getUnitCalibration: async ({ params }) => tagged(await calibrations.one(params.device, params.cal_name)),
    deleteUnitCalibration: async ({ params: { device, cal_name: name } }) => {
      await calibrations.remove(device, name);
      return { status: 200, body: { msg: `Removed ${name} from ${device}` } };
    },
    listUnitActiveCalibrations: async () => tagged(await calibrations.allActive()),
    setUnitActiveCalibration: async ({ params }) => {
      await calibrations.activate(params.device, params.cal_name);
      onActive(params.device);
      return done;
    },
    clearUnitActiveCalibration: async ({ params }) => {
      await calibrations.deactivate(params.device);
      return done;
    },
    zipUnitCalibrations: async () => ({
      status: 200,
      body: new StreamBody(zippedTexts(calibrationFiles.texts(), now())),
      headers: { 'content-disposition': `attachment; filename="${unit}_calibrations.zip"` },
    }),
  } satisfies Partial<Handlers<Routes>>;
}

function estimatorHandlers({ estimators, texts }: CalibrationHandlersOptions) {
  return {
    listUnitEstimators: async () => {
      const all = Object.entries(await estimators.all());
      return tagged(Object.fromEntries(all.map(([device, found]) => [device, found.map(ofDevice(device))])));
    },
    listUnitDeviceEstimators: async ({ params: { device } }) =>
      tagged(((await estimators.ofDevice(device)) ?? []).map(ofDevice(device))),
    createUnitEstimator: async ({ params: { device }, body }) => {
      const { estimator_data: yaml, set_as_active: isToBeActive = false } = body;
      const content = await readEstimator(texts, yaml);
      const { name, path, replaced } = await estimators.store(device, content, yaml, isToBeActive);
      return { status: 201, body: { msg: `Stored ${name} for ${device}`, path, replaced } };
    },
    getUnitEstimator: async ({ params: { device, estimator_name: name } }) =>
      tagged(ofDevice(device)(await estimators.one(device, name))),
    deleteUnitEstimator: async ({ params: { device, estimator_name: name } }) => {
      await estimators.remove(device, name);
      return { status: 200, body: { msg: `Removed ${name} from ${device}` } };
    },
    listUnitActiveEstimators: async () => {
      const active = Object.entries(await estimators.allActive());
      return tagged(Object.fromEntries(active.map(([device, one]) => [device, ofDevice(device)(one)])));
    },
    setUnitActiveEstimator: async ({ params }) => {
      await estimators.activate(params.device, params.estimator_name);
      return done;
    },
    clearUnitActiveEstimator: async ({ params }) => {
      await estimators.deactivate(params.device);
      return done;
    },
  } satisfies Partial<Handlers<Routes>>;
}

/** Calibrations, estimators and calibration sessions of a unit. */
export function calibrationHandlers(options: CalibrationHandlersOptions): Handlers<Routes> {
  const { sessions } = options;
  return {
    ...calibrationFileHandlers(options),
    ...estimatorHandlers(options),
    listUnitCalibrationProtocols: async () => tagged([...(await sessions.protocols())]),
    startUnitCalibrationSession: async ({ body }) => ({
      status: 201,
      body: await sessions.begin(body.target_device, body.protocol_name),
    }),
    getUnitCalibrationSession: async ({ params }) => ({ status: 200, body: await sessions.get(params.session_id) }),
    advanceUnitCalibrationSession: async ({ params, body }) => ({
      status: 200,
      body: await sessions.advance(params.session_id, body.inputs ?? {}),
    }),
    abortUnitCalibrationSession: async ({ params }) => ({
      status: 200,
      body: await sessions.abort(params.session_id),
    }),
  };
}
