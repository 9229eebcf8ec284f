import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp, textLimit } from './common.ts';

/** What identifies an action, loop or wait of a run. */
export const ProfileItemKey = closed(
  {
    reactor_unit: Type.String({ maxLength: textLimit }),
    path: Type.String({ maxLength: textLimit, description: 'In the profile, like `common.jobs.stirring.actions[0]`' }),
    iteration: Type.Integer({ minimum: 0, description: 'Of the loop that it is, or that encloses it' }),
  },
  { title: 'ProfileItemKey' },
);
export type ProfileItemKey = Static<typeof ProfileItemKey>;

/** What people, or the run itself, have changed of its course. */
export const ProfileRunChanges = Type.Array(
  closed({
    at: Timestamp,
    kind: Type.String({ description: 'paused, resumed, skipped, or asked (about a missed action)' }),
    account: Nullable(Type.String({ description: 'Who requested it; null: the run itself, or nobody had an account' })),
    item: Nullable(ProfileItemKey),
  }),
  { description: 'Pauses, skips and questions of the run, oldest first' },
);
