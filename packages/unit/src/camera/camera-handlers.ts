import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { ApiError, type Handlers, StreamBody, type unitCameraRoutes } from '@lcs/contract';
import { resultPath, storedZip } from '@lcs/node';
import { type Clock, errnoOf, type TaskRunner } from '@lcs/platform';
import type { Camera, CameraFacts } from './camera.ts';
import type { CameraConfig } from './camera-config.ts';
import type { CameraSwitch } from './camera-switch.ts';
import { previewIn, previewWithinBytes } from './preview.ts';
import { type StillStore, type StoredStill, shownStill } from './still-store.ts';
import type { Stills } from './stills.ts';

export interface CameraHandlersOptions {
  readonly unit: string;
  readonly camera: Camera;
  readonly config: () => CameraConfig;
  readonly automatic: CameraSwitch;
  readonly store: StillStore;
  readonly stills: Stills;
  readonly tasks: TaskRunner;
  readonly clock: Pick<Clock, 'now'>;
  /** The experiment that this unit is in. */
  readonly current: () => { readonly uid: string } | undefined;
  /** @throws ApiError storage_full */
  readonly mayTake: () => void;
}

const none: CameraFacts = { detection: 'unknown', isAvailable: false, command: null, isMock: false };

/** The bytes of a still, which may have been deleted in the meantime. @throws ApiError still_unknown */
async function* pictureOf(store: StillStore, still: StoredStill, image: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(store.pathOf(still));
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    throw new ApiError('still_unknown', { image, experiment: still.experiment });
  }
}

/** The small picture in a still; undefined: it has none. @throws ApiError still_unknown */
async function previewOf(store: StillStore, still: StoredStill, image: string): Promise<Uint8Array | undefined> {
  try {
    await using file = await open(store.pathOf(still));
    const { buffer, bytesRead } = await file.read(new Uint8Array(previewWithinBytes), 0, previewWithinBytes, 0);
    return previewIn(buffer.subarray(0, bytesRead));
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    throw new ApiError('still_unknown', { image, experiment: still.experiment });
  }
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The header has the name twice: in UTF-8, and in ASCII for old clients. */
function attachment(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replaceAll("'", '%27')}`;
}

type CameraRoutes = Handlers<typeof unitCameraRoutes>;

/** The camera of a unit and its stills. */
export const cameraHandlers = (options: CameraHandlersOptions): CameraRoutes => ({
  ...cameraSettingsHandlers(options),
  ...stillsHandlers(options),
  ...stillHandlers(options),
});

function cameraSettingsHandlers({ unit, camera, config, automatic, store }: CameraHandlersOptions) {
  return {
    getUnitCameraStatus: async ({ params: { experiment } }) => {
      const settings = config();
      const facts = settings.isEnabled ? await camera.detect(settings) : none;
      const latest = (await store.of(experiment)).at(-1);
      const body = {
        unit,
        detection_status: facts.detection,
        runtime_available: facts.isAvailable,
        capture_command: facts.command,
        mock: facts.isMock,
        latest_still: latest === undefined ? null : shownStill(latest),
        auto_capture_enabled: automatic.isOn,
        snapshot_interval_minutes: settings.intervalMinutes,
      };
      return { status: 200, body };
    },
    changeUnitCameraSettings: async ({ body: { auto_capture_enabled } }) => {
      await automatic.set(auto_capture_enabled);
      return { status: 200, body: { unit, auto_capture_enabled } };
    },
  } satisfies Partial<CameraRoutes>;
}

/** All stills of an experiment. */
function stillsHandlers(options: CameraHandlersOptions) {
  const { unit, store, stills, tasks } = options;
  return {
    listUnitStills: async ({ params: { experiment } }) => ({
      status: 200,
      body: { unit, experiment, stills: (await store.of(experiment)).map(shownStill) },
    }),
    takeUnitStill: async ({ params: { experiment } }) => {
      const { uid: experiment_uid } = stills.expectMember(experiment);
      options.mayTake();
      const { taskId } = await tasks.submit(stills.kind, { experiment, experiment_uid, capture_reason: 'manual' });
      const body = { unit, task_id: taskId, result_url_path: resultPath(taskId), status: 'accepted' } as const;
      return { status: 202, body };
    },
    deleteUnitStills: async ({ params: { experiment }, query: { experiment_uid: uid } }) => {
      if (uid !== undefined && uid === options.current()?.uid) throw new ApiError('unit_still_in_experiment', { unit });
      const deleted = await store.removeAll(experiment, uid);
      await stills.showLatest(experiment);
      return { status: 200, body: { unit, experiment, deleted_image_ids: deleted.map(({ imageId }) => imageId) } };
    },
    zipUnitStills: async ({ params: { experiment } }) => ({
      status: 200,
      headers: { 'content-disposition': attachment(`${unit}_${experiment}_camera_stills.zip`) },
      body: await stillsZip(options, experiment),
    }),
  } satisfies Partial<CameraRoutes>;
}

/** One still. */
function stillHandlers({ store, stills }: CameraHandlersOptions) {
  return {
    getUnitStill: async ({ params: { experiment, image }, query: { size } }) => {
      const still = await store.one(experiment, image);
      const etag = still.sha256.slice(0, 22);
      const preview = size === 'small' ? await previewOf(store, still, image) : undefined;
      if (preview !== undefined) {
        const headers = { 'content-length': String(preview.length), etag: `"${etag}-small"` };
        return { status: 200, headers, body: new StreamBody(single(preview)) };
      }
      const headers = { 'content-length': String(still.bytes), etag: `"${etag}"` };
      return { status: 200, headers, body: new StreamBody(pictureOf(store, still, image)) };
    },
    renameUnitStill: async ({ params: { experiment, image }, body: { new_image_id } }) => {
      const renamed = await store.rename(experiment, image, new_image_id);
      await stills.showLatest(experiment);
      return { status: 200, body: shownStill(renamed) };
    },
    deleteUnitStill: async ({ params: { experiment, image } }) => {
      const still = await store.removeOne(experiment, image);
      await stills.showLatest(experiment);
      return { status: 200, body: shownStill(still) };
    },
  } satisfies Partial<CameraRoutes>;
}

/** The stills of an experiment with a manifest. */
async function stillsZip({ unit, store, clock }: CameraHandlersOptions, experiment: string): Promise<StreamBody> {
  const stored = await store.of(experiment);
  const nameOf = ({ imageId }: StoredStill) => `${imageId}.jpg`;
  const files = stored.map((still) => ({ name: nameOf(still), path: store.pathOf(still) }));
  const manifest = (names: readonly string[]) => {
    const stills = stored.filter((still) => names.includes(nameOf(still))).map(shownStill);
    const text = `${JSON.stringify({ unit, experiment, stills }, null, 2)}\n`;
    return { name: 'camera_stills_manifest.json', text };
  };
  return new StreamBody(storedZip(files, manifest, clock.now()));
}
