import { realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute } from 'node:path';
import { ApiError } from '@lcs/contract';
import { errnoOf } from '@lcs/platform';
import { packageJsonIn } from './package-archive.ts';
import { identityInPackage, pluginFile, stemOf } from './plugin-folder.ts';

/** A file that something may be installed from. */
export interface PluginSource {
  readonly path: string;
  /** Its name, without what staging has added to it. */
  readonly fileName: string;
}

/** Where files of plugins may come from. */
export interface PluginSources {
  /** Files that were sent to this node, by the id that was answered for them. */
  readonly uploads: { find(id: string): Promise<PluginSource | undefined> };
  /** Whether a path, links resolved, lies on a removable drive that this node has mounted. */
  readonly drives: { holds(realPath: string): Promise<boolean> };
}

const packageFile = /\.tgz$/;
const largestBytes = 64 * 1024 * 1024;

/** Of a node to which nobody can send files, and which mounts no drives. */
export const noSources: PluginSources = {
  uploads: { find: async () => undefined },
  drives: { holds: async () => false },
};

/** A package as npm packs it; otherwise the file is a plugin itself. */
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
  if (!isAbsolute(path)) refuse(path, 'It is no absolute path.');
  const real = await realPathOf(path);
  // The same words whether it is there or not: a path elsewhere tells nothing about this machine.
  if (real === undefined || !(await drives.holds(real)))
    return refuse(path, 'There is no such file on a USB drive that is mounted here.');
  return checked(path, { path: real, fileName: basename(real) });
}

/**
 * What the words of a request mean.
 * @param source id of an upload, or a path
 * @throws ApiError plugin_source_unusable
 */
export async function findSource(source: string, sources: PluginSources): Promise<PluginSource> {
  if (isAbsolute(source)) return sourceOnDrive(source, sources);
  const staged = await sources.uploads.find(source);
  if (staged === undefined) return refuse(source, 'There is no upload with this id; uploads are kept for 24 hours.');
  return checked(source, { path: staged.path, fileName: staged.fileName });
}

/** The name under which it can be installed: that of the package, or of the file without its ending. */
export async function nameOfSource(source: PluginSource): Promise<string> {
  const text = isPackageFile(source) ? await packageJsonIn(source.path) : undefined;
  return (text === undefined ? undefined : identityInPackage(text)?.name) ?? stemOf(source.fileName);
}

async function checked(asked: string, source: PluginSource): Promise<PluginSource> {
  if (!isPackageFile(source) && (!pluginFile.test(source.fileName) || source.fileName.endsWith('.d.ts')))
    refuse(asked, 'A plugin is a file whose name ends in .js, .ts or .tgz (a package made by npm pack).');
  const { size } = await stat(source.path);
  if (size === 0) refuse(asked, 'The file is empty.');
  if (size > largestBytes) refuse(asked, `The file is larger than ${largestBytes} bytes.`);
  return source;
}
