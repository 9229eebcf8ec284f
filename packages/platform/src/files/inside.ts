import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, join, sep } from 'node:path';
import { errnoOf } from './file-errors.ts';

/** The path leads out of the folder that it is confined to, or nowhere. */
export class PathOutside extends Error {
  /** As requested. */
  readonly path: string;

  constructor(path: string, why: string) {
    super(`The path ${JSON.stringify(path)} is refused: ${why}.`);
    this.name = 'PathOutside';
    this.path = path;
  }
}

/**
 * The real path of `relative` below `root` (which must exist), for a path that comes from outside. The file need not exist
 * yet; '' is the root itself. Throws PathOutside for an absolute path, for '..', and for a symbolic link that leads out of
 * the root or to nothing. It checks the present state of the disk and does not protect against links that change afterwards.
 */
export async function inside(root: string, relative: string): Promise<string> {
  if (isAbsolute(relative)) throw new PathOutside(relative, 'it is absolute');
  if (relative.includes('\0')) throw new PathOutside(relative, 'it contains a NUL character');
  const parts = relative.split(sep).filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new PathOutside(relative, "it contains '..'");
  const realRoot = await realpath(root);
  let current = realRoot;
  for (const [index, part] of parts.entries()) {
    const next = await follow(join(current, part), relative);
    if (next === undefined) return join(current, ...parts.slice(index));
    if (!isBelow(realRoot, next)) throw new PathOutside(relative, 'a symbolic link in it leads outside');
    current = next;
  }
  return current;
}

/** Where `path` really is; `undefined` when there is nothing. */
async function follow(path: string, asked: string): Promise<string | undefined> {
  try {
    const entry = await lstat(path);
    if (!entry.isSymbolicLink()) return path;
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
  try {
    return await realpath(path);
  } catch (error) {
    const code = errnoOf(error);
    // Creating a file through a dangling link would create it wherever the link points to.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') {
      throw new PathOutside(asked, 'a symbolic link in it leads nowhere');
    }
    throw error;
  }
}

const isBelow = (root: string, path: string) =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
