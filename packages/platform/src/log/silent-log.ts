import type { Log } from './log.ts';

/** A log that keeps nothing, for where a Log is asked for and nobody will read it. */
export function silentLog(): Log {
  const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
  return log;
}
