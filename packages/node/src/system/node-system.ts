import type { Clock, Log, TaskRunner } from '@lcs/platform';
import type { Host } from '../host/host.ts';
import type { UsbDrives } from '../host/usb-drives.ts';
import type { UploadStore } from '../uploads/upload-store.ts';
import type { Installer } from './installer.ts';

/** Options of the routes about a node's machine. */
export interface NodeSystemOptions {
  /** The node's own unit name. */
  readonly unit: string;
  readonly isLeader: boolean;
  /** Name of its leader; empty before it has one. */
  readonly leader: () => string;
  readonly version: string;
  readonly dataFolder: string;
  /** The clock of the node's time stamps. */
  readonly clock: Pick<Clock, 'now'>;
  readonly wire: Clock;
  readonly log: Log;
  readonly newId: () => string;
  /** Not started yet: kinds of tasks are registered. */
  readonly tasks: TaskRunner;
  readonly host: Host;
  readonly uploads: UploadStore;
  readonly usb: UsbDrives;
  readonly releases: ReleaseOptions;
  /** Stops all jobs and makes outputs safe, before the machine or the program stops. */
  readonly stopJobs: () => Promise<void>;
  /** Of a unit: the time of its leader, in milliseconds since 1970. */
  readonly leaderTime?: () => Promise<number>;
  /** Called when a user has set the clock, with the time, in milliseconds since 1970. */
  readonly onClockSet?: (utcMs: number) => void;
  /** Default: 64 MiB. */
  readonly uploadLimitBytes?: number;
}

/** The sources of other versions of the program. */
export interface ReleaseOptions {
  /** Public keys that may sign them, as lines of OpenSSH. */
  readonly keys: readonly string[];
  /** A folder of `release_<version>.zip`; absent: only uploads and USB drives. */
  readonly folder?: string;
  readonly installer: Installer;
}

/** Names of locks; one operation of each at a time. */
export const locks = {
  power: 'power-lock',
  update: 'update-lock',
  clock: 'clock-lock',
  repair: 'repair-system-lock',
  webRestart: 'web-restart-lock',
  import: 'import-dot-reactor-lock',
} as const;
