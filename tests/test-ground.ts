import { existsSync } from 'node:fs';
import { access, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const memoryFolder = '/dev/shm';
/** More than all tests together ever have on disk. */
const neededBytes = 4 * 1024 ** 3;

/** Where a sync waits for no disk, if this machine has such a place with room enough. */
async function quickFolder(): Promise<string> {
  try {
    await access(memoryFolder);
    const { bavail, bsize } = await statfs(memoryFolder);
    return bavail * bsize >= neededBytes ? memoryFolder : tmpdir();
  } catch {
    return tmpdir();
  }
}

const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`);

/** A run that was killed leaves its files; in memory they would stay until the machine is started again. */
async function removeRemains(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = /^lcs-tests-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(folder, name), { recursive: true, force: true });
  }
}

/**
 * What the processes of the tests inherit: the folder in which they make their temporary ones (an operator's `TMPDIR` wins),
 * and the cache from which their threads and programs take compiled code.
 */
export default async function setup(): Promise<() => Promise<void>> {
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));
  const place = process.env.TMPDIR ?? (await quickFolder());
  if (place === memoryFolder) await removeRemains(place);
  const folder = await mkdtemp(join(place, `lcs-tests-${process.pid}-`));
  process.env.TMPDIR = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
