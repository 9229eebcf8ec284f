import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp } from './common.ts';
import { StopEverywhere } from './job.ts';
import { LiveJob } from './unit.ts';

/** An order that stopped all jobs, or all pumps; nothing was started since on the units that it stopped. */
export const RecentStop = closed(
  {
    stop_id: Type.String({ description: 'The task of the order' }),
    at: Timestamp,
    by: Type.String({ description: 'Person or program that ordered it; `user`: nobody was signed in' }),
    what: StopEverywhere.properties.what,
    experiment: Nullable(Type.String({ description: 'null: all experiments' })),
    reactor_units: Nullable(Type.Array(Type.String(), { description: 'null: all units' })),
    jobs: Type.Array(LiveJob, { description: 'What ran before it and was to end, with the running profiles' }),
  },
  { title: 'RecentStop' },
);
export type RecentStop = Static<typeof RecentStop>;
