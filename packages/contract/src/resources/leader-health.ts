import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp } from './common.ts';
import { Space } from './node-system.ts';

/** The computer that leads the units: what it has left, and for how long. */
export const LeaderHealth = closed(
  {
    version: Type.String(),
    started_at: Timestamp,
    utc_time: Timestamp,
    disk: Space,
    memory: Space,
    load: closed({
      one_minute: Type.Number({ minimum: 0, description: 'Programs that want to run, on average of a minute' }),
      cores: Type.Integer({ minimum: 1 }),
    }),
    broker: Type.Union(
      [Type.Literal('embedded'), Type.Literal('connected'), Type.Literal('unreachable'), Type.Literal('off')],
      {
        description:
          'The MQTT broker: the one of the leader, an external one that is connected or cannot be reached, or none. Units, pages and readings do not need it.',
      },
    ),
    database_bytes: Type.Integer({ minimum: 0 }),
    readings_per_day: Type.Integer({ minimum: 0, description: 'Stored in the last 24 hours' }),
    bytes_per_day: Nullable(
      Type.Integer({
        minimum: 0,
        description:
          'What readings take on the disk in a day, estimated from the time since the first of these; null: that is less than an hour',
      }),
    ),
    days_left: Nullable(
      Type.Number({
        minimum: 0,
        description: 'Until the disk is full at that rate; null: no readings came, or the rate is not known',
      }),
    ),
  },
  { title: 'LeaderHealth' },
);
export type LeaderHealth = Static<typeof LeaderHealth>;
