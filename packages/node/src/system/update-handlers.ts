import { copyFile, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, type Handler, type Handlers, type nodeSystemRoutes } from '@lcs/contract';
import { compareVersions } from '@lcs/domain';
import type { TaskContext } from '@lcs/platform';
import { expectReleaseSize, verifyRelease } from '../archives/release-archive.ts';
import type { UsbDrives } from '../host/usb-drives.ts';
import { acceptOrLocked, lockedAnswer } from './accept.ts';
import { locks, type NodeSystemOptions } from './node-system.ts';
import { isNodeStopping, restartOwnProgram } from './own-restart.ts';
import { RateWindow } from './rate-window.ts';
import { configuredRelease, releaseFile } from './releases.ts';
import { forgetRestart, noteRestart, restartNote } from './update-note.ts';

type Routes = typeof nodeSystemRoutes;
type UpdateRoutes = Pick<Routes, 'updateNode' | 'updateNodeByPatch' | 'updateNodeTarget' | 'updateNodeTargetByPatch'>;

const windowMs = 10_000;
/** Free space that a copy leaves for the databases of the node. */
const reserveBytes = 64 * 1024 * 1024;
const targets = ['app', 'ui'];

interface UpdateInput {
  readonly [name: string]: string;
  /** The verified copy. */
  readonly archive: string;
  readonly from: string;
  readonly to: string;
}

const invalid = (cause: string) => new ApiError('update_option_invalid', { cause });

/** The two options of an update. @throws ApiError update_option_invalid */
function readOptions({
  options = {},
  args = [],
}: {
  readonly options?: Record<string, unknown>;
  readonly args?: string[];
}) {
  if (args.length > 0) throw invalid('args are not supported.');
  const unknown = Object.keys(options).find((name) => name !== 'source' && name !== 'version');
  if (unknown !== undefined) throw invalid(`The option ${unknown} is unknown.`);
  const { source, version } = options;
  if (source !== undefined && typeof source !== 'string') throw invalid('source must be a text.');
  if (version !== undefined && typeof version !== 'string') throw invalid('version must be a text.');
  if (source !== undefined && version !== undefined) throw invalid('source and version exclude each other.');
  return { source, version };
}

/** The routes for installing another version of the program on this node. */
export function updateHandlers(options: NodeSystemOptions, usb: UsbDrives): Handlers<UpdateRoutes> {
  const { tasks, wire, uploads, version: current, dataFolder, releases, newId } = options;
  const folder = join(dataFolder, 'run', 'updates');
  const window = new RateWindow(windowMs, () => wire.monotonic());
  const update = updateKind(options, join(folder, 'restart.json'));
  tasks.register(update);

  /** A verified copy under an unpredictable name. */
  const verifiedCopy = async (place: string): Promise<UpdateInput> => {
    await expectReleaseSize(place);
    const [{ size }, { availableBytes }] = await Promise.all([stat(place), options.host.diskSpace(dataFolder)]);
    if (size + reserveBytes > availableBytes) throw new ApiError('storage_full', {});
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const archive = join(folder, `${newId()}.zip`);
    try {
      await copyFile(place, archive);
      const { version: to } = await verifyRelease(archive, releases.keys);
      const difference = compareVersions(to, current);
      if (difference === 0) throw invalid(`Version ${to} is running already.`);
      if (difference < 0) throw invalid(`Version ${to} is older than ${current}, which is running.`);
      return { archive, from: current, to };
    } catch (error) {
      await rm(archive, { force: true });
      throw error;
    }
  };
  const placeOf = async (body: Parameters<typeof readOptions>[0]): Promise<string> => {
    const { source, version } = readOptions(body);
    if (source === undefined) return (await configuredRelease(releases.folder, current, version)).path;
    const offered = await releaseFile({ uploads, usb }, source);
    if (offered === undefined)
      throw invalid('source is neither an upload of the last 24 hours nor on a mounted drive.');
    return offered;
  };
  const begin = async (body: Parameters<typeof readOptions>[0]) => {
    if (tasks.isBusy(locks.update)) return lockedAnswer(locks.update);
    const place = await placeOf(body);
    const refusal = options.host.refusal ?? releases.installer.refusal;
    if (refusal !== undefined) throw new ApiError('host_no_right', { what: 'install a version', cause: refusal });
    window.check();
    const input = await verifiedCopy(place);
    const answer = await acceptOrLocked(options, update, input, window);
    if ('lock' in answer.body) await rm(input.archive, { force: true });
    return answer;
  };
  const ofApp: Handler<Routes['updateNode']> = ({ body }) => begin(body);
  const ofTarget: Handler<Routes['updateNodeTarget']> = ({ params: { target }, body }) => {
    if (!targets.includes(target)) throw new ApiError('update_target_unknown', { target });
    return begin(body);
  };
  return {
    updateNode: ofApp,
    updateNodeByPatch: ofApp,
    updateNodeTarget: ofTarget,
    updateNodeTargetByPatch: ofTarget,
  };
}

/** The task: it requests a restart and continues after it; the running version shows the result. */
const updateKind = (options: NodeSystemOptions, note: string) => ({
  kind: 'system.update',
  lock: locks.update,
  whenBusy: 'refuse' as const,
  resumable: true,
  run: async ({ archive, from, to }: UpdateInput, { taskId, signal, progress }: TaskContext) => {
    const { version: current, releases, stopJobs, log } = options;
    const { installer, keys } = releases;
    const finish = async () => {
      await rm(archive, { force: true });
      await forgetRestart(note);
    };
    try {
      if (current === to) {
        log.info('Update of the program done', { from, to });
      } else {
        if ((await restartNote(note, taskId)) !== undefined)
          throw new ApiError('update_not_in_force', { wanted: to, version: current });
        progress(0.2, `Installing ${to}`);
        await installer.install(archive, keys, signal);
        progress(0.8, 'Stopping jobs');
        await stopJobs();
        signal.throwIfAborted();
        progress(0.9, `Restarting into ${to}`);
        await noteRestart(note, { task_id: taskId, to, before: await installer.chosen() });
        // Selects the version directly before the request to restart, because any later start runs it.
        await installer.choose(to);
        await restartOwnProgram(options, signal);
      }
    } catch (error) {
      if (!isNodeStopping(signal)) {
        const asked = await restartNote(note, taskId);
        if (asked !== undefined) await installer.choose(asked.before);
        await finish();
      }
      throw error;
    }
    await finish();
    return { from, to };
  },
});
