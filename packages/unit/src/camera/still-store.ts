import { createHash } from 'node:crypto';
import { link, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, type Still } from '@lcs/contract';
import { type Database, errnoOf, type Log, type Service, toTimestamp, writeFileDurably } from '@lcs/platform';
import type { CameraTables } from './camera-tables.ts';
import { type RetentionLimits, stillsToRemove } from './retention.ts';

/** A stored still. */
export interface StoredStill {
  readonly imageId: string;
  readonly experiment: string;
  readonly experimentUid: string;
  readonly capturedAtMs: number;
  readonly reason: 'scheduled' | 'manual';
  readonly bytes: number;
  readonly sha256: string;
}

export type NewStill = Omit<StoredStill, 'bytes' | 'sha256'>;

export interface StillStoreOptions {
  readonly dataFolder: string;
  readonly database: Pick<Database<CameraTables>, 'read' | 'write'>;
  /** The experiment that this unit is in. */
  readonly current: () => { readonly name: string; readonly uid: string } | undefined;
  readonly log: Log;
}

const namePattern = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}$/;
/** The pattern of generated names. */
const ownName = /^\d{8}T\d{6}\.\d{6}Z-[0-9a-f]{8}\.jpg$/;
const suffix = '.jpg';

const isStillName = (name: string): boolean => namePattern.test(name);

/** `20260818T153654.612000Z-9ea92960` */
export const newImageId = (atMs: number, id: string): string =>
  `${toTimestamp(atMs).replaceAll(/[-:]/g, '').replace('Z', '000Z')}-${id.replaceAll('-', '').slice(0, 8)}`;

/** The form in responses, tasks and topics. */
export const shownStill = ({ experiment, capturedAtMs, imageId, reason }: StoredStill): Still => ({
  experiment,
  captured_at: toTimestamp(capturedAtMs),
  image_id: imageId,
  capture_reason: reason,
});

const byTime = (one: StoredStill, other: StoredStill): number =>
  one.capturedAtMs - other.capturedAtMs || (one.imageId < other.imageId ? -1 : 1);

