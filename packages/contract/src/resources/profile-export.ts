import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp } from './common.ts';
import { ProfileRun, ProfileRunAction } from './profile.ts';
import { ProfileRunChanges } from './profile-controls.ts';

/** What leader and units were at the start of a run. */
export const ProfileRunBeginning = closed(
  {
    leader_version: Type.String(),
    units: Type.Array(
      closed({
        reactor_unit: Type.String(),
        app_version: Nullable(Type.String({ description: 'Null: the unit has never enrolled' })),
        calibrations: Type.Array(
          closed({
            device: Type.String(),
            name: Type.String(),
            type: Type.String(),
            created_at: Timestamp,
            hash: Type.String({ description: 'SHA-256 of its content as the leader stores it, in hexadecimal digits' }),
            copied_at: Nullable(Timestamp),
          }),
          { description: 'The active ones, in the copy of the leader; `copied_at`: when the unit last reported it' },
        ),
      }),
    ),
  },
  { title: 'ProfileRunBeginning' },
);
export type ProfileRunBeginning = Static<typeof ProfileRunBeginning>;

/** The record of a run. */
export const ProfileRunExport = closed(
  {
    kind: Type.Literal('experiment_profile_run'),
    exported_at: Timestamp,
    run: ProfileRun,
    profile_text: Type.String({ description: 'As it was at the start of the run' }),
    inputs: Type.Record(Type.String(), Type.Unknown()),
    common_units: Type.Array(Type.String()),
    own_units: Type.Array(Type.String()),
    /** Null: a version before 26.12 has begun the run. */
    began_with: Nullable(ProfileRunBeginning),
    actions: Type.Array(ProfileRunAction, { description: 'Oldest first' }),
    changes: ProfileRunChanges,
  },
  { title: 'ProfileRunExport' },
);
export type ProfileRunExport = Static<typeof ProfileRunExport>;
