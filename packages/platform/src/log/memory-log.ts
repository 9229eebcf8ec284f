import type { Log, LogFields, LogLevel } from './log.ts';

interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  /** The line's own fields and those of its parent logs, unredacted. */
  readonly fields: LogFields;
}

export interface MemoryLog extends Log {
  /** All lines so far, those of its children included. */
  readonly lines: readonly LogLine[];
  /** The messages of one level, in order. */
  messages(level: LogLevel): readonly string[];
}

/** A log that tests can read. */
export function memoryLog(): MemoryLog {
  const lines: LogLine[] = [];
  const logWith = (bound: LogFields): Log => {
    const keep = (level: LogLevel) => (message: string, fields?: LogFields) => {
      lines.push({ level, message, fields: { ...bound, ...fields } });
    };
    return {
      debug: keep('debug'),
      info: keep('info'),
      warn: keep('warn'),
      error: keep('error'),
      child: (fields) => logWith({ ...bound, ...fields }),
    };
  };
  return {
    ...logWith({}),
    lines,
    messages: (level) => lines.filter((line) => line.level === level).map((line) => line.message),
  };
}
