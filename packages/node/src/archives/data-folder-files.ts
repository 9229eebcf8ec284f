import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { errnoOf } from '@lcs/platform';

/** Secrets and what belongs to this very machine: in no archive, never served, never replaced from outside. */
const ownFiles: readonly RegExp[] = [
  // At any depth, and copies that people or editors make of them.
  /(^|\/)\.?(identity\.json|leader\.ini|credentials\.json)[^/]*$/i,
  /^storage\/(outbox\.sqlite|(leader-)?ended-jobs$|leader-stopped-profiles$)/,
  /^(run|units|versions|\.lock|\.import|before-import)(\/|$)/,
  /^DISALLOW_/,
  /(^|\/)\..+\.tmp$/,
  /\.(pem|key)$/i,
  /(^|\/)\.env$/i,
];

/** What only a running node needs, and what belongs to other nodes or to the past. */
const passingFiles = /^(run|units|versions|\.lock|\.import|before-import|backups|exports)(\/|$)|(^|\/)\..+\.tmp$/;

/** A backup holds all secrets of the node, and files of it that have routes of their own. */
export const isBackup = (path: string): boolean => /^backups(\/|$)/i.test(path);

/** Belongs to this machine, or is a secret; `path` relative, with slashes. */
export const isOwnFile = (path: string): boolean => ownFiles.some((pattern) => pattern.test(path));

const isCopy = (path: string): boolean => /\.sqlite\.(before|damaged)-|\.sqlite-(wal|shm)$/.test(path);

/** What can be made again, or is a copy already. */
const isLeftOut = (path: string): boolean =>
  isOwnFile(path) || isBackup(path) || /^exports(\/|$)/.test(path) || isCopy(path);

export interface ArchivedFile {
  /** Relative, with slashes; of a folder it ends with one. */
  readonly name: string;
  /** Where its content really is. */
  readonly path: string;
  readonly kind: 'folder' | 'file' | 'database';
}

/** What of a data folder goes into an archive, by name. Links that lead out of it are left out. */
export const archivedFiles = (root: string): Promise<readonly ArchivedFile[]> => filesOf(root, isLeftOut);

/** What a node needs to be the same again on another machine: its identity and secrets too. */
export const backedUpFiles = (root: string): Promise<readonly ArchivedFile[]> =>
  filesOf(root, (path) => passingFiles.test(path) || isCopy(path));

async function filesOf(root: string, isLeftOut: (path: string) => boolean): Promise<readonly ArchivedFile[]> {
  const realRoot = await realpath(root);
  const found: ArchivedFile[] = [];
  const visit = async (folder: string, prefix: string): Promise<void> => {
    for (const entry of (await entriesOf(folder, realRoot)).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = prefix + entry.name;
      if (isLeftOut(name)) continue;
      const real = await realPlace(entry, join(folder, entry.name), { realRoot, isLeftOut });
      if (real === undefined) continue;
      if (real.isFolder) {
        found.push({ name: `${name}/`, path: real.path, kind: 'folder' });
        // A folder behind a link could hold itself.
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
    // Removed since the folder above was read; the data folder itself must be there.
    if (errnoOf(error) === 'ENOENT' && folder !== root) return [];
    throw error;
  }
}

interface Bounds {
  readonly realRoot: string;
  readonly isLeftOut: (path: string) => boolean;
}

async function realPlace(entry: Dirent, path: string, { realRoot, isLeftOut }: Bounds) {
  try {
    const real = entry.isSymbolicLink() ? await realpath(path) : path;
    if (!real.startsWith(realRoot + sep) || isLeftOut(real.slice(realRoot.length + 1))) return undefined;
    const facts = await stat(real);
    if (!facts.isFile() && !facts.isDirectory()) return undefined;
    return { path: real, isFolder: facts.isDirectory() };
  } catch (error) {
    // Removed since the folder was read, or a link to nothing.
    if (['ENOENT', 'ELOOP', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}
