import { ApiError, type Still } from '@lcs/contract';
import { GuardLost, GuardRefused } from '@lcs/hardware';
import type { JobMqtt } from '@lcs/node';
import type { Clock, TaskContext, TaskKind } from '@lcs/platform';
import type { NewNote } from '../outbox/new-record.ts';
import { CaptureFailed } from './camera.ts';
import type { CameraConfig } from './camera-config.ts';
import type { Snapshots } from './snapshots.ts';
import { newImageId, type StillStore, type StoredStill, shownStill } from './still-store.ts';

/** A request for a still. */
export type StillRequest = {
  readonly experiment: string;
  readonly experiment_uid: string;
  readonly capture_reason: 'scheduled' | 'manual';
};

export interface StillsOptions {
  readonly unit: string;
  readonly store: StillStore;
  readonly snapshots: Pick<Snapshots, 'take'>;
  readonly config: () => CameraConfig;
  /** The experiment that this unit is in. */
  readonly current: () => { readonly name: string; readonly uid: string } | undefined;
  readonly clock: Pick<Clock, 'hold'>;
  readonly mqtt: JobMqtt;
  readonly note: (note: NewNote) => void;
  readonly newId: () => string;
}

/** Expected failures become `capture_failed`; other errors are thrown unchanged. */
function refuse(error: unknown): never {
  if (error instanceof CaptureFailed) throw new ApiError('capture_failed', { cause: error.message });
  if (error instanceof GuardRefused && error.code === 'output_taken')
    throw new ApiError('capture_failed', { cause: 'The infrared LED is in use by another job.' });
  if (error instanceof GuardRefused || error instanceof GuardLost)
    throw new ApiError('capture_failed', { cause: error.message });
  throw error;
}

/** Takes, stores and publishes stills. */
export class Stills {
  /** Register it before the tasks start. */
  readonly kind: TaskKind<StillRequest>;
  readonly #options: StillsOptions;

  constructor(options: StillsOptions) {
    this.#options = options;
    this.kind = {
      kind: 'camera.still',
      lock: 'camera-lock',
      run: (request, context) => this.#take(request, context),
    };
  }

  /** @throws ApiError unit_outside_experiment */
  expectMember(experiment: string): { readonly name: string; readonly uid: string } {
    const { unit, current } = this.#options;
    const now = current();
    if (now?.name !== experiment) throw new ApiError('unit_outside_experiment', { unit, experiment });
    return now;
  }

  /** Publishes the newest still of an experiment as a retained message; empty when there is none. */
  async showLatest(experiment: string): Promise<void> {
    const { unit, store, mqtt } = this.#options;
    const latest = (await store.of(experiment)).at(-1);
    const payload = latest === undefined ? '' : JSON.stringify(shownStill(latest));
    mqtt.publish(`reactor/${unit}/${experiment}/camera/latest_still`, payload, { retain: true, qos: 1 });
  }

  async #take({ experiment, experiment_uid: uid, capture_reason: reason }: StillRequest, { signal }: TaskContext) {
    const { store, snapshots, config, newId } = this.#options;
    const { isEnabled, mostBytes } = config();
    if (!isEnabled) throw new ApiError('capture_failed', { cause: '[camera] enabled is 0 in the configuration.' });
    this.#expectStill(experiment, uid);
    this.#expectSpace(mostBytes);
    const { jpeg, atMs } = await snapshots.take(experiment, signal).catch(refuse);
    // The still belongs to the unit's experiment at the time of the request, if the unit is still in it.
    this.#expectStill(experiment, uid);
    const capturedAtMs = Math.floor(atMs);
    const imageId = newImageId(capturedAtMs, newId());
    // Virtual time waits for the disk.
    const release = this.#options.clock.hold('a still on its way to the disk');
    try {
      const still = await store.add({ imageId, experiment, experimentUid: uid, capturedAtMs, reason }, jpeg);
      await store.keepWithin(config());
      this.#noteStill(still);
      await this.showLatest(experiment);
      return { ...shownStill(still) } satisfies Still;
    } finally {
      release();
    }
  }

  #expectStill(experiment: string, uid: string): void {
    if (this.expectMember(experiment).uid === uid) return;
    throw new ApiError('unit_outside_experiment', { unit: this.#options.unit, experiment });
  }

  /** Manual stills are never removed automatically: when they alone fill the space, no still can be taken. */
  #expectSpace(mostBytes: number): void {
    const manual = this.#options.store.all.filter(({ reason }) => reason === 'manual');
    const bytes = manual.reduce((sum, still) => sum + still.bytes, 0);
    if (bytes < mostBytes) return;
    throw new ApiError('capture_failed', {
      cause: 'Stills that people have taken fill [camera] max_mb: delete some, or allow more.',
    });
  }

  #noteStill(still: StoredStill): void {
    const data = { ...shownStill(still) };
    const about = { experiment_uid: still.experimentUid, source: 'camera', message: null };
    this.#options.note({ kind: 'event', name: 'still', ...about, data });
  }
}
