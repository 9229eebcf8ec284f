import { type Static, Type } from 'typebox';
import { closed, Timestamp } from './common.ts';

/** The signal of medium without cells, which a unit subtracts from its readings in one experiment. */
export const Blank = closed(
  {
    reactor_unit: Type.String(),
    experiment: Type.String(),
    measured_at: Timestamp,
    means: Type.Record(Type.String(), Type.Number(), { description: 'By photodiode, V' }),
    problems: Type.Array(Type.String(), {
      description: 'What was wrong with the readings when a person kept it all the same',
    }),
  },
  { title: 'Blank' },
);
export type Blank = Static<typeof Blank>;
