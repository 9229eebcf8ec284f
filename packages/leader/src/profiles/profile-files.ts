import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ApiError } from '@lcs/contract';
import { validateProfileFileName } from '@lcs/domain';
import { type Clock, errnoOf, reasonOf, type Service, toTimestamp, writeFileDurably } from '@lcs/platform';

/** A profile on the disk. */
export interface ProfileFile {
  readonly filename: string;
  readonly fullPath: string;
  readonly text: string;
  /** Entity tag of the text. */
  readonly etag: string;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

export interface ProfileFilesOptions {
  readonly dataFolder: string;
  readonly clock: Pick<Clock, 'now'>;
}

export interface SaveOptions {
  /** Default: the file must exist. */
  readonly mayBeNew?: boolean;
  /** Entity tags of which one must be that of the text that is replaced. */
  readonly ifMatch?: string;
}

/** A larger file is not a profile. */
const mostBytes = 1_048_576;

/** Folder of replaced or deleted profiles, below the folder of profiles. */
const historyFolder = '.history';
/** Earlier texts of one name that are kept. */
const keptTexts = 1_000;

const etagOf = (text: string): string => `"${createHash('sha256').update(text).digest('hex')}"`;

const matches = (ifMatch: string, etag: string): boolean =>
  ifMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim() === etag);

/** The folder of profiles. It includes files copied there by hand, but not links and special files. */
export class ProfileFiles implements Service {
  readonly name = 'profile files';
  readonly folder: string;
  readonly #clock: Pick<Clock, 'now'>;
  /** Changes run one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ dataFolder, clock }: ProfileFilesOptions) {
    this.folder = join(dataFolder, 'experiment_profiles');
    this.#clock = clock;
  }

  async start(): Promise<void> {
    await mkdir(this.folder, { recursive: true });
  }

  async stop(): Promise<void> {
    await this.#last;
  }

  /** All profiles, the one changed last first. @throws ApiError profiles_unreadable */
  async list(): Promise<readonly ProfileFile[]> {
    const names = await onDisk(() => readdir(this.folder));
    const files = await Promise.all(names.map((name) => this.find(name)));
    const found = files.filter((file) => file !== undefined);
    return found.sort((a, b) => b.changedAt - a.changedAt || a.filename.localeCompare(b.filename));
  }

  /** Undefined: the file does not exist, or its name is not valid. @throws ApiError profiles_unreadable */
  async find(filename: string): Promise<ProfileFile | undefined> {
    const validated = validateProfileFileName(filename);
    if (!validated.ok || validated.filename !== filename) return undefined;
    const fullPath = join(this.folder, filename);
    return onDisk(async () => {
      try {
        const entry = await lstat(fullPath);
        if (!entry.isFile() || entry.size > mostBytes) return undefined;
        const text = await readFile(fullPath, 'utf8');
        return { filename, fullPath, text, etag: etagOf(text), changedAt: entry.mtimeMs };
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') return undefined;
        throw error;
      }
    });
  }

  /** @throws ApiError profile_not_found, profiles_unreadable */
  async get(filename: string): Promise<ProfileFile> {
    const file = await this.find(filename);
    if (file === undefined) throw new ApiError('profile_not_found', { filename });
    return file;
  }

  /**
   * The profile that a start names: by file name, or by its path on this machine as lists show it.
   * @throws ApiError profile_not_found, profiles_unreadable
   */
  async named(nameOrPath: string): Promise<ProfileFile> {
    if (basename(nameOrPath) === nameOrPath) return this.get(nameOrPath);
    if (dirname(resolve(nameOrPath)) !== resolve(this.folder))
      throw new ApiError('profile_not_found', { filename: nameOrPath });
    return this.get(basename(nameOrPath));
  }

  /** @throws ApiError profile_exists, profiles_unreadable */
  create(filename: string, text: string): Promise<void> {
    return this.#inTurn(async () => {
      if ((await this.find(filename)) !== undefined) throw new ApiError('profile_exists', { filename });
      await this.#write(filename, text);
    });
  }

  /** @throws ApiError profile_not_found, profile_changed, profiles_unreadable */
  replace(filename: string, text: string, { mayBeNew = false, ifMatch }: SaveOptions): Promise<void> {
    return this.#inTurn(async () => {
      const before = mayBeNew ? await this.find(filename) : await this.get(filename);
      if (ifMatch !== undefined && !(before && matches(ifMatch, before.etag)))
        throw new ApiError('profile_changed', { filename });
      if (before && before.text !== text) {
        const path = await this.#historyPath(filename);
        await onDisk(() => writeFileDurably(path, before.text));
      }
      await this.#write(filename, text);
    });
  }

  /** @throws ApiError profile_not_found, profile_changed, profiles_unreadable */
  remove(filename: string, ifMatch?: string): Promise<void> {
    return this.#inTurn(async () => {
      const { fullPath, etag } = await this.get(filename);
      if (ifMatch !== undefined && !matches(ifMatch, etag)) throw new ApiError('profile_changed', { filename });
      const path = await this.#historyPath(filename);
      await onDisk(() => rename(fullPath, path));
    });
  }

  async #write(filename: string, text: string): Promise<void> {
    await onDisk(() => writeFileDurably(join(this.folder, filename), text));
  }

  /** Moves the present text of a profile to the history: its name gets the time, and a number if that exists. The oldest is deleted. */
  async #historyPath(filename: string): Promise<string> {
    const folder = join(this.folder, historyFolder, filename);
    return onDisk(async () => {
      await mkdir(folder, { recursive: true });
      const names = await readdir(folder);
      for (const name of names.sort().slice(0, Math.max(0, names.length + 1 - keptTexts))) await rm(join(folder, name));
      const taken = new Set(names);
      const moment = toTimestamp(this.#clock.now()).replaceAll(':', '-');
      for (let number = 0; ; number += 1) {
        const name = number === 0 ? `${moment}.yaml` : `${moment}-${number}.yaml`;
        if (!taken.has(name)) return join(folder, name);
      }
    });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    // For the order only; the caller receives the outcome.
    this.#last = turn.catch(() => {});
    return turn;
  }
}

/** Errors of the file system are reported without the path of this machine. */
async function onDisk<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    throw new ApiError('profiles_unreadable', { cause: reasonOf(error) });
  }
}
