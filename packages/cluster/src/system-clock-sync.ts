import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Clock } from '@lcs/platform';

export interface SystemClockSyncOptions {
  /** Of this computer. */
  readonly wire: Clock;
  /** Default: the file that systemd-timesyncd writes once it has set the clock. */
  readonly markPath?: string;
  /** Folders of programs, separated by colons. Default: those of the system. */
  readonly toolPath?: string;
}

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const toolLimitMs = 5_000;

/** The answer of the kernel is as old as this at most. Chosen: a clock that is set counts soon, and a program a minute costs nothing. */
const askEveryMs = 30_000;

/**
 * Whether NTP has set the clock of this computer. systemd-timesyncd leaves a file; with chrony or ntpd only the kernel knows (STA_UNSYNC of
 * `adjtimex`), and `timedatectl` reads it. The answer comes later: until then the former one, at first "no".
 */
export function systemClockSync({
  wire,
  markPath = '/run/systemd/timesync/synchronized',
  toolPath = systemPath,
}: SystemClockSyncOptions): () => boolean {
  let isSynced = false;
  let askedMs = Number.NEGATIVE_INFINITY;
  const ask = () => {
    askedMs = wire.monotonic();
    const options = { timeout: toolLimitMs, env: { PATH: toolPath, LC_ALL: 'C' }, encoding: 'utf8' } as const;
    // Without the tool nothing is known: "no".
    execFile('timedatectl', ['show', '-p', 'NTPSynchronized', '--value'], options, (error, output) => {
      isSynced = error === null && output.trim() === 'yes';
    });
  };
  return () => {
    if (existsSync(markPath)) return true;
    if (wire.monotonic() - askedMs >= askEveryMs) ask();
    return isSynced;
  };
}
