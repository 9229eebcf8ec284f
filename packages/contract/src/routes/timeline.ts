import { Type } from 'typebox';
import { TimelineEntry, TimelineQuery } from '../resources/timeline.ts';
import { routes } from '../route.ts';
import { ok } from './answers.ts';

/** What happened in an experiment. */
export const timelineRoutes = routes({
  getTimeline: {
    method: 'GET',
    path: '/api/experiments/{experiment}/timeline',
    summary:
      'Doses, settings of automations, notes and samples, alarms, steps of profiles, interruptions, and actions of people in an experiment',
    description:
      'Newest first, one entry for each dose. Entries of profiles of the same moment are on one page, which may be longer for it. The volumes of a dose are those that the pumps have moved. Actions are starts, stops and settings of jobs and assignments, from the audit. The header `x-next-before` is the start of the next page; without it there is none.',
    tag: 'Experiments',
    permission: 'experiments.read',
    query: TimelineQuery,
    responses: ok(Type.Array(TimelineEntry)),
    errors: ['experiment_not_found'],
    cache: 'no-store',
    origin: 'extension',
  },
});
