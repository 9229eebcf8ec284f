import { type TSchema, Type } from 'typebox';
import {
  CameraSettings,
  CameraStatus,
  CamerasOfExperiment,
  ChangeCameraSettings,
  DeletedStills,
  RenameStill,
  Still,
  Stills,
} from '../resources/camera.ts';
import { closed } from '../resources/common.ts';
import { AcceptedTask } from '../resources/task.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted, ok } from './answers.ts';

const common = { tag: 'Cameras', origin: 'extension' } as const satisfies Partial<RouteDeclaration>;
const read = { ...common, method: 'GET', permission: 'cameras.read' } as const;
const write = { ...common, permission: 'cameras.write', cache: 'no-store' } as const;

const file = <Schema extends TSchema>(schema: Schema, contentType: string, description: string) =>
  ({ 200: { description, schema, contentType } }) as const;
const picture = file(Type.String(), 'image/jpeg', 'The picture');
const archive = file(Type.String(), 'application/zip', 'A zip archive');

const StillQuery = closed({ size: Type.Optional(Type.Literal('small', { description: 'For a tile' })) });

const ofUnit = '/unit_api/camera/experiments/{experiment}';
const ofWorker = '/api/workers/{reactor_unit}/camera/experiments/{experiment}';
const bodyErrors = ['invalid_body', 'unsupported_media_type'] as const;
const proxyErrors = ['unit_unknown', 'one_unit_only', 'unit_gave_no_answer'] as const;

const texts = {
  status: 'Whether the unit has a camera, and its newest still in an experiment',
  settings: 'Set the schedule of stills',
  list: 'The stills of an experiment',
  take: 'Take a still now',
  takes: 'The task waits for other stills and for an optical reading; its result is the record of the still.',
  still: 'A still of an experiment',
  image: '`image` is the name of the still followed by `.jpg`.',
  sizes:
    'With `size=small` the small picture that the camera has stored in it; the whole still where it has stored none.',
  rename: 'Rename a still',
  remove: 'Delete a still',
  zip: 'All stills of an experiment as a zip archive',
  zipped: 'With `camera_stills_manifest.json`: `unit`, `experiment` and the records in `stills`.',
} as const;

/** The camera of a unit. Every route has an experiment, because a picture belongs to one. */
export const unitCameraRoutes = routes({
  getUnitCameraStatus: {
    ...read,
    path: `${ofUnit}/status`,
    summary: texts.status,
    responses: ok(CameraStatus),
    errors: [],
    cache: 0,
  },
  changeUnitCameraSettings: {
    ...write,
    method: 'PATCH',
    path: '/unit_api/camera/settings',
    summary: texts.settings,
    body: ChangeCameraSettings,
    responses: ok(CameraSettings),
    errors: [...bodyErrors, 'unit_without_board'],
  },
  listUnitStills: {
    ...read,
    path: `${ofUnit}/stills`,
    summary: texts.list,
    responses: ok(Stills),
    errors: [],
    cache: 0,
  },
  takeUnitStill: {
    ...write,
    method: 'POST',
    path: `${ofUnit}/stills`,
    summary: texts.take,
    description: texts.takes,
    responses: accepted,
    errors: ['unit_outside_experiment', 'unit_without_board'],
  },
  deleteUnitStills: {
    ...write,
    method: 'DELETE',
    path: `${ofUnit}/stills`,
    summary: 'Delete all stills of an experiment',
    description: 'With `experiment_uid` those of that experiment only, not those of another one with the same name.',
    query: closed({ experiment_uid: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })) }),
    responses: ok(DeletedStills),
    errors: ['invalid_query', 'unit_still_in_experiment'],
  },
  getUnitStill: {
    ...read,
    path: `${ofUnit}/stills/{image}`,
    summary: texts.still,
    description: `${texts.image} ${texts.sizes}`,
    query: StillQuery,
    responses: picture,
    errors: ['invalid_query', 'still_unknown'],
    cache: 'no-cache',
  },
  renameUnitStill: {
    ...write,
    method: 'PATCH',
    path: `${ofUnit}/stills/{image}`,
    summary: texts.rename,
    description: texts.image,
    body: RenameStill,
    responses: ok(Still),
    errors: [...bodyErrors, 'still_name_invalid', 'still_unknown', 'still_exists'],
  },
  deleteUnitStill: {
    ...write,
    method: 'DELETE',
    path: `${ofUnit}/stills/{image}`,
    summary: texts.remove,
    description: texts.image,
    responses: ok(Still),
    errors: ['still_unknown'],
  },
  zipUnitStills: {
    ...read,
    path: `${ofUnit}/stills.zip`,
    summary: texts.zip,
    description: texts.zipped,
    responses: archive,
    errors: [],
    cache: 'no-cache',
  },
});

/** Cameras through the leader. Except for the first route, one worker answers, and the leader forwards its answer. */
export const cameraRoutes = routes({
  listCameras: {
    ...read,
    path: '/api/experiments/{experiment}/cameras',
    summary: 'The cameras of all units that are or were in an experiment',
    description: 'One outcome for each unit. `$experiment`: all workers. An unknown experiment has none.',
    responses: ok(CamerasOfExperiment),
    errors: [],
    cache: 0,
    origin: 'specification',
  },
  getCameraStatus: {
    ...read,
    path: `${ofWorker}/status`,
    summary: texts.status,
    responses: ok(CameraStatus),
    errors: proxyErrors,
    cache: 'no-store',
  },
  changeCameraSettings: {
    ...write,
    method: 'PATCH',
    path: '/api/workers/{reactor_unit}/camera/settings',
    summary: texts.settings,
    body: ChangeCameraSettings,
    responses: ok(CameraSettings),
    errors: [...proxyErrors, ...bodyErrors],
  },
  listStills: {
    ...read,
    path: `${ofWorker}/stills`,
    summary: texts.list,
    responses: ok(Stills),
    errors: proxyErrors,
    cache: 'no-store',
  },
  takeStill: {
    ...write,
    method: 'POST',
    path: `${ofWorker}/stills`,
    summary: texts.take,
    description: `${texts.takes} The task of the leader follows that of the worker and returns its result.`,
    responses: {
      202: { description: 'Accepted by the worker; poll result_url_path on the leader', schema: AcceptedTask },
    },
    errors: [...proxyErrors, 'unit_outside_experiment'],
  },
  getStill: {
    ...read,
    path: `${ofWorker}/stills/{image}`,
    summary: texts.still,
    description: `${texts.image} ${texts.sizes}`,
    query: StillQuery,
    responses: picture,
    errors: [...proxyErrors, 'invalid_query', 'still_unknown'],
    cache: 'no-cache',
  },
  renameStill: {
    ...write,
    method: 'PATCH',
    path: `${ofWorker}/stills/{image}`,
    summary: texts.rename,
    description: texts.image,
    body: RenameStill,
    responses: ok(Still),
    errors: [...proxyErrors, ...bodyErrors, 'still_name_invalid', 'still_unknown', 'still_exists'],
  },
  deleteStill: {
    ...write,
    method: 'DELETE',
    path: `${ofWorker}/stills/{image}`,
    summary: texts.remove,
    description: texts.image,
    responses: ok(Still),
    errors: [...proxyErrors, 'still_unknown'],
  },
  zipStills: {
    ...read,
    path: `${ofWorker}/stills.zip`,
    summary: texts.zip,
    description: texts.zipped,
    responses: archive,
    errors: proxyErrors,
    cache: 'no-cache',
  },
});
