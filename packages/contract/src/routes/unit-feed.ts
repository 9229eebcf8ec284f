import { Type } from 'typebox';
import { DesiredReport, DesiredState } from '../feed/desired.ts';
import { FeedAck, FeedAcked, FeedAnswer, FeedQuery } from '../feed/feed.ts';
import { closed } from '../resources/common.ts';
import { routes } from '../route.ts';
import { ok } from './answers.ts';

const common = { tag: 'Units', permission: 'node.follow', cache: 'no-store', origin: 'extension' } as const;

/** How a leader follows a unit and tells it what to be. */
export const unitFeedRoutes = routes({
  enrolNow: {
    ...common,
    method: 'POST',
    path: '/unit_api/enrol',
    summary: 'Let this unit make itself known to its leader at once',
    description: 'To the leader it was started for; the caller only wakes it.',
    responses: { 202: { description: 'It asks', schema: closed({ status: Type.Literal('accepted') }) } },
    errors: [],
  },
  readFeed: {
    ...common,
    method: 'GET',
    path: '/unit_api/feed',
    summary: 'What this unit has recorded since a number, and its heartbeat',
    description: 'Changes nothing. Waits up to 10 s for a record when there is none. See docs/interfaces.md.',
    query: FeedQuery,
    responses: ok(FeedAnswer),
    errors: ['foreign_leader', 'not_enrolled', 'feed_epoch_changed', 'feed_ahead'],
    waits: true,
  },
  acknowledgeFeed: {
    ...common,
    method: 'POST',
    path: '/unit_api/feed/ack',
    summary: 'Everything up to a number is safe with the leader',
    description: 'Idempotent; a smaller number than before changes nothing.',
    body: FeedAck,
    responses: ok(FeedAcked),
    errors: ['foreign_leader', 'not_enrolled', 'feed_epoch_changed', 'feed_ahead'],
  },
  getDesired: {
    ...common,
    method: 'GET',
    path: '/unit_api/desired',
    summary: 'What this unit has made of the document its leader gave it',
    responses: ok(DesiredReport),
    errors: [],
  },
  putDesired: {
    ...common,
    method: 'PUT',
    path: '/unit_api/desired',
    summary: 'Give this unit the document of what it shall be',
    description: 'On disk before any part is applied; what takes longer than 2 s is reported as pending.',
    body: DesiredState,
    responses: ok(DesiredReport),
    errors: ['foreign_leader', 'not_enrolled', 'desired_stale', 'desired_conflict'],
  },
});
