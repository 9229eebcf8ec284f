import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { errnoOf } from '@lcs/platform';

/** Secrets at any depth, including copies by users or editors. */
const secretFiles: readonly RegExp[] = [
  /(^|\/)\.?(identity\.json|leader\.ini|credentials\.json)[^/]*$/i,
  /\.(pem|key)([^a-z0-9/][^/]*)?$/i,
  /(^|\/)\.env$/i,
];

/** Secrets and files of this machine: never archived, served or replaced from outside. */
const ownFiles: readonly RegExp[] = [
  ...secretFiles,
  /^storage\/(outbox\.sqlite|(leader-)?ended-jobs$|leader-stopped-profiles$)/,
  /^(run|units|versions|\.lock|\.import|before-import)(\/|$)/,
  /^DISALLOW_/,
  /(^|\/)\..+\.tmp$/,
];

/** Files that only a running node needs, and those of other nodes or earlier data. */
const passingFiles = /^(run|units|versions|\.lock|\.import|before-import|backups|exports)(\/|$)|(^|\/)\..+\.tmp$/;

/** Whoever has these is taken for this machine, or reads its secrets: they stay on it. */
const keysOfMachine = /^storage\/((identity|ca-key|server)\.pem|secrets\.key)/;

/** What a restore needs of them: the name of the node, its own file without plain secrets, and a certificate, which is public. */
const restoredFiles: readonly string[] = ['identity.json', 'leader.ini', 'storage/ca.pem'];

/**
 * Whether a backup never contains this file in plain text.
 * @param path the real one
 * @param name in the backup; of a link it is another one
 */
export const isSecretOfBackup = (path: string, name: string): boolean =>
  keysOfMachine.test(path) || (!restoredFiles.includes(name) && secretFiles.some((pattern) => pattern.test(path)));

/** A backup contains all secrets of the node, and files that have their own routes. */
export const isBackup = (path: string): boolean => /^backups(\/|$)/i.test(path);

/** Whether a file belongs to this machine or is a secret; `path` is relative, with slashes. */
export const isOwnFile = (path: string): boolean => ownFiles.some((pattern) => pattern.test(path));

const isCopy = (path: string): boolean => /\.sqlite\.(before|damaged)-|\.sqlite-(wal|shm)$/.test(path);

/** Files that can be recreated, and copies. */
const isLeftOut = (path: string): boolean =>
  isOwnFile(path) || isBackup(path) || /^exports(\/|$)/.test(path) || isCopy(path);

export interface ArchivedFile {
  /** Relative, with slashes; of a folder it ends with one. */
  readonly name: string;
  /** The real path of its content. */
  readonly path: string;
  readonly kind: 'folder' | 'file' | 'database';
}

/** The files of a data folder for an archive, by name. Links that lead out of it are omitted. */
export const archivedFiles = (root: string): Promise<readonly ArchivedFile[]> => filesOf(root, isLeftOut);

/** All files that a node needs to continue on another machine, without its keys: those by which other machines know it, and that of its secrets. */
export const backedUpFiles = (root: string): Promise<readonly ArchivedFile[]> =>
  filesOf(root, (path, name) => passingFiles.test(path) || isSecretOfBackup(path, name) || isCopy(path));

/** `path` is the real one; `name` that in the archive. */
type IsLeftOut = (path: string, name: string) => boolean;

async function filesOf(root: string, isLeftOut: IsLeftOut): Promise<readonly ArchivedFile[]> {
  const realRoot = await realpath(root);
  const found: ArchivedFile[] = [];
  const visit = async (folder: string, prefix: string): Promise<void> => {
    for (const entry of (await entriesOf(folder, realRoot)).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = prefix + entry.name;
      if (isLeftOut(name, name)) continue;
      const real = await realPathOf(entry, join(folder, entry.name), { realRoot, isLeftOut, name });
      if (real === undefined) continue;
      if (real.isFolder) {
        found.push({ name: `${name}/`, path: real.path, kind: 'folder' });
        // A linked folder could contain itself.
        if (!entry.isSymbolicLink()) await visit(real.path, `${name}/`);
      } else found.push({ name, path: real.path, kind: name.endsWith('.sqlite') ? 'database' : 'file' });
    }
  };
  await visit(realRoot, '');
  return found;
}

async function entriesOf(folder: string, root: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    // Removed since the folder above was read; the data folder itself must exist.
    if (errnoOf(error) === 'ENOENT' && folder !== root) return [];
    throw error;
  }
}

interface Bounds {
  readonly realRoot: string;
  readonly isLeftOut: IsLeftOut;
  readonly name: string;
}

async function realPathOf(entry: Dirent, path: string, { realRoot, isLeftOut, name }: Bounds) {
  try {
    const real = entry.isSymbolicLink() ? await realpath(path) : path;
    if (!real.startsWith(realRoot + sep) || isLeftOut(real.slice(realRoot.length + 1), name)) return undefined;
    const facts = await stat(real);
    if (!facts.isFile() && !facts.isDirectory()) return undefined;
    return { path: real, isFolder: facts.isDirectory() };
  } catch (error) {
    // Removed since the folder was read, or a dangling link.
    if (['ENOENT', 'ELOOP', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}
