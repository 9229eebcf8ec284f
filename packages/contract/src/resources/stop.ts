import { type Static, Type } from 'typebox';
import { AnyJson } from '../feed/words.ts';
import { closed, Nullable, Timestamp } from './common.ts';
import { StopEverywhere } from './job.ts';
import { LiveJob } from './unit.ts';

/** The same job of some units, with the same settings. */
export const JobsBeforeStop = closed(
  {
    experiment: LiveJob.properties.experiment,
    job_name: LiveJob.properties.job_name,
    state: LiveJob.properties.state,
    settings: Type.Record(Type.String(), AnyJson, { description: 'Those that a start with the same values needs' }),
    reactor_units: Type.Array(Type.String()),
  },
  { title: 'JobsBeforeStop' },
);
export type JobsBeforeStop = Static<typeof JobsBeforeStop>;

/** An order that stopped all jobs, all pumps, or those of a profile; nothing was started since on the units that it stopped. */
export const RecentStop = closed(
  {
    stop_id: Type.String({ description: 'The task of the order; of the stop of a profile, its run' }),
    at: Timestamp,
    by: Type.String({ description: 'Person or program that ordered it; `user`: nobody was signed in' }),
    what: Type.Union([...StopEverywhere.properties.what.anyOf, Type.Literal('profile')], {
      description: '`profile`: the run of a profile with the jobs that it had started',
    }),
    experiment: Nullable(Type.String({ description: 'null: all experiments' })),
    reactor_units: Nullable(Type.Array(Type.String(), { description: 'null: all units' })),
    jobs: Type.Array(JobsBeforeStop, {
      description:
        'What ran before it and was to end, with the running profiles; of the stop of a profile all jobs of the experiment, of which those go on that the profile had not started',
    }),
  },
  { title: 'RecentStop' },
);
export type RecentStop = Static<typeof RecentStop>;
