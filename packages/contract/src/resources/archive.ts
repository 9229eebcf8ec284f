import { type Static, Type } from 'typebox';
import { closed, Timestamp, textLimit } from './common.ts';

export const SealRequest = closed(
  {
    to: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: textLimit,
        description:
          'An absolute folder of the leader, or `s3://bucket/prefix`; default: the folder `archive/sealed` of its data',
      }),
    ),
  },
  { title: 'SealRequest' },
);

/** What an experiment has of a month, in a file. */
export const ArchivedFile = closed(
  {
    month: Type.String({ description: 'Such as `2026-08` (UTC)' }),
    experiment: Type.String(),
    place: Type.String(),
    file: Type.String({ description: 'Its name below `place`' }),
    rows: Type.Integer({ minimum: 1, description: 'Number of its readings' }),
    bytes: Type.Integer({ minimum: 1 }),
    sha256: Type.String(),
    first_at: Timestamp,
    last_at: Timestamp,
    sealed_at: Timestamp,
    is_complete: Type.Boolean({
      description: '`false`: its readings are still being removed from the store; seal the month again to continue',
    }),
  },
  { title: 'ArchivedFile' },
);
export type ArchivedFile = Static<typeof ArchivedFile>;

export const ArchivedMonths = closed(
  { files: Type.Array(ArchivedFile, { description: 'By month and experiment' }) },
  { title: 'ArchivedMonths' },
);

/** Result of a task that seals or unseals a month. */
export const MovedMonth = closed(
  {
    month: Type.String(),
    files: Type.Integer(),
    rows: Type.Integer(),
    bytes: Type.Integer(),
  },
  { title: 'MovedMonth' },
);
export type MovedMonth = Static<typeof MovedMonth>;

/** Result of a task that verifies a month. */
export const VerifiedMonth = closed(
  {
    month: Type.String(),
    files: Type.Integer(),
    faulty: Type.Array(closed({ place: Type.String(), file: Type.String(), fault: Type.String() })),
  },
  { title: 'VerifiedMonth' },
);
export type VerifiedMonth = Static<typeof VerifiedMonth>;
