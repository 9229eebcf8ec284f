import { readFileSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { ErrorParams } from '@lcs/contract';

/** Bytes that an export must leave free for the leader, and limits of queries. */
export interface ExportLimits {
  readonly minFreeDiskBytes: number;
  readonly minFreeMemoryBytes: number;
  readonly maxWalBytes: number;
  /** Limits of a dataset that a person wrote: rows and time. */
  readonly maxQueryRows: number;
  readonly maxQueryMs: number;
}

/** Available resources in bytes. */
export interface HostResources {
  freeDisk(folder: string): number;
  freeMemory(): number;
  /** Size of a file, 0 if it does not exist. */
  size(path: string): number;
}

/** The export would take resources that the leader needs. */
export class InsufficientResources extends Error {
  readonly params: ErrorParams<'export_short_of'>;
  constructor(params: ErrorParams<'export_short_of'>) {
    super(params.what);
    this.params = params;
  }
}

const megabytes = (bytes: number): number => Math.floor(bytes / 1_048_576);

/** Available memory as Linux estimates it; on other systems the memory available to the process. */
function availableMemory(): number {
  try {
    const [, kilobytes] = /^MemAvailable:\s+(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8')) ?? [];
    if (kilobytes !== undefined) return Number(kilobytes) * 1_024;
  } catch {
    // Not Linux.
  }
  return process.availableMemory();
}

export const hostResources: HostResources = {
  freeDisk: (folder) => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  },
  freeMemory: availableMemory,
  size: (path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0,
};

export interface ResourceCheckOptions {
  readonly limits: ExportLimits;
  readonly resources: HostResources;
  /** The destination of the file. */
  readonly folder: string;
  /** The store, if it is a file. */
  readonly databasePath?: string | undefined;
}

/** @throws InsufficientResources when a limit is exceeded */
export function checkResources({ limits, resources, folder, databasePath }: ResourceCheckOptions): void {
  const needs = (what: string, has: number, least: number): void => {
    if (has < least) throw new InsufficientResources({ what, hasMb: megabytes(has), needsMb: megabytes(least) });
  };
  needs('too little free space on the disk of the file', resources.freeDisk(folder), limits.minFreeDiskBytes);
  needs('too little free space on the disk of temporary files', resources.freeDisk(tmpdir()), limits.minFreeDiskBytes);
  needs('too little memory', resources.freeMemory(), limits.minFreeMemoryBytes);
  const wal = databasePath === undefined ? 0 : resources.size(`${databasePath}-wal`);
  if (wal > limits.maxWalBytes) {
    const [hasMb, needsMb] = [megabytes(wal), megabytes(limits.maxWalBytes)];
    throw new InsufficientResources({
      what: 'the write-ahead log of the database is too large',
      hasMb,
      needsMb,
      isAtMost: true,
    });
  }
}
