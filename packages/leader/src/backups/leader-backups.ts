import { mkdir, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ApiError, type MadeBackup } from '@lcs/contract';
import { leaderSettings } from '@lcs/domain';
import {
  type BackupRetention,
  backupZip,
  bytesOf,
  type FoundBackup,
  listBackups,
  makeBackup,
  pruneBackups,
} from '@lcs/node';
import { errnoOf, type IniView, reasonOf, StartupError, StoreError, type TaskContext } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import { loadLeaderSetting } from '../core/leader-file.ts';
import { type BackupPlace, backupIntervalMs, backupRetention } from './backup-settings.ts';

/** Photos of notes have new names, and are never written again. */
const notePhoto = /^storage\/note_photos\/[0-9a-f-]{36}\.(jpg|png|webp)$/;

export interface LeaderBackupsOptions {
  readonly context: Pick<LeaderContext, 'leader' | 'clock' | 'dataFolder' | 'change' | 'database' | 'log'>;
  readonly version: string;
  readonly place: BackupPlace;
  /** Whether the store is not in the data folder. */
  readonly storeIsElsewhere?: boolean;
  /** The active configuration. */
  readonly config: () => IniView;
  /** Called with the outcome of each backup: the reason of its failure, or null. */
  readonly report: (problem: string | null) => void;
}

/** A copy of the data folder would be taken for a backup. */
const storeElsewhere =
  'The store is in PostgreSQL. Back it up with the tools of PostgreSQL (docs/postgresql.md), together with the data folder.';

/** Makes and lists backups of the leader. */
export class LeaderBackups {
  readonly place: BackupPlace;
  readonly #options: LeaderBackupsOptions;
  /** Resolves when the running backup has ended. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: LeaderBackupsOptions) {
    this.#options = options;
    this.place = options.place;
  }

  /**
   * The reason of the last failure; null: the last backup succeeded, or none was made yet. Stored on disk, so that a restart keeps it.
   * @param newestAtMs of the newest existing one: an earlier failure is obsolete
   */
  async problem(newestAtMs: number | undefined): Promise<string | null> {
    const last = await this.#options.context.database.read.selectFrom('backup_outcome').selectAll().executeTakeFirst();
    return last === undefined || (newestAtMs !== undefined && newestAtMs > last.at) ? null : last.problem;
  }

  get intervalMs(): number {
    return backupIntervalMs(this.#options.config());
  }

  get retention(): BackupRetention {
    return backupRetention(this.#options.config(), this.place);
  }

  /** Whether backups made now contain the keys of the leader; null: its file cannot be read. */
  async hasPassphrase(): Promise<boolean | null> {
    const { dataFolder } = this.#options.context;
    try {
      return ((await loadLeaderSetting(dataFolder, leaderSettings.backupPassphrase)) ?? '') !== '';
    } catch (error) {
      if (error instanceof StartupError) return null;
      throw error;
    }
  }

  /** Newest first. @throws ApiError backup_place_missing */
  async list(): Promise<readonly FoundBackup[]> {
    await this.expectPlace();
    return listBackups(this.place.folder, this.#options.context.leader);
  }

  /** A backup as a zip. @throws ApiError backup_place_missing, backup_not_found */
  async zip(name: string): Promise<AsyncGenerator<Uint8Array>> {
    // A name of the list: no other folder of this machine can be read.
    if (!(await this.list()).some(({ folder }) => folder === name))
      throw new ApiError('backup_not_found', { backup: name, cause: 'It is not in the list of backups.' });
    return backupZip(this.place.folder, name);
  }

  /**
   * A drive that is not mounted leaves an empty folder or none: this method never creates the folder of a second disk.
   * @throws ApiError backup_place_missing
   */
  async expectPlace(): Promise<void> {
    const { folder, isSecond } = this.place;
    try {
      if (!isSecond) await mkdir(folder, { recursive: true, mode: 0o700 });
      if ((await stat(folder)).isDirectory()) return;
    } catch (error) {
      const cause =
        errnoOf(error) === 'ENOENT' ? 'The folder does not exist.' : `It cannot be used: ${reasonOf(error)}.`;
      throw new ApiError('backup_place_missing', { place: folder, cause });
    }
    throw new ApiError('backup_place_missing', { place: folder, cause: 'It is not a folder.' });
  }

  /** One after the other. @throws ApiError backup_place_missing, backup_failed; the signal's reason */
  make(work: Pick<TaskContext, 'signal' | 'progress'>): Promise<MadeBackup> {
    const made = this.#turn.then(() => this.#make(work));
    this.#turn = made.catch(() => {});
    return made;
  }

  async #make({ signal, progress }: Pick<TaskContext, 'signal' | 'progress'>): Promise<MadeBackup> {
    signal.throwIfAborted();
    const { context, version } = this.#options;
    try {
      if (this.#options.storeIsElsewhere) throw new ApiError('backup_failed', { cause: storeElsewhere });
      await this.expectPlace();
      const { path, manifest } = await makeBackup({
        dataFolder: context.dataFolder,
        destination: this.place.folder,
        name: context.leader,
        version,
        nowMs: context.clock.now(),
        isUnchanging: (name) => notePhoto.test(name),
        passphrase: await loadLeaderSetting(context.dataFolder, leaderSettings.backupPassphrase),
        signal,
        progress,
      });
      const removed = await pruneBackups(this.place.folder, context.leader, this.retention);
      const bytes = bytesOf(manifest);
      await this.#ended(null);
      await this.#logEvent('INFO', `A backup was made: ${(bytes / 1e6).toFixed(1)} MB.`);
      return { backup_name: basename(path), place: this.place.folder, bytes, removed };
    } catch (error) {
      signal.throwIfAborted();
      const failure = failureOf(error);
      if (failure === undefined) {
        await this.#ended('An unexpected error; the log of the leader contains it.');
        throw error;
      }
      await this.#ended(failure.body.cause);
      await this.#logEvent('ERROR', `No backup was made: ${failure.body.cause}`);
      throw failure;
    }
  }

  async #ended(problem: string | null): Promise<void> {
    const { context, report } = this.#options;
    report(problem);
    const outcome = { at: Math.floor(context.clock.now()), problem };
    try {
      await context.database.write((transaction) =>
        transaction
          .insertInto('backup_outcome')
          .values({ id: 1, ...outcome })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(outcome))
          .execute(),
      );
    } catch (error) {
      context.log.error('The outcome of a backup could not be stored', { problem, error: String(error) });
    }
  }

  #logEvent(level: 'INFO' | 'ERROR', message: string): Promise<void> {
    return this.#options.context.change((_, effects) => effects.logEvent({ level, message, task: 'backup_database' }));
  }
}

/** The error for people; undefined: an unexpected error of this program. */
function failureOf(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof StoreError) return new ApiError('backup_failed', { cause: error.message });
  if (errnoOf(error) === undefined) return undefined;
  return new ApiError('backup_failed', { cause: `A file could not be copied: ${reasonOf(error)}.` });
}
