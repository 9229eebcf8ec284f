/** From the most to the least verbose. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type LogFields = Readonly<Record<string, unknown>>;

/** The program's own log (not the experiment's event log). Never pass secrets to it. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A log whose lines all carry `fields`. */
  child(fields: LogFields): Log;
}

/** A log that discards everything. */
export function silentLog(): Log {
  const log: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
  return log;
}
