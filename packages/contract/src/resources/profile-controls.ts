import { type Static, Type } from 'typebox';
import { closed, textLimit } from './common.ts';

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
