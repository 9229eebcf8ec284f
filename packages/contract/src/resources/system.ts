import { type Static, Type } from 'typebox';
import { closed, Timestamp } from './common.ts';

export const Health = closed(
  {
    status: Type.Literal('ok'),
    reactor_unit: Type.String(),
    utc_time: Timestamp,
    instance: Type.Optional(
      Type.String({
        description: 'Of a unit: drawn at each start of its program, so that two machines are never confused',
      }),
    ),
  },
  { title: 'Health' },
);
export type Health = Static<typeof Health>;

export const AppVersion = closed({ version: Type.String() }, { title: 'AppVersion' });
export type AppVersion = Static<typeof AppVersion>;

/** Ascending. */
export const LogLevel = Type.Union([
  Type.Literal('DEBUG'),
  Type.Literal('INFO'),
  Type.Literal('NOTICE'),
  Type.Literal('WARNING'),
  Type.Literal('ERROR'),
  Type.Literal('CRITICAL'),
]);
export type LogLevel = Static<typeof LogLevel>;

/** Ascending. */
export const logLevels: readonly LogLevel[] = LogLevel.anyOf.map((level) => level.const);

export const LogEntry = closed(
  {
    timestamp: Timestamp,
    level: LogLevel,
    message: Type.String(),
    task: Type.String(),
    source: Type.String(),
    reactor_unit: Type.String(),
    experiment: Type.String({ description: 'The experiment, or `$experiment` for the cluster itself' }),
  },
  { title: 'LogEntry' },
);
export type LogEntry = Static<typeof LogEntry>;
