import { randomBytes } from 'node:crypto';
import { link, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, StartupError } from '@lcs/platform';
import { Value } from 'typebox/value';
import { type Processes, ProcessStamp } from './process-stamp.ts';

/** Another process has the lock. */
export class LockHeld extends Error {
  readonly holder: ProcessStamp;

  constructor(holder: ProcessStamp) {
    super(`The lock is held by process ${holder.pid}.`);
    this.name = 'LockHeld';
    this.holder = holder;
  }
}

export interface FolderLock {
  /** Releases the lock. Idempotent. */
  release(): Promise<void>;
}

/** More than any number of concurrent starts; a limit in case of a broken file system. */
const maxAttempts = 100;

const fileName = (generation: number) => `holder-${generation}`;
const generationOf = (name: string) => Number(/^holder-(\d{1,15})$/.exec(name)?.[1] ?? 0);

/**
 * Takes the lock in `folder` (which must exist, on a local file system with hard links). Throws LockHeld when a running process has it.
 * The lock of a killed process is free.
 *
 * Node has no lock that the kernel releases, and removing the file of a dead holder is a race: the removed file may be that of the next
 * holder. So each holder creates a file with the next number, atomically with its content (a hard link), which only one process can. The
 * highest number is never removed, not even on release (it is emptied). A slow process may create a number that others have passed; it
 * therefore checks again and withdraws.
 */
export async function takeFolderLock(folder: string, processes: Processes): Promise<FolderLock> {
  const content = JSON.stringify(await processes.self());
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const last = await highestGeneration(folder);
    const holder = await holderOf(join(folder, fileName(last)));
    if (holder !== undefined && (await processes.isAlive(holder))) throw new LockHeld(holder);
    const own = join(folder, fileName(last + 1));
    if (!(await createWhole(own, content))) continue;
    if ((await highestGeneration(folder)) > last + 1) {
      await rm(own, { force: true });
      continue;
    }
    await removeBelow(folder, last + 1);
    return { release: () => empty(own) };
  }
  throw new StartupError(
    `Cannot lock the data folder: ${maxAttempts} attempts in ${folder} failed. Check its file system: it must support hard links.`,
  );
}

/** The running process that has the lock of this folder; undefined: none, or there is no such folder. */
export async function lockHolder(folder: string, processes: Processes): Promise<ProcessStamp | undefined> {
  try {
    const holder = await holderOf(join(folder, fileName(await highestGeneration(folder))));
    return holder !== undefined && (await processes.isAlive(holder)) ? holder : undefined;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function highestGeneration(folder: string): Promise<number> {
  const names = await readdir(folder);
  return names.reduce((highest, name) => Math.max(highest, generationOf(name)), 0);
}

/**
 * The holder in the file; `undefined` when it is released. Unreadable content was truncated by a power failure: that of a running holder
 * is complete.
 */
async function holderOf(path: string): Promise<ProcessStamp | undefined> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  return Value.Check(ProcessStamp, value) ? value : undefined;
}

/** Creates the file with its content atomically; false when it exists. */
async function createWhole(path: string, content: string): Promise<boolean> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.draft`;
  try {
    await writeFile(temporary, content, { flag: 'wx', mode: 0o600 });
    await link(temporary, path);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function removeBelow(folder: string, own: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const generation = generationOf(name);
    if (generation > 0 && generation < own) await rm(join(folder, name), { force: true });
  }
}

async function empty(path: string): Promise<void> {
  try {
    await truncate(path);
  } catch (error) {
    // After a release another holder may have removed it.
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