/** The stills of a unit: a file and a row each. A row without its file does not count. */
export class StillStore implements Service {
  readonly name = 'stills';
  readonly #options: StillStoreOptions;
  readonly #folder: string;
  readonly #stills = new Map<string, StoredStill>();
  /** All changes, one after the other. Never rejects. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: StillStoreOptions) {
    this.#options = options;
    this.#folder = join(options.dataFolder, 'storage', 'camera_stills');
  }

  async start(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const rows = await this.#options.database.read.selectFrom('camera_stills').selectAll().execute();
    this.#stills.clear();
    for (const { image_id: imageId, experiment_uid, captured_at, capture_reason, ...row } of rows) {
      const still = { imageId, experimentUid: experiment_uid, capturedAtMs: captured_at, reason: capture_reason };
      this.#stills.set(imageId, { ...row, ...still });
    }
    await this.#removeLeftovers();
  }

  async stop(): Promise<void> {
    await this.#work;
  }

  /** The path of the image. */
  pathOf({ imageId }: Pick<StoredStill, 'imageId'>): string {
    return join(this.#folder, imageId + suffix);
  }

  /**
   * The stills of an experiment whose files are there, oldest first. A name that was used again is the experiment that the
   * unit is in, when it is in one of that name; else all that ever had the name.
   */
  async of(experiment: string): Promise<readonly StoredStill[]> {
    return this.#present(this.#meant(experiment));
  }

  /** The still with this file name. @throws ApiError still_unknown */
  async one(experiment: string, image: string): Promise<StoredStill> {
    const imageId = image.endsWith(suffix) ? image.slice(0, -suffix.length) : '';
    const known = this.#stills.get(imageId);
    const [still] =
      known === undefined ? [] : await this.#present(this.#meant(experiment).filter((one) => one === known));
    if (still === undefined) throw new ApiError('still_unknown', { image, experiment });
    return still;
  }

  /** All stills, including those without files. */
  get all(): readonly StoredStill[] {
    return [...this.#stills.values()];
  }

  /** File and row are on disk when this resolves. */
  add(still: NewStill, jpeg: Uint8Array): Promise<StoredStill> {
    return this.#inTurn(async () => {
      const sha256 = createHash('sha256').update(jpeg).digest('hex');
      const stored: StoredStill = { ...still, bytes: jpeg.byteLength, sha256 };
      await writeFileDurably(this.pathOf(still), jpeg, { mode: 0o644 });
      const { imageId: image_id, experiment, experimentUid: experiment_uid, capturedAtMs: captured_at, bytes } = stored;
      const row = { image_id, experiment, experiment_uid, captured_at, capture_reason: still.reason, bytes, sha256 };
      await this.#options.database.write((transaction) =>
        transaction.insertInto('camera_stills').values(row).execute(),
      );
      this.#stills.set(image_id, stored);
      return stored;
    });
  }

  /** The name may have the file extension, which is not part of it. @throws ApiError still_unknown, still_exists, still_name_invalid */
  rename(experiment: string, image: string, newName: string): Promise<StoredStill> {
    return this.#inTurn(async () => {
      const still = await this.one(experiment, image);
      const newId = newName.endsWith(suffix) ? newName.slice(0, -suffix.length) : newName;
      if (!isStillName(newId)) throw new ApiError('still_name_invalid', { name: newName });
      if (newId === still.imageId) return still;
      if (this.#stills.has(newId)) throw new ApiError('still_exists', { image: newId });
      const renamed: StoredStill = { ...still, imageId: newId };
      await this.#linked(still, renamed);
      await this.#options.database.write((transaction) =>
        transaction
          .updateTable('camera_stills')
          .set({ image_id: newId })
          .where('image_id', '=', still.imageId)
          .execute(),
      );
      this.#stills.delete(still.imageId);
      this.#stills.set(newId, renamed);
      await rm(this.pathOf(still), { force: true });
      return renamed;
    });
  }

  /** @throws ApiError still_unknown */
  removeOne(experiment: string, image: string): Promise<StoredStill> {
    return this.#inTurn(async () => {
      const still = await this.one(experiment, image);
      await this.#remove([still]);
      return still;
    });
  }

  /** Removes those of a name, or of one experiment; returns the removed ones. */
  removeAll(experiment: string, experimentUid?: string): Promise<readonly StoredStill[]> {
    return this.#inTurn(async () => {
      const meant = this.all.filter((still) =>
        experimentUid === undefined ? still.experiment === experiment : still.experimentUid === experimentUid,
      );
      await this.#remove(meant);
      return meant.toSorted(byTime);
    });
  }

  /** Removes stills above the limits; returns the removed ones. */
  keepWithin(limits: RetentionLimits): Promise<readonly StoredStill[]> {
    return this.#inTurn(async () => {
      const ids = new Set(stillsToRemove(await this.#present(this.all), limits).map(({ imageId }) => imageId));
      const gone = this.all.filter(({ imageId }) => ids.has(imageId));
      await this.#remove(gone);
      return gone;
    });
  }

  #meant(experiment: string): readonly StoredStill[] {
    const current = this.#options.current();
    return this.all.filter((still) =>
      current?.name === experiment ? still.experimentUid === current.uid : still.experiment === experiment,
    );
  }

  async #present(stills: readonly StoredStill[]): Promise<readonly StoredStill[]> {
    const files = new Set(await readdir(this.#folder));
    return stills.filter(({ imageId }) => files.has(imageId + suffix)).toSorted(byTime);
  }

  /** A second name for the file, so that a crash in between leaves it under the one that its row has. */
  async #linked(still: StoredStill, renamed: StoredStill): Promise<void> {
    try {
      await link(this.pathOf(still), this.pathOf(renamed));
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') throw new ApiError('still_exists', { image: renamed.imageId });
      throw error;
    }
  }

  /** Rows first: a file without a row is removed at the next start, a row without a file would be a still that is not. */
  async #remove(stills: readonly StoredStill[]): Promise<void> {
    if (stills.length === 0) return;
    await this.#options.database.write(async (transaction) => {
      for (const { imageId } of stills) {
        await transaction.deleteFrom('camera_stills').where('image_id', '=', imageId).execute();
      }
    });
    for (const still of stills) {
      this.#stills.delete(still.imageId);
      await rm(this.pathOf(still), { force: true });
    }
  }

  /** Removes what a crash has left. Files of users have other names. */
  async #removeLeftovers(): Promise<void> {
    const isLeft = (file: string): boolean => ownName.test(file) && !this.#stills.has(file.slice(0, -suffix.length));
    const left = (await readdir(this.#folder)).filter((file) => isLeft(file) || /^\..*\.tmp$/.test(file));
    for (const file of left) await rm(join(this.#folder, file), { force: true });
    if (left.length > 0) this.#options.log.info('Pictures without a record were removed', { count: left.length });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#work.then(work);
    // Only the order is kept here; the caller has the outcome.
    this.#work = done.catch(() => {});
    return done;
  }
}
