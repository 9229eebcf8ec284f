import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
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

/** Unmounts the small disks that tests have mounted below this folder and not unmounted. */
async function unmountBelow(folder: string): Promise<void> {
  if (process.platform !== 'linux') return;
  for (const line of (await readFile('/proc/mounts', 'utf8')).split('\n')) {
    const mountPoint = line.split(' ')[1] ?? '';
    if (mountPoint.startsWith(`${folder}/`)) spawnSync('umount', ['-l', mountPoint]);
  }
}

async function removeGround(path: string): Promise<void> {
  await unmountBelow(path);
  await rm(path, { recursive: true, force: true, maxRetries: 5 });
}

/** A run that was killed leaves its files; in memory they would stay until the machine is started again. */
async function removeRemains(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = /^lcs-tests-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) await removeGround(join(folder, name));
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
  return () => removeGround(folder);
}
