import {
  ApiError,
  type bioreactorRoutes,
  type blinkRoutes,
  type Handlers,
  type hardwareRoutes,
  StreamBody,
  type unitCalibrationRoutes,
  type unitCameraRoutes,
} from '@lcs/contract';
import { initialBioreactorValues, type Validated, validateCalibrationName, validateDeviceName } from '@lcs/domain';
import { zippedTexts } from '@lcs/node';
import type { Clock, IniView } from '@lcs/platform';

export interface BoardlessOptions {
  /** The node's own unit name. */
  readonly unit: string;
  readonly clock: Pick<Clock, 'now'>;
  /** The node's configuration now. */
  readonly config: () => IniView;
}

type BoardlessHandlers = Handlers<typeof hardwareRoutes> &
  Handlers<typeof bioreactorRoutes> &
  Handlers<typeof blinkRoutes> &
  Handlers<typeof unitCalibrationRoutes> &
  Handlers<typeof unitCameraRoutes>;

/** The routes of board, vial, calibrations and camera on a node that has none of them: lists are empty, changes are refused. */
export const boardlessHandlers = (options: BoardlessOptions): BoardlessHandlers => ({
  ...boardHandlers(options),
  ...calibrationHandlers(options),
  ...estimatorHandlers(options),
  ...sessionHandlers(options),
  ...cameraHandlers(options),
});

const refuse = (unit: string) => (): never => {
  throw new ApiError('unit_without_board', { unit });
};

const empty = { status: 200, body: {} } as const;
const emptyList = (): { readonly status: 200; readonly body: never[] } => ({ status: 200, body: [] });
const success = { status: 200, body: { status: 'success' } } as const;

/** @throws ApiError artefact_name_invalid */
function expectName(field: 'device' | 'name', validated: Validated<Record<never, never>>): void {
  if (!validated.ok) throw new ApiError('artefact_name_invalid', { field, cause: validated.cause });
}

const expectDevice = (device: string): void => expectName('device', validateDeviceName(device));

function boardHandlers({ unit, config }: BoardlessOptions) {
  const refused = refuse(unit);
  return {
    checkHardware: refused,
    checkHardwareByPatch: refused,
    getBiomassSignals: () => ({ status: 200, body: { configured: 'auto', automatic: 'auto', signals: [] } }),
    getBioreactor: () => ({ status: 200, body: { values: { ...initialBioreactorValues(config()) } } }),
    setBioreactor: refused,
    blink: refused,
  } satisfies Partial<BoardlessHandlers>;
}

function calibrationHandlers({ unit, clock }: BoardlessOptions) {
  const unknown = ({ params: { device, cal_name: name } }: { params: { device: string; cal_name: string } }): never => {
    expectDevice(device);
    expectName('name', validateCalibrationName(name));
    throw new ApiError('calibration_unknown', { device, name });
  };
  return {
    listUnitCalibrations: () => empty,
    listUnitDeviceCalibrations: ({ params: { device } }) => {
      expectDevice(device);
      throw new ApiError('calibration_device_unknown', { device });
    },
    createUnitCalibration: refuse(unit),
    getUnitCalibration: unknown,
    deleteUnitCalibration: unknown,
    listUnitActiveCalibrations: () => empty,
    setUnitActiveCalibration: unknown,
    clearUnitActiveCalibration: ({ params: { device } }) => {
      expectDevice(device);
      return success;
    },
    zipUnitCalibrations: () => ({
      status: 200,
      body: new StreamBody(zippedTexts(noFiles(), clock.now())),
      headers: { 'content-disposition': `attachment; filename="${unit}_calibrations.zip"` },
    }),
  } satisfies Partial<BoardlessHandlers>;
}

async function* noFiles(): AsyncGenerator<never> {}

function estimatorHandlers({ unit }: BoardlessOptions) {
  const unknown = (request: { params: { device: string; estimator_name: string } }): never => {
    const { device, estimator_name: name } = request.params;
    expectDevice(device);
    expectName('name', validateCalibrationName(name));
    throw new ApiError('estimator_unknown', { device, name });
  };
  return {
    listUnitEstimators: () => empty,
    listUnitDeviceEstimators: ({ params: { device } }) => {
      expectDevice(device);
      return emptyList();
    },
    createUnitEstimator: refuse(unit),
    getUnitEstimator: unknown,
    deleteUnitEstimator: unknown,
    listUnitActiveEstimators: () => empty,
    setUnitActiveEstimator: unknown,
    clearUnitActiveEstimator: ({ params: { device } }) => {
      expectDevice(device);
      return success;
    },
  } satisfies Partial<BoardlessHandlers>;
}

function sessionHandlers({ unit }: BoardlessOptions) {
  const unknown = ({ params }: { params: { session_id: string } }): never => {
    throw new ApiError('session_unknown', { session: params.session_id });
  };
  return {
    listUnitCalibrationProtocols: emptyList,
    startUnitCalibrationSession: refuse(unit),
    getUnitCalibrationSession: unknown,
    advanceUnitCalibrationSession: unknown,
    abortUnitCalibrationSession: unknown,
  } satisfies Partial<BoardlessHandlers>;
}

function cameraHandlers({ unit, clock }: BoardlessOptions) {
  const unknown = ({ params: { experiment, image } }: { params: { experiment: string; image: string } }): never => {
    throw new ApiError('still_unknown', { experiment, image });
  };
  return {
    getUnitCameraStatus: () => ({
      status: 200,
      body: {
        unit,
        detection_status: 'unknown',
        runtime_available: false,
        capture_command: null,
        mock: false,
        latest_still: null,
        auto_capture_enabled: false,
        snapshot_interval_minutes: 0,
      },
    }),
    changeUnitCameraSettings: refuse(unit),
    listUnitStills: ({ params: { experiment } }) => ({ status: 200, body: { unit, experiment, stills: [] } }),
    takeUnitStill: refuse(unit),
    deleteUnitStills: ({ params: { experiment } }) => ({
      status: 200,
      body: { unit, experiment, deleted_image_ids: [] },
    }),
    getUnitStill: unknown,
    renameUnitStill: unknown,
    deleteUnitStill: unknown,
    zipUnitStills: () => ({
      status: 200,
      headers: { 'content-disposition': `attachment; filename="${unit}_camera_stills.zip"` },
      body: new StreamBody(zippedTexts(noFiles(), clock.now())),
    }),
  } satisfies Partial<BoardlessHandlers>;
}
