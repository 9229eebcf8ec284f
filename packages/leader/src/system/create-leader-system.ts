import {
  ApiError,
  type clusterSystemRoutes,
  type Handler,
  type Handlers,
  type IncomingUpload,
  type LeaderHealth,
  nodeApi,
  type nodeSystemRoutes,
  PreparedJson,
  type StagedUpload,
  StreamBody,
} from '@lcs/contract';
import { compareVersions } from '@lcs/domain';
import {
  acceptOrLocked,
  configuredRelease,
  expectReleaseSize,
  expectUploads,
  type Host,
  lockedAnswer,
  type ReleaseOptions,
  releaseFile,
  type UploadStore,
  type UsbDrives,
  verifyRelease,
} from '@lcs/node';
import type { NotFoundHook } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { acceptedTask } from '../core/tasks.ts';
import { askUnit } from '../fleet/ask-unit.ts';
import type { FleetTasks } from '../jobs/fleet-tasks.ts';
import { addressedUnits, broadcast, expectKnown, expectOneWorker } from '../queries/addressed-units.ts';
import { setClocksHandler } from './clock-tasks.ts';
import { ClusterUpdate } from './cluster-update.ts';
import { clusterZip } from './cluster-zip.ts';
import { importTask, sendImport } from './import-task.ts';
import { powerTasks } from './power-tasks.ts';
import { staticFile } from './static-file.ts';
import { UnitFiles } from './unit-files.ts';

type Routes = typeof clusterSystemRoutes;

/** Functions of the leader's own machine for the routes of the cluster's machines. */
export interface LeaderMachine {
  readonly host: Host;
  readonly uploads: UploadStore;
  readonly usb: UsbDrives;
  readonly releases: ReleaseOptions;
  /** Replaces the data of the leader itself. */
  readonly importOwnData: Handler<(typeof nodeSystemRoutes)['importDataFolder']>;
  readonly uploadLimitBytes?: number;
}

export interface LeaderSystemOptions {
  readonly context: LeaderContext;
  readonly unitTasks: FleetTasks;
  readonly machine: LeaderMachine;
  readonly version: string;
  readonly health: () => Promise<LeaderHealth>;
  /** Files of the web UI. */
  readonly webUi: NotFoundHook;
}

const taskReadLimitMs = 10_000;

/** @throws ApiError one_unit_only */
async function expectOneUnit(context: LeaderContext, unit: string): Promise<readonly string[]> {
  if (unit === broadcast) throw new ApiError('one_unit_only', {});
  return addressedUnits(context, 'units', unit);
}

/** USB drives of units. */
function usbHandlers({ context, unitTasks }: Pick<LeaderSystemOptions, 'context' | 'unitTasks'>) {
  const read =
    (path: string): Handler<Routes['getUnitUsb']> =>
    async ({ params }) =>
      unitTasks.read(await expectOneUnit(context, params.reactor_unit), path);
  const change =
    (path: string): Handler<Routes['mountUnitUsb']> =>
    async ({ params, body: { device = null }, headers, caller }) => {
      const units = await expectOneUnit(context, params.reactor_unit);
      return unitTasks.command(
        units.map((unit) => ({ unit, method: 'POST', path, body: { device } })),
        { headers, caller },
      );
    };
  return {
    getUnitUsb: read('/unit_api/usb'),
    getUnitUsbArtifacts: read('/unit_api/usb/artifacts'),
    mountUnitUsb: change('/unit_api/usb/mount'),
    ejectUnitUsb: change('/unit_api/usb/eject'),
  };
}

/** Archives of the data of units. */
function dataHandlers({ context, machine }: LeaderSystemOptions, files: UnitFiles) {
  const { leader, tasks } = context;
  const { host, uploads } = machine;
  const freeBytes = async () => (await host.diskSpace(context.dataFolder)).availableBytes;
  const importing = importTask(context);
  tasks.register(importing);
  return {
    downloadUnitData: async ({ params: { reactor_unit: unit }, signal }) => {
      const path = '/unit_api/zipped_dot_reactor';
      const units = await addressedUnits(context, 'units', unit);
      const isAll = unit === broadcast;
      const chunks = isAll
        ? await clusterZip(context, files, { units, path, freeBytes, signal })
        : await files.download(unit, path, signal);
      const name = isAll ? 'cluster_dot_reactor.zip' : 'dot_reactor.zip';
      const headers = { 'content-disposition': `attachment; filename="${name}"` };
      return { status: 200, headers, body: new StreamBody(chunks) };
    },
    importUnitData: async (request) => {
      const { reactor_unit: unit } = request.params;
      await expectOneUnit(context, unit);
      // The signal is a getter of the request's class: a copy has it only when it is named.
      if (unit === leader) return machine.importOwnData({ ...request, signal: request.signal, params: {} });
      if (context.units.addressOf(unit) === undefined)
        throw new ApiError('unit_gave_no_answer', { unit, cause: 'The leader has no address of it.' });
      const staged = await request.upload.receive();
      try {
        const sent = await sendImport(files, unit, staged, request.signal);
        if ('lock' in sent) return lockedAnswer(sent.lock);
        const { taskId } = await tasks.submit(importing, { unit, taskId: sent.task_id });
        return { status: 202, body: acceptedTask(leader, taskId) };
      } finally {
        await uploads.remove(staged);
      }
    },
  } satisfies Partial<Handlers<Routes>>;
}

