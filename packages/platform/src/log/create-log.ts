import { destination as fileDestination, type Logger, pino } from 'pino';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real-clock.ts';
import type { Log, LogFields, LogLevel } from './log.ts';
import { createRedactor, type Redactor } from './redaction.ts';

/** Where finished lines go; each ends with a newline. */
export interface LogDestination {
  write(line: string): void;
}

export interface LogOptions {
  /** Lines below this level are dropped. Default `info`. */
  readonly level?: LogLevel;
  /** Default: JSON lines to standard error. `prettyDestination` makes them readable for people. */
  readonly destination?: LogDestination;
  /** More words that mark keys as secret. */
  readonly redact?: readonly string[];
  /** Stamps the lines. Default: the real clock. */
  readonly clock?: Pick<Clock, 'now'>;
}

/**
 * Standard error, written synchronously, so that the last lines before a crash are not lost. (A destination of pino's own, unlike
 * `process.stderr`, does not end the process when the reader of the pipe has gone.)
 */
export const standardError = (): LogDestination => fileDestination({ fd: 2, sync: true });

/** The program's log as JSON lines `{"level","time","message",…}`, with secrets redacted. */
export function createLog(options: LogOptions = {}): Log {
  const clock = options.clock ?? realClock();
  const logger = pino(
    {
      level: options.level ?? 'info',
      base: null,
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? standardError(),
  );
  return logOn(logger, createRedactor(options.redact));
}

function logOn(logger: Logger, redactor: Redactor): Log {
  const at = (level: LogLevel) => (message: string, fields?: LogFields) => {
    if (!logger.isLevelEnabled(level)) return;
    const text = redactor.text(message);
    if (fields === undefined) logger[level](text);
    else logger[level](redactor.fields(withoutReserved(fields)), text);
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => logOn(logger.child(redactor.fields(withoutReserved(fields))), redactor),
  };
}

const reserved = new Set(['level', 'time', 'message']);

/** A field with a reserved key of the line would appear twice, so `_` is appended to it. */
const withoutReserved = (fields: LogFields): LogFields =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [reserved.has(key) ? `${key}_` : key, value]));
