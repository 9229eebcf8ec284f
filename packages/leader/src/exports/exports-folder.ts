import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, type Log, type Service } from '@lcs/platform';

const finishedName = /^export_[0-9A-Za-z_]+\.zip$/;
const unfinishedName = /^\.export_[0-9A-Za-z_]+\.zip\.tmp$/;

/** Limits of age and size. */
export interface ExportRetention {
  readonly keepMs: number;
  readonly keepBytes: number;
}

export interface FinishedExport {
  readonly path: string;
  readonly bytes: number;
  readonly mtimeMs: number;
}

/** `export_20261121044924_3fa9c1.zip`: its start (UTC) and a suffix that makes it unique. */
export const exportName = (nowMs: number, newId: () => string): string => {
  const moment = new Date(nowMs).toISOString().replaceAll(/\D/g, '').slice(0, 14);
  return `export_${moment}_${newId()
    .replaceAll(/[^0-9a-f]/g, '')
    .slice(0, 6)}.zip`;
};

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A file being written to a folder, under a temporary name until it is complete. */
export class UnfinishedExport {
  readonly path: string;
  readonly #finished: string;
  readonly #folder: string;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#finished = join(folder, name);
    this.path = join(folder, `.${name}.tmp`);
  }

  /** Gives the file its name; it is on the disk when this resolves. Returns its path. */
  async finish(): Promise<string> {
    await rename(this.path, this.#finished);
    await syncFolder(this.#folder);
    return this.#finished;
  }

  async discard(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

/** Removes only unfinished files of earlier runs. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (unfinishedName.test(name)) await rm(join(folder, name), { force: true });
  }
}

export interface ExportsFolderOptions {
  readonly path: string;
  readonly log: Log;
  readonly now: () => number;
  readonly retention: () => ExportRetention;
}

/** Finished exports, kept for some days. Every file is complete. */
export class ExportsFolder implements Service {
  readonly name = 'exports';
  readonly path: string;
  readonly #options: ExportsFolderOptions;

  constructor(options: ExportsFolderOptions) {
    this.#options = options;
    this.path = options.path;
  }

  async start(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    await removeUnfinished(this.path);
    await this.prune();
  }

  async stop(): Promise<void> {}

  /** @returns the destination of a file of this name */
  begin(name: string): UnfinishedExport {
    return new UnfinishedExport(this.path, name);
  }

  /** A finished export; undefined for any other name. */
  async find(name: string): Promise<FinishedExport | undefined> {
    if (!finishedName.test(name)) return undefined;
    const path = join(this.path, name);
    try {
      const found = await stat(path);
      return found.isFile() ? { path, bytes: found.size, mtimeMs: found.mtimeMs } : undefined;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Removes files that are too old, and the oldest above the size limit. `except` is kept in any case. */
  async prune(except?: string): Promise<void> {
    const { keepMs, keepBytes } = this.#options.retention();
    const names = (await readdir(this.path)).filter((name) => finishedName.test(name));
    const found = await Promise.all(names.map(async (name) => ({ name, file: await this.find(name) })));
    const files = found.flatMap(({ name, file }) => (file === undefined ? [] : [{ name, ...file }]));
    const newestFirst = files.sort((a, b) => (a.name === except ? -1 : b.name === except ? 1 : b.mtimeMs - a.mtimeMs));
    let kept = 0;
    for (const { name, path, bytes, mtimeMs } of newestFirst) {
      kept += bytes;
      const isTooOld = mtimeMs < this.#options.now() - keepMs;
      if (name === except || (!isTooOld && kept <= keepBytes)) continue;
      kept -= bytes;
      await rm(path, { force: true });
      this.#options.log.info('An old export was removed', { name, bytes });
    }
  }
}

/** A folder for exports on another device; created if it is missing. */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await removeUnfinished(folder);
}
