import { statfs } from 'node:fs/promises';
import type { LogLevel } from '@lcs/contract';
import { type Cancel, type Clock, type Living, type Log, toTimestamp } from '@lcs/platform';
import { type ChangeRunner, type LivePublisher, systemExperiment } from '../core/leader-context.ts';

/** `full`: readings are left with the units, so that what is left of the disk is there for commands. */
export type DiskSpaceLevel = 'enough' | 'low' | 'full';

export interface DiskSpaceMonitorOptions {
  readonly leader: string;
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  readonly live: LivePublisher;
  readonly change: ChangeRunner;
  /** Bytes that are free where the data folder is. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}

const mib = 1024 * 1024;
const lowBytes = 512 * mib;
const fullBytes = 64 * mib;
/** A level is left only when this much more is free, so that it is not entered and left all the time. */
const marginBytes = 16 * mib;
const everyMs = 5_000;
/** A write that failed counts for so long, even when the disk says it has room (a quota, for example). */
const trustMs = 60_000;

const levelMessages: Readonly<Record<DiskSpaceLevel, readonly [LogLevel, string]>> = {
  enough: ['NOTICE', 'The disk of the leader has room again; everything is stored as usual.'],
  low: ['WARNING', 'The disk of the leader is nearly full. Delete experiments or other files soon.'],
  full: [
    'CRITICAL',
    'The disk of the leader is full. Readings wait on the units until there is room; delete experiments or other files.',
  ],
};

async function freeOnDisk(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Pure: the level that so much room means, coming from another level. */
export function diskSpaceLevel(previous: DiskSpaceLevel, free: number): DiskSpaceLevel {
  if (free < fullBytes + (previous === 'full' ? marginBytes : 0)) return 'full';
  return free < lowBytes + (previous === 'enough' ? 0 : marginBytes) ? 'low' : 'enough';
}

/** Watches how much room the disk has, and says in the event log when it runs out and when it is back. */
export class DiskSpaceMonitor implements Living {
  readonly name = 'disk room';
  readonly #options: DiskSpaceMonitorOptions;
  #level: DiskSpaceLevel = 'enough';
  #failedAtMs = Number.NEGATIVE_INFINITY;
  #cancel: Cancel | undefined;
  #checking: Promise<void> = Promise.resolve();

  constructor(options: DiskSpaceMonitorOptions) {
    this.#options = options;
  }

  get level(): DiskSpaceLevel {
    return this.#level;
  }

  async start(): Promise<void> {
    this.#cancel = this.#options.wire.every(everyMs, () => {
      this.#checking = this.#checking.then(() => this.check());
    });
    await this.check();
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    await this.#checking;
  }

  /** A write has failed for want of room, whatever the disk says. */
  async writeFailed(): Promise<void> {
    this.#failedAtMs = this.#options.wire.monotonic();
    await this.#become('full');
  }

  /** Never rejects. */
  async check(): Promise<void> {
    const { dataFolder, log, wire, freeBytes = freeOnDisk } = this.#options;
    if (wire.monotonic() - this.#failedAtMs < trustMs) return;
    try {
      await this.#become(diskSpaceLevel(this.#level, await freeBytes(dataFolder)));
    } catch (error) {
      log.warn('The room on the disk could not be found out', { error: String(error) });
    }
  }

  async #become(level: DiskSpaceLevel): Promise<void> {
    if (level === this.#level) return;
    this.#level = level;
    const { leader, clock, log, live, change } = this.#options;
    const [severity, message] = levelMessages[level];
    log[level === 'enough' ? 'info' : 'error'](message);
    try {
      await change((_, effects) => effects.logEvent({ level: severity, message, task: 'disk' }));
    } catch (error) {
      // The entry itself may not fit any more; who looks at the page sees it nevertheless.
      log.warn('The event log could not be written', { error: String(error) });
      live.publish('log', `${systemExperiment}/disk`, {
        ...{ timestamp: toTimestamp(clock.now()), level: severity, message, task: 'disk', source: 'app' },
        ...{ reactor_unit: leader, experiment: systemExperiment },
      });
    }
  }
}
