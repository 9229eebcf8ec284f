import { Type } from 'typebox';
import { LeaderHealth } from '../resources/leader-health.ts';
import {
  ChooseUsb,
  LocalAccessPoint,
  LocalAccessPointResult,
  LockedAnswer,
  SetAllClocks,
  UpdateFromArchive,
  UpdateToNextVersion,
  Uploaded,
} from '../resources/node-system.ts';
import { AcceptedTask, FinishedTask, UnfinishedTask } from '../resources/task.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted, ok } from './answers.ts';
import { dataArchiveLimitBytes, uploadLimitBytes } from './node-system.ts';

const base = { tag: 'System', cache: 'no-store', origin: 'specification' } as const satisfies Partial<RouteDeclaration>;
const extension = { ...base, origin: 'extension' } as const;

const ofUnit = '/api/units/{reactor_unit}';

const command = { ...base, method: 'POST', responses: accepted, errors: ['unit_unknown'] } as const;

const acceptedOrLocked = {
  202: {
    description: 'Accepted, or nothing was done because another update is in progress (with `Retry-After`)',
    schema: Type.Union([AcceptedTask, LockedAnswer]),
  },
} as const;

const update = {
  ...base,
  method: 'POST',
  description:
    'Workers first, the leader last. The task reports its phases, survives the restart of the leader, and has one outcome for each unit: `{from, to}`.',
  permission: 'system.update',
  responses: acceptedOrLocked,
} as const satisfies Partial<RouteDeclaration>;

const usb = { ...extension, tag: 'USB', permission: 'system.files', responses: accepted } as const;
const usbErrors = ['unit_unknown', 'one_unit_only'] as const;

const accessPoint = {
  ...base,
  method: 'GET',
  summary: 'Whether the leader provides a wireless network',
  permission: 'system.read',
  errors: [],
  cache: 10_000,
} as const satisfies Partial<RouteDeclaration>;

