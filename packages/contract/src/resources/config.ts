import { type Static, Type } from 'typebox';
import { closed, Timestamp } from './common.ts';

export const ConfigChange = closed(
  { code: Type.String({ description: 'The whole file in INI form, at most 1 MiB' }) },
  { title: 'ConfigChange' },
);
export type ConfigChange = Static<typeof ConfigChange>;

export const ConfigSaved = closed(
  {
    status: Type.Literal('success'),
    pending: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Units that have not taken the new file yet; they get it when they can',
      }),
    ),
  },
  { title: 'ConfigSaved' },
);
export type ConfigSaved = Static<typeof ConfigSaved>;

export const ConfigHistoryEntry = closed(
  {
    filename: Type.String(),
    timestamp: Timestamp,
    data: Type.String({ description: 'The whole file as it was saved' }),
  },
  { title: 'ConfigHistoryEntry' },
);
export type ConfigHistoryEntry = Static<typeof ConfigHistoryEntry>;
