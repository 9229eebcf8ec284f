import { type Static, Type } from 'typebox';
import { closed, Nullable, textLimit } from './common.ts';

const minLevel = Type.String({
  maxLength: textLimit,
  default: 'INFO',
  description: 'This level and all higher levels, in upper or lower case; an unknown level counts as INFO',
});

/** Which entries of the event log, by level alone. */
export const RecentLogQuery = Type.Object({ min_level: Type.Optional(minLevel) });

const noNul = '^[^\\u0000]*$';

/** Which entries of the event log, newest first, page by page. */
export const LogQuery = Type.Object({
  min_level: Type.Optional(minLevel),
  skip: Type.Optional(
    Type.Integer({
      maximum: 100_000,
      default: 0,
      description: 'Entries to leave out at the beginning; below 0 counts as 0. For old entries `before` is faster',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Entries of a page' })),
  before: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'Where the page begins: the header `x-next-before` of the previous page, or a time (RFC 3339), for older entries',
    }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: noNul,
      description:
        'Text that the message or the task contains, in any case. One or two characters are searched in the newest 5,000 entries only',
    }),
  ),
  source: Type.Optional(
    Type.String({ maxLength: 200, pattern: noNul, description: 'Exactly this source: `app`, `ui`, `tasks`, a plugin' }),
  ),
});
export type LogQuery = Static<typeof LogQuery>;

/** An entry that someone adds to the event log. */
export const PostedLogEntry = closed(
  {
    message: Type.String({ maxLength: 8192, description: 'Blanks around it are removed; the rest must not be empty' }),
    level: Type.String({
      maxLength: textLimit,
      description: 'DEBUG, INFO, NOTICE, WARNING, ERROR or CRITICAL, in any case',
    }),
    source: Type.String({
      maxLength: 200,
      pattern: noNul,
      description: 'The author; replaced by the name of the account, if the caller has one',
    }),
    timestamp: Type.Optional(
      Type.String({ maxLength: textLimit, description: 'RFC 3339 with a zone; now when it is left out' }),
    ),
    task: Type.Optional(
      Nullable(Type.String({ maxLength: 200, description: 'Name of the activity; empty by default' })),
    ),
    source_: Type.Optional(
      Type.String({
        maxLength: 64,
        pattern: '^[A-Za-z0-9_.-]+$',
        description: 'The segment of the MQTT topic; `ui` by default',
      }),
    ),
  },
  { title: 'PostedLogEntry' },
);
export type PostedLogEntry = Static<typeof PostedLogEntry>;
