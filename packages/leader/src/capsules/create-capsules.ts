import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ApiError, type capsuleRoutes, type Handlers, type Json } from '@lcs/contract';
import { bioreactorSettings, settingOrDefault } from '@lcs/domain';
import type { IniView, TaskContext, TaskKind } from '@lcs/platform';
import type { StorePlace } from '@lcs/platform/sql-reader';
import { firstLine } from '../core/first-line.ts';
import type { LeaderContext } from '../core/leader-context.ts';
import { acceptedTask } from '../core/tasks.ts';
import { type ExportsFolder, exportName } from '../exports/exports-folder.ts';
import { experimentKey } from '../queries/experiments.ts';
import { sampleFlags } from '../series/sample-flags.ts';
import type { CapsuleOrder, CapsuleReply, WrittenCapsule } from './capsule-protocol.ts';

export interface CapsulesOptions {
  readonly context: LeaderContext;
  readonly config: () => IniView;
  readonly place: StorePlace;
  readonly version: string;
  readonly folder: ExportsFolder;
}

type TaskInput = { readonly experiment: string; readonly license: string | null };

const workerUrl = new URL(`./capsule-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
const resourceLimits = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 };

/** Writes a capsule in a thread. @throws ApiError export_failed, or the reason of the signal */
async function written(order: CapsuleOrder, task: TaskContext, onFailure: (message: string) => void) {
  task.signal.throwIfAborted();
  const worker = new Worker(workerUrl, { name: 'capsule', workerData: order, resourceLimits });
  const { promise, resolve, reject } = Promise.withResolvers<WrittenCapsule | null>();
  const abort = () => reject(task.signal.reason);
  const fail = (message: string) => {
    onFailure(message);
    reject(new ApiError('export_failed', { cause: `Writing the capsule failed (${firstLine(message)}).` }));
  };
  task.signal.addEventListener('abort', abort);
  worker.on('message', (reply: CapsuleReply) => {
    if (reply.is === 'progress') task.progress(reply.fraction, reply.message);
    else if (reply.is === 'written') resolve(reply.capsule);
    else fail(reply.message);
  });
  worker.on('error', (error) => fail(error.message));
  worker.on('exit', () => fail('its thread ended'));
  try {
    return await promise;
  } finally {
    task.signal.removeEventListener('abort', abort);
    worker.removeAllListeners();
    // What fails while the thread ends is of no interest, and without a listener it would end the leader.
    worker.on('error', () => {});
    await worker.terminate();
  }
}

/** Run capsules: a task that writes one file with all data of an experiment. Create it before the tasks start. */
export function createCapsules(options: CapsulesOptions): Handlers<typeof capsuleRoutes> {
  const { context, config, place, version, folder } = options;
  const { initialVolume } = bioreactorSettings;
  const kind: TaskKind<TaskInput> = {
    kind: 'make_capsule',
    // It uses the disk as an export does.
    lock: 'export-data-lock',
    run: async ({ experiment, license }, task): Promise<Json> => {
      const nowMs = context.clock.now();
      const filename = exportName(nowMs, context.newId);
      const target = folder.begin(filename);
      const usualVolumeMl = settingOrDefault(config(), initialVolume) || initialVolume.absent;
      const sharedConfigPath = join(context.dataFolder, 'config.ini');
      const shared = { place, sharedConfigPath, path: target.path, experiment, nowMs, version, license };
      try {
        const order = { ...shared, usualVolumeMl, flagBits: { ...sampleFlags } };
        const capsule = await written(order, task, (error) => context.log.error('Writing a capsule failed', { error }));
        if (capsule === null) throw new ApiError('experiment_not_found', { experiment });
        await target.finish();
        await folder.prune(filename);
        return { filename, ...capsule };
      } catch (error) {
        await target.discard();
        throw error;
      }
    },
  };
  context.tasks.register(kind);
  return {
    makeCapsule: async ({ params: { experiment }, body }) => {
      const found = await experimentKey(context.database.read, experiment).executeTakeFirst();
      if (found === undefined) throw new ApiError('experiment_not_found', { experiment });
      const { taskId } = await context.tasks.submit(kind, { experiment, license: body.license ?? null });
      return { status: 202, body: acceptedTask(context.leader, taskId) };
    },
  };
}
