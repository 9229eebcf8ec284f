import { createReadStream, type Stats } from 'node:fs';
import { lstat, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { ApiError, type Handler, type Handlers, type nodeSystemRoutes, StreamBody } from '@lcs/contract';
import { errnoOf, inside, PathOutside, withHiddenSecrets } from '@lcs/platform';
import { isBackup, isOwnFile } from '../archives/data-folder-files.ts';
import { accept } from './accept.ts';
import { expectFileAccess } from './markers.ts';
import type { NodeSystemOptions } from './node-system.ts';

type Routes = typeof nodeSystemRoutes;
type FileRoutes = Pick<
  Routes,
  'listDataFolder' | 'listDataFolderWithoutSlash' | 'readDataFolder' | 'removeFile' | 'removeFileByPatch'
>;

/** Configuration files may contain passwords, which are not shown. */
const isConfig = (path: string): boolean => /\.ini/i.test(basename(path));
const longestConfigBytes = 1024 * 1024;

const isDatabase = (path: string): boolean => /\.sqlite/i.test(path);

/** Files with their own routes, or that users must not remove. */
const isProtected = (path: string): boolean =>
  isOwnFile(path) ||
  isDatabase(path) ||
  /^(config\.ini|unit_config\.ini)$|^storage\/(calibrations|estimators)\//.test(path);

const forbidden = (path: string, cause: string) => new ApiError('path_forbidden', { path, cause });

/** The real path of a path from outside. @throws ApiError path_forbidden */
async function contained(root: string, path: string): Promise<string> {
  try {
    return await inside(root, path);
  } catch (error) {
    if (error instanceof PathOutside) throw forbidden(path, error.message);
    if (errnoOf(error) === 'ENAMETOOLONG') throw new ApiError('path_not_found', { path });
    throw error;
  }
}

/** Missing is undefined. */
async function factsOf(read: typeof stat, path: string): Promise<Stats | undefined> {
  try {
    return await read(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** Browsing the data folder and removing single files of it. */
export function fileHandlers(options: NodeSystemOptions): Handlers<FileRoutes> {
  const { dataFolder, tasks } = options;
  const removal = {
    kind: 'system.remove_file',
    run: async ({ path }: { readonly path: string }) => {
      await removeEntry(dataFolder, path);
      return true;
    },
  };
  tasks.register(removal);

  const list: Handler<Routes['listDataFolder']> = async () => {
    await expectFileAccess(dataFolder);
    return { status: 200, body: await listing(dataFolder, '') };
  };
  const remove: Handler<Routes['removeFile']> = async ({ body: { filepath } }) => {
    await expectFileAccess(dataFolder);
    const path = isAbsolute(filepath) ? relative(await realpath(dataFolder), filepath) : filepath;
    await entryToRemove(dataFolder, path);
    return accept(options, removal, { path });
  };
  return {
    listDataFolder: list,
    listDataFolderWithoutSlash: list,
    readDataFolder: async ({ params: { path } }) => {
      await expectFileAccess(dataFolder);
      const real = await contained(dataFolder, path);
      const name = relative(await realpath(dataFolder), real);
      if (isOwnFile(name)) throw forbidden(path, 'It belongs to this machine only.');
      if (isBackup(name)) throw forbidden(path, 'A backup contains secrets of this machine.');
      const facts = await factsOf(stat, real);
      if (facts === undefined) throw new ApiError('path_not_found', { path });
      if (facts.isDirectory()) {
        const headers = { 'cache-control': 'private, max-age=5' };
        return { status: 200, headers, body: await listing(real, name) };
      }
      if (isDatabase(name)) throw forbidden(path, 'It is a database.');
      if (!facts.isFile()) throw forbidden(path, 'It is not a regular file.');
      const headers = fileHeaders(real, facts);
      if (!isConfig(name)) return { status: 200, headers, body: new StreamBody(contentOf(real)) };
      if (facts.size > longestConfigBytes) throw forbidden(path, 'It is too large for a configuration file.');
      const shown = Buffer.from(withHiddenSecrets(await readFile(real, 'utf8')));
      const body = new StreamBody(Readable.from([shown]));
      return { status: 200, headers: { ...headers, 'content-length': String(shown.length) }, body };
    },
    removeFile: remove,
    removeFileByPatch: remove,
  };
}

/** Opened at the first read: HEAD requests and clients with the current version read nothing. */
async function* contentOf(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield* createReadStream(path);
}

const fileHeaders = (path: string, { size, mtimeMs }: Stats) => ({
  'content-type': 'text/plain; charset=utf-8',
  'content-length': String(size),
  'content-disposition': `inline; filename*=UTF-8''${encodeURIComponent(basename(path))}`,
  etag: `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`,
});

async function listing(folder: string, name: string) {
  const dirs: string[] = [];
  const files: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const facts = entry.isSymbolicLink() ? await factsOf(stat, join(folder, entry.name)) : undefined;
    if (entry.isDirectory() || facts?.isDirectory()) dirs.push(entry.name);
    else files.push(entry.name);
  }
  return { current: name, dirs: dirs.sort(), files: files.sort() };
}

/**
 * The real path of an entry: its folder is resolved, the entry itself is not, so that a link is removed instead of its target.
 * @throws ApiError path_forbidden, path_not_found, path_not_a_file
 */
async function entryToRemove(root: string, path: string): Promise<string> {
  if (path.includes('\0')) throw forbidden(path, 'It contains a NUL character.');
  const folder = await contained(root, dirname(path));
  const name = basename(path);
  if (name === '..') throw forbidden(path, "It contains '..'.");
  const place = join(folder, name);
  if (isProtected(relative(await realpath(root), place))) throw forbidden(path, 'It is protected.');
  const facts = await factsOf(lstat, place);
  if (facts === undefined) throw new ApiError('path_not_found', { path });
  if (!facts.isFile() && !facts.isSymbolicLink()) throw new ApiError('path_not_a_file', { path });
  return place;
}

async function removeEntry(root: string, path: string): Promise<void> {
  await rm(await entryToRemove(root, path));
}
