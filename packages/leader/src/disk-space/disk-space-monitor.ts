import { statfs } from 'node:fs/promises';
import type { LogLevel } from '@lcs/contract';
import { type Cancel, type Clock, type Log, type Service, toTimestamp } from '@lcs/platform';
import { type ChangeRunner, type LivePublisher, systemExperiment } from '../core/leader-context.ts';

/** `full`: readings stay on the units, so that the remaining space serves commands. */
export type DiskSpaceLevel = 'enough' | 'low' | 'full';

export interface DiskSpaceMonitorOptions {
  readonly leader: string;
  readonly dataFolder: string;
  readonly clock: Clock;
  readonly wire: Clock;
  readonly log: Log;
  readonly live: LivePublisher;
  readonly change: ChangeRunner;
  /** Free bytes on the disk of the data folder. */
  readonly freeBytes?: (folder: string) => Promise<number>;
}

const mib = 1024 * 1024;
const lowBytes = 512 * mib;
const fullBytes = 64 * mib;
/** A level ends only when this much more is free, so that it does not alternate. */
const marginBytes = 16 * mib;
const everyMs = 5_000;
/** A failed write counts for this long even if the disk reports free space (a quota, for example). */
const trustMs = 60_000;

const levelMessages: Readonly<Record<DiskSpaceLevel, readonly [LogLevel, string]>> = {
  enough: ['NOTICE', 'The disk of the leader has free space again; everything is stored as usual.'],
  low: ['WARNING', 'The disk of the leader is nearly full. Delete experiments or other files soon.'],
  full: [
    'CRITICAL',
    'The disk of the leader is full. Readings wait on the units until there is free space. Delete experiments or other files.',
  ],
};

async function freeOnDisk(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Pure: the level for this free space, with hysteresis against the previous level. */
export function diskSpaceLevel(previous: DiskSpaceLevel, free: number): DiskSpaceLevel {
  if (free < fullBytes + (previous === 'full' ? marginBytes : 0)) return 'full';
  return free < lowBytes + (previous === 'enough' ? 0 : marginBytes) ? 'low' : 'enough';
}

/** Monitors the free disk space and logs each change of its level in the event log. */
export class DiskSpaceMonitor implements Service {
  readonly name = 'disk space monitor';
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

  /** A write has failed for lack of space, whatever the disk reports. */
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
      log.warn('The free disk space could not be read', { error: String(error) });
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
      // The entry itself may not fit on the disk; the web UI shows it nevertheless.
      log.warn('The event log could not be written', { error: String(error) });
      live.publish('log', `${systemExperiment}/disk`, {
        timestamp: toTimestamp(clock.now()),
        level: severity,
        message,
        task: 'disk',
        source: 'app',
        reactor_unit: leader,
        experiment: systemExperiment,
      });
    }
  }
}