/** Routes of the machines of the cluster. Call it before the tasks start. */
export function createLeaderSystem(options: LeaderSystemOptions): Handlers<Routes> {
  const { context, machine, unitTasks, webUi } = options;
  const { fleet } = context;
  const { host } = machine;
  const files = new UnitFiles(context);
  const power = powerTasks(context);

  const powerHandler =
    (path: string): Handler<Routes['rebootUnits']> =>
    async ({ params }) =>
      power(await addressedUnits(context, 'units', params.reactor_unit), path);

  return {
    getLeaderHealth: async () => ({ status: 200, body: await options.health() }),
    rebootUnits: powerHandler('/unit_api/system/reboot'),
    shutDownUnits: powerHandler('/unit_api/system/shutdown'),
    repairUnits: async ({ params, headers, caller }) => {
      const units = await addressedUnits(context, 'units', params.reactor_unit);
      const path = '/unit_api/system/repair';
      return unitTasks.command(
        units.map((unit) => ({ unit, method: 'POST', path, body: {} })),
        { headers, caller },
      );
    },
    getUnitClocks: async ({ params }) =>
      unitTasks.read(await addressedUnits(context, 'units', params.reactor_unit), '/unit_api/system/utc_clock'),
    setClocks: setClocksHandler(context),
    uploadToLeader: async ({ upload }) => {
      await expectUploads(context.dataFolder);
      const { path, uploadId, sha256 } = await receiveUpload(upload, machine);
      return { status: 200, body: { message: 'The file was received.', save_path: path, upload_id: uploadId, sha256 } };
    },
    ...updateHandlers(options, files),
    ...dataHandlers(options, files),
    getWorkerTaskResult: async ({ params: { reactor_unit: unit, task_id }, signal }) => {
      await expectOneWorker(context, unit);
      const options = { limitMs: taskReadLimitMs, signal };
      const task = await askUnit(fleet, unit, nodeApi.getTaskResult, { params: { task_id } }, options);
      return task.status === 'succeeded' || task.status === 'failed'
        ? { status: 200, body: PreparedJson.of(task) }
        : { status: 202, body: PreparedJson.of(task) };
    },
    ...usbHandlers(options),
    getLocalAccessPoint: async () => ({ status: 200, body: { active: await host.isAccessPoint() } }),
    isLocalAccessPointActive: async () => ({ status: 200, body: { result: await host.isAccessPoint() } }),
    getStaticFile: staticFile(webUi),
  };
}

const receiveUpload = (upload: IncomingUpload, { uploadLimitBytes }: LeaderMachine): Promise<StagedUpload> =>
  upload.receive(uploadLimitBytes === undefined ? {} : { limitBytes: uploadLimitBytes });

/** The units that a request names, or all of them. @throws ApiError units_unknown */
async function updateTargets(context: LeaderContext, units: string | readonly string[]): Promise<readonly string[]> {
  if (units === broadcast) return addressedUnits(context, 'units', broadcast);
  const named = typeof units === 'string' ? [units] : [...new Set(units)];
  const unknown: string[] = [];
  for (const unit of named) {
    await expectKnown(context, unit).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      unknown.push(unit);
    });
  }
  if (unknown.length > 0 || named.length === 0) {
    throw new ApiError('units_unknown', { units: unknown.join(', ') || 'no unit is named' });
  }
  return named;
}

/** Updates of units through the leader. */
function updateHandlers(
  { context, machine, version }: LeaderSystemOptions,
  files: UnitFiles,
): Handlers<Pick<Routes, 'updateFromArchive' | 'updateToNextVersion'>> {
  const { tasks, leader } = context;
  const { uploads, usb, releases } = machine;
  const update = new ClusterUpdate({ context, version, uploads, files });
  tasks.register(update);

  const targetsOf = (units: string | readonly string[]) => updateTargets(context, units);
  /** Refuses in advance what each unit would refuse. @throws ApiError update_option_invalid */
  const expectNoDowngrade = (units: readonly string[], to: string) => {
    const running = (unit: string) => (unit === leader ? version : context.units.statusOf(unit)?.app_version);
    const isNewer = (unit: string) => compareVersions(running(unit) ?? to, to) > 0;
    if (!units.every(isNewer)) return;
    const cause = `Version ${to} is older than the running version of ${units.join(', ')}.`;
    throw new ApiError('update_option_invalid', { cause });
  };
  /** The copy is verified, not the original, which could be exchanged meanwhile. */
  const begin = async (place: string, units: readonly string[]) => {
    await expectReleaseSize(place);
    const staged = await uploads.stageFile(place, 'release.zip');
    try {
      const { version: to } = await verifyRelease(staged.path, releases.keys);
      expectNoDowngrade(units, to);
      const input = { uploadId: staged.uploadId, to, units };
      const answer = await acceptOrLocked({ unit: leader, tasks }, update, input);
      if ('lock' in answer.body) await uploads.remove(staged);
      return answer;
    } catch (error) {
      await uploads.remove(staged);
      throw error;
    }
  };
  return {
    updateFromArchive: async ({ body: { release_archive_location: place, units } }) => {
      const targets = await targetsOf(units);
      if (tasks.isBusy(update.lock)) return lockedAnswer(update.lock);
      const path = await releaseFile({ uploads, usb }, place);
      if (path === undefined) {
        const cause = 'release_archive_location is neither an upload of the last 24 hours nor on a mounted drive.';
        throw new ApiError('update_option_invalid', { cause });
      }
      return begin(path, targets);
    },
    updateToNextVersion: async ({ body: { units = broadcast } }) => {
      const targets = await targetsOf(units);
      if (tasks.isBusy(update.lock)) return lockedAnswer(update.lock);
      const { path } = await configuredRelease(releases.folder, version, undefined);
      return begin(path, targets);
    },
  };
}
