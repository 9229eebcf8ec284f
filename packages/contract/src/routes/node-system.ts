import { Type } from 'typebox';
import {
  ChooseUsb,
  ClockReading,
  FolderListing,
  Ipv4Addresses,
  LockedAnswer,
  RemoveFile,
  SetClock,
  Space,
  UpdateNode,
  Uploaded,
  UsbArtifacts,
  UsbStatus,
  WebServerStatus,
} from '../resources/node-system.ts';
import { AcceptedTask } from '../resources/task.ts';
import { type RouteDeclaration, routes } from '../route.ts';
import { accepted, ok } from './answers.ts';

const megabyte = 1024 * 1024;

/** Largest upload; a node may be configured with another size. */
export const uploadLimitBytes = 64 * megabyte;
export const dataArchiveLimitBytes = 1024 * megabyte;

const acceptedOrLocked = {
  202: {
    description: 'Accepted, or nothing was done because another run of it is in progress (with `Retry-After`)',
    schema: Type.Union([AcceptedTask, LockedAnswer]),
  },
} as const;

const base = {
  tag: 'System',
  cache: 'no-store',
  origin: 'specification',
} as const satisfies Partial<RouteDeclaration>;

const power = {
  ...base,
  description:
    'Jobs are stopped and outputs made safe first. A leader waits another 5 s, so that clients can read the answer.',
  permission: 'system.power',
  responses: acceptedOrLocked,
  errors: ['host_no_right', 'node_busy', 'too_soon'],
} as const satisfies Partial<RouteDeclaration>;
const reboot = { ...power, path: '/unit_api/system/reboot', summary: 'Reboot this machine' } as const;
const shutdown = { ...power, path: '/unit_api/system/shutdown', summary: 'Shut this machine down' } as const;

const updateErrors = [
  'host_no_right',
  'too_soon',
  'update_option_invalid',
  'update_archive_invalid',
  'update_source_missing',
] as const;
const update = {
  ...base,
  description:
    'The archive is copied and verified before any change. The task reports its phases, survives the restart, and succeeds with `{from, to}` when the new version runs.',
  permission: 'system.update',
  body: UpdateNode,
  responses: acceptedOrLocked,
} as const satisfies Partial<RouteDeclaration>;
const updateApp = {
  ...update,
  path: '/unit_api/system/update',
  summary: 'Install another version of the program',
  errors: [...updateErrors, 'update_not_found'],
} as const;
const updateTarget = {
  ...update,
  path: '/unit_api/system/update/{target}',
  summary: 'The same, for a target: app (ui is the same)',
  errors: [...updateErrors, 'update_target_unknown', 'update_not_found'],
} as const;

const setClock = {
  ...base,
  path: '/unit_api/system/utc_clock',
  summary: 'Set the clock of this machine, or synchronise it with the leader',
  permission: 'system.clock',
  body: SetClock,
  responses: acceptedOrLocked,
  errors: ['clock_time_invalid', 'host_no_right'],
} as const satisfies Partial<RouteDeclaration>;

const files = { ...base, permission: 'system.files' } as const;
const listing = {
  ...files,
  method: 'GET',
  summary: 'Content of the data folder',
  responses: ok(FolderListing),
  errors: ['file_access_disabled'],
  cache: 5,
} as const satisfies Partial<RouteDeclaration>;

const remove = {
  ...files,
  path: '/unit_api/system/remove_file',
  summary: 'Remove one file of the data folder',
  description:
    'A link is removed itself, never its target. Settings, databases and calibrations have routes of their own.',
  body: RemoveFile,
  responses: accepted,
  errors: ['file_access_disabled', 'path_forbidden', 'path_not_found', 'path_not_a_file'],
} as const satisfies Partial<RouteDeclaration>;

const extension = { ...base, origin: 'extension' } as const;
const read = { ...extension, method: 'GET', permission: 'system.read' } as const;

const repair = {
  ...extension,
  path: '/unit_api/system/repair',
  summary: 'Correct the permissions of the data folder and check this node',
  description: 'Check `success` of the result.',
  permission: 'system.update',
  responses: acceptedOrLocked,
  errors: [],
} as const satisfies Partial<RouteDeclaration>;

const restart = {
  ...extension,
  path: '/unit_api/system/web_server/restart',
  summary: 'Restart the web server of the leader',
  permission: 'system.power',
  responses: acceptedOrLocked,
  errors: ['leader_only', 'host_no_right', 'too_soon'],
} as const satisfies Partial<RouteDeclaration>;

const usb = { ...extension, permission: 'system.files', tag: 'USB' } as const;
const usbChange = { ...usb, method: 'POST', body: ChooseUsb, responses: accepted, errors: [] } as const;

