import { realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { ApiError } from '@lcs/contract';
import { errnoOf } from '@lcs/platform';
import { packageJsonIn } from './package-archive.ts';
import { identityInPackage, pluginFile, stemOf } from './plugin-folder.ts';

/** A file to install. */
export interface PluginSource {
  readonly path: string;
  /** Its original name. */
  readonly fileName: string;
}

/** The allowed sources of plugin files. */
export interface PluginSources {
  /** Uploaded files by their ID. */
  readonly uploads: { find(id: string): Promise<PluginSource | undefined> };
  /** Whether a path, with links resolved, is on a removable drive that this node has mounted. */
  readonly drives: { holds(realPath: string): Promise<boolean> };
}

const packageFile = /\.tgz$/;
const largestBytes = 64 * 1024 * 1024;

/** For a node without uploads and drives. */
export const noSources: PluginSources = {
  uploads: { find: async () => undefined },
  drives: { holds: async () => false },
};

/** The extension of npm packages; any other file is a plugin itself. */
export const isPackageFile = ({ fileName }: PluginSource): boolean => packageFile.test(fileName);

const refuse = (source: string, cause: string): never => {
  throw new ApiError('plugin_source_unusable', { source, cause });
};

async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}

/**
 * A file on a drive that this node has mounted.
 * @throws ApiError plugin_source_unusable
 */
export async function sourceOnDrive(path: string, { drives }: Pick<PluginSources, 'drives'>): Promise<PluginSource> {
  if (!isAbsolute(path)) refuse(path, 'It is not an absolute path.');
  const real = await realPathOf(path);
  // The same message whether or not it exists, so that it discloses nothing about this machine.
  if (real === undefined || !(await drives.holds(real)))
    return refuse(path, 'There is no such file on a mounted USB drive.');
  return checked(path, { path: real, fileName: basename(real) });
}

/**
 * Resolves the source of a request. @param source ID of an upload, or a path
 * @throws ApiError plugin_source_unusable
 */
export async function findSource(source: string, sources: PluginSources): Promise<PluginSource> {
  if (isAbsolute(source)) return sourceOnDrive(source, sources);
  const staged = await sources.uploads.find(source);
  if (staged === undefined) return refuse(source, 'There is no upload with this ID; uploads are kept for 24 hours.');
  return checked(source, { path: staged.path, fileName: staged.fileName });
}

/** Its name for an installation: that of the package, or of the file without its extension. */
export async function nameOfSource(source: PluginSource): Promise<string> {
  const text = isPackageFile(source) ? await packageJsonIn(source.path) : undefined;
  return (text === undefined ? undefined : identityInPackage(text)?.name) ?? stemOf(source.fileName);
}

async function checked(asked: string, source: PluginSource): Promise<PluginSource> {
  if (!isPackageFile(source) && (!pluginFile.test(source.fileName) || source.fileName.endsWith('.d.ts')))
    refuse(asked, 'A plugin must be a .js, .ts or .tgz file (a package of npm pack).');
  const { size } = await stat(source.path);
  if (size === 0) refuse(asked, 'The file is empty.');
  if (size > largestBytes) refuse(asked, `The file is larger than ${largestBytes} bytes.`);
  return source;
}