/** Machines of the cluster, through the leader. `$broadcast` is the leader and all workers. */
export const clusterSystemRoutes = routes({
  getLeaderHealth: {
    ...extension,
    method: 'GET',
    path: '/api/system/health',
    summary: 'Disk, memory, load and database of the leader, with a forecast of its disk',
    permission: 'system.read',
    responses: ok(LeaderHealth),
    errors: [],
  },
  rebootUnits: {
    ...command,
    path: `${ofUnit}/system/reboot`,
    summary: 'Reboot a unit, or all of them (`$broadcast`): workers first, the leader last',
    permission: 'system.power',
  },
  shutDownUnits: {
    ...command,
    path: `${ofUnit}/system/shutdown`,
    summary: 'Shut a unit down, or all of them (`$broadcast`): workers first, the leader last',
    permission: 'system.power',
  },
  repairUnits: {
    ...command,
    path: `${ofUnit}/system/repair`,
    summary: 'Correct the permissions of data folders and check units',
    permission: 'system.update',
    origin: 'extension',
  },
  getUnitClocks: {
    ...command,
    method: 'GET',
    path: `${ofUnit}/system/utc_clock`,
    summary: 'The time of a unit, or of all of them (`$broadcast`)',
    permission: 'system.read',
  },
  setClocks: {
    ...base,
    method: 'POST',
    path: '/api/system/utc_clock',
    summary: 'Set the clock of the leader; then all workers synchronise with it',
    description: 'The task has one outcome for the leader and each worker.',
    permission: 'system.clock',
    body: SetAllClocks,
    responses: accepted,
    errors: ['clock_time_invalid', 'clock_step_back'],
  },
  uploadToLeader: {
    ...base,
    method: 'POST',
    path: '/api/system/upload',
    summary: 'Send a file to the leader for another request to use; it is kept for 24 hours',
    permission: 'system.update',
    upload: { field: 'file', description: 'Any file', limitBytes: uploadLimitBytes },
    responses: ok(Uploaded),
    errors: ['uploads_disabled'],
  },
  updateFromArchive: {
    ...update,
    path: '/api/system/update_from_archive',
    summary: 'Install a release from an uploaded archive or from a USB drive',
    body: UpdateFromArchive,
    errors: ['units_unknown', 'update_option_invalid', 'update_archive_invalid'],
  },
  updateToNextVersion: {
    ...update,
    path: '/api/system/update_next_version',
    summary: 'Install the next release from the folder of releases',
    body: UpdateToNextVersion,
    errors: ['units_unknown', 'update_source_missing', 'update_not_found', 'update_archive_invalid'],
  },
  downloadUnitData: {
    ...extension,
    method: 'GET',
    path: `${ofUnit}/zipped_dot_reactor`,
    summary: 'The data folder of a unit as a zip; of all units (`$broadcast`), each below its name',
    description: '`metadata.json` in the archive of all units lists those that do not answer.',
    permission: 'system.files',
    responses: { 200: { description: 'The archive', schema: Type.String(), contentType: 'application/zip' } },
    errors: ['unit_unknown', 'unit_gave_no_answer', 'file_access_disabled'],
  },
  importUnitData: {
    ...extension,
    method: 'POST',
    path: `${ofUnit}/import_zipped_dot_reactor`,
    summary: 'Replace the data folder of a unit by an archive of it',
    description:
      'The unit checks the archive before the answer: the leader returns its refusal. The task follows that of the unit, also over its restart.',
    permission: 'system.files',
    needsReason: true,
    upload: { field: 'archive', description: 'A zip of zipped_dot_reactor', limitBytes: dataArchiveLimitBytes },
    responses: acceptedOrLocked,
    errors: [
      'reason_missing',
      'unit_unknown',
      'one_unit_only',
      'unit_gave_no_answer',
      'file_access_disabled',
      'data_archive_invalid',
      'host_no_right',
    ],
  },
  getWorkerTaskResult: {
    ...extension,
    method: 'GET',
    path: '/api/workers/{reactor_unit}/task_results/{task_id}',
    summary: 'Progress or result of a task of a worker',
    tag: 'Tasks',
    permission: 'tasks.read',
    responses: {
      200: { description: 'Ended', schema: FinishedTask },
      202: { description: 'Not ended yet', schema: UnfinishedTask },
    },
    errors: ['unit_unknown', 'one_unit_only', 'task_not_found', 'unit_gave_no_answer'],
  },
  getUnitUsb: { ...usb, method: 'GET', path: `${ofUnit}/usb`, summary: 'USB drives of a unit', errors: usbErrors },
  getUnitUsbArtifacts: {
    ...usb,
    method: 'GET',
    path: `${ofUnit}/usb/artifacts`,
    summary: 'Releases and plugins on the mounted USB drive of a unit',
    errors: usbErrors,
  },
  mountUnitUsb: {
    ...usb,
    method: 'POST',
    path: `${ofUnit}/usb/mount`,
    summary: 'Mount a USB drive of a unit',
    body: ChooseUsb,
    errors: usbErrors,
  },
  ejectUnitUsb: {
    ...usb,
    method: 'POST',
    path: `${ofUnit}/usb/eject`,
    summary: 'Unmount a USB drive of a unit so that it can be taken out',
    body: ChooseUsb,
    errors: usbErrors,
  },
  getLocalAccessPoint: { ...accessPoint, path: '/api/local_access_point', responses: ok(LocalAccessPoint) },
  isLocalAccessPointActive: {
    ...accessPoint,
    path: '/api/is_local_access_point_active',
    responses: ok(LocalAccessPointResult),
    deprecated: true,
  },
  getStaticFile: {
    ...base,
    method: 'GET',
    path: '/static/{path}',
    takesRest: true,
    summary: 'A file of the web UI',
    description:
      'Files whose name holds a hash of their content never change (12 hours, immutable); browsers revalidate others.',
    permission: 'pages.read',
    responses: {
      200: { description: 'The file', schema: Type.String(), contentType: 'application/octet-stream' },
    },
    errors: ['route_not_found'],
    cache: 'no-cache',
  },
});