/** The machine of a node: power, clock, program, files, drives. Every node has them. */
export const nodeSystemRoutes = routes({
  rebootNode: { ...reboot, method: 'POST' },
  rebootNodeByPatch: { ...reboot, method: 'PATCH' },
  shutDownNode: { ...shutdown, method: 'POST' },
  shutDownNodeByPatch: { ...shutdown, method: 'PATCH' },
  updateNode: { ...updateApp, method: 'POST' },
  updateNodeByPatch: { ...updateApp, method: 'PATCH' },
  updateNodeTarget: { ...updateTarget, method: 'POST' },
  updateNodeTargetByPatch: { ...updateTarget, method: 'PATCH' },
  getNodeClock: {
    ...base,
    method: 'GET',
    path: '/unit_api/system/utc_clock',
    summary: 'The time of this node',
    permission: 'system.read',
    responses: ok(ClockReading),
    errors: [],
  },
  setNodeClock: { ...setClock, method: 'POST' },
  setNodeClockByPatch: { ...setClock, method: 'PATCH' },
  listDataFolder: { ...listing, path: '/unit_api/system/path/' },
  listDataFolderWithoutSlash: { ...listing, path: '/unit_api/system/path', origin: 'extension' },
  readDataFolder: {
    ...files,
    method: 'GET',
    path: '/unit_api/system/path/{path}',
    takesRest: true,
    summary: 'A folder as a listing, or a file as plain text',
    description: 'Databases, secrets and paths outside the data folder are refused.',
    responses: {
      200: {
        description: 'The listing; the content as text/plain when it is a file',
        schema: FolderListing,
        contentType: 'application/json; charset=utf-8',
      },
    },
    errors: ['file_access_disabled', 'path_forbidden', 'path_not_found'],
    cache: 'no-cache',
  },
  removeFile: { ...remove, method: 'POST' },
  removeFileByPatch: { ...remove, method: 'PATCH' },
  repairNode: { ...repair, method: 'POST' },
  repairNodeByPatch: { ...repair, method: 'PATCH' },
  getIpv4Addresses: {
    ...read,
    path: '/unit_api/system/ipv4',
    summary: 'The IPv4 addresses of this machine',
    responses: ok(Ipv4Addresses),
    errors: [],
    cache: 0,
  },
  getDiskSpace: {
    ...read,
    path: '/unit_api/system/disk_space',
    summary: 'Space of the disk that the data folder is on',
    responses: ok(Space),
    errors: [],
    cache: 10,
  },
  getMemory: {
    ...read,
    path: '/unit_api/system/memory',
    summary: 'Memory of this machine',
    responses: ok(Space),
    errors: [],
    cache: 10,
  },
  getWebServerStatus: {
    ...read,
    path: '/unit_api/system/web_server/status',
    summary: 'Whether the web server of the leader is running',
    responses: ok(WebServerStatus),
    errors: ['leader_only'],
    cache: 3,
  },
  restartWebServer: { ...restart, method: 'POST' },
  restartWebServerByPatch: { ...restart, method: 'PATCH' },
  uploadToNode: {
    ...extension,
    method: 'POST',
    path: '/unit_api/system/upload',
    summary: 'Send a file for another request to use, such as an archive; it is kept for 24 hours',
    permission: 'system.update',
    upload: { field: 'file', description: 'Any file', limitBytes: uploadLimitBytes },
    responses: ok(Uploaded),
    errors: ['uploads_disabled'],
  },
  downloadDataFolder: {
    ...extension,
    method: 'GET',
    path: '/unit_api/zipped_dot_reactor',
    summary: 'The data folder of this node as a zip, databases as they are at one moment, without secrets',
    permission: 'system.files',
    responses: { 200: { description: 'The archive', schema: Type.String(), contentType: 'application/zip' } },
    errors: ['file_access_disabled'],
  },
  importDataFolder: {
    ...extension,
    method: 'POST',
    path: '/unit_api/import_zipped_dot_reactor',
    summary: 'Replace the data folder of this node by an archive of it',
    description: 'The previous folder is kept until the next import. The node restarts; then the task succeeds.',
    permission: 'system.files',
    upload: { field: 'archive', description: 'A zip of zipped_dot_reactor', limitBytes: dataArchiveLimitBytes },
    responses: acceptedOrLocked,
    errors: ['file_access_disabled', 'data_archive_invalid', 'host_no_right'],
  },
  getUsb: {
    ...usb,
    method: 'GET',
    path: '/unit_api/usb',
    summary: 'USB drives of this machine',
    responses: ok(UsbStatus),
    errors: [],
  },
  mountUsb: { ...usbChange, path: '/unit_api/usb/mount', summary: 'Mount a USB drive' },
  ejectUsb: { ...usbChange, path: '/unit_api/usb/eject', summary: 'Unmount a USB drive so that it can be taken out' },
  getUsbArtifacts: {
    ...usb,
    method: 'GET',
    path: '/unit_api/usb/artifacts',
    summary: 'Releases and plugins on the mounted USB drive',
    responses: ok(UsbArtifacts),
    errors: ['usb_not_mounted'],
  },
});
