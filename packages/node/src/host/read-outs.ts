import { lstat, readFile, statfs } from 'node:fs/promises';
import { availableParallelism, freemem, loadavg, networkInterfaces, totalmem } from 'node:os';
import { errnoOf } from '@lcs/platform';
import type { Load, SpaceBytes } from './host.ts';

/** Written by the system if it is a wireless access point. */
export const accessPointMarker = '/boot/firmware/local_access_point';

export async function diskSpaceAt(path: string): Promise<SpaceBytes> {
  const { bavail, blocks, bsize } = await statfs(path);
  return { availableBytes: bavail * bsize, totalBytes: blocks * bsize };
}

const kilobytes = (text: string, name: string): number | undefined => {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1];
  return found === undefined ? undefined : Number(found) * 1024;
};

/** Memory that is available to programs, including caches. */
export async function memoryOfMachine(): Promise<SpaceBytes> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  return {
    availableBytes: kilobytes(text, 'MemAvailable') ?? freemem(),
    totalBytes: kilobytes(text, 'MemTotal') ?? totalmem(),
  };
}

export const loadOfMachine = (): Load => ({ oneMinute: loadavg()[0] ?? 0, cores: availableParallelism() });

/** Without loopback. */
export const ipv4AddressesOfMachine = (): readonly string[] =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);

/** Whether the path exists. */
export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}
