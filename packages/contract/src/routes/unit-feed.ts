import { Type } from 'typebox';
import { DesiredReport, DesiredState } from '../feed/desired.ts';
import { FeedAck, FeedAcked, FeedAnswer, FeedQuery } from '../feed/feed.ts';
import { closed } from '../resources/common.ts';
import { routes } from '../route.ts';
import { ok } from './answers.ts';

const common = { tag: 'Units', permission: 'node.follow', cache: 'no-store', origin: 'extension' } as const;

/** How a leader reads the feed of a unit and sets its desired state. */
export const unitFeedRoutes = routes({
  enrolNow: {
    ...common,
    method: 'POST',
    path: '/unit_api/enrol',
    summary: 'Make this unit enrol with its leader at once',
    description: 'With the leader of its configuration; the caller only triggers the request.',
    responses: {
      202: { description: 'The unit sends the request', schema: closed({ status: Type.Literal('accepted') }) },
    },
    errors: [],
  },
  readFeed: {
    ...common,
    method: 'GET',
    path: '/unit_api/feed',
    summary: 'Records of this unit after a number, and its heartbeat',
    description: 'Changes nothing. Waits up to 10 s for a record when there is none. See docs/interfaces/feed.md.',
    query: FeedQuery,
    responses: ok(FeedAnswer),
    errors: ['foreign_leader', 'not_enrolled', 'feed_epoch_changed', 'feed_ahead'],
    waits: true,
  },
  acknowledgeFeed: {
    ...common,
    method: 'POST',
    path: '/unit_api/feed/ack',
    summary: 'Confirm that the leader has stored all records up to a number',
    description: 'Idempotent; a smaller number than before changes nothing.',
    body: FeedAck,
    responses: ok(FeedAcked),
    errors: ['foreign_leader', 'not_enrolled', 'feed_epoch_changed', 'feed_ahead'],
  },
  getDesired: {
    ...common,
    method: 'GET',
    path: '/unit_api/desired',
    summary: 'Applied state of the document of the leader',
    responses: ok(DesiredReport),
    errors: [],
  },
  putDesired: {
    ...common,
    method: 'PUT',
    path: '/unit_api/desired',
    summary: 'Set the desired state of this unit',
    description: 'Stored before any part is applied; parts that take longer than 2 s are reported as pending.',
    body: DesiredState,
    responses: ok(DesiredReport),
    errors: ['foreign_leader', 'not_enrolled', 'desired_stale', 'desired_conflict'],
  },
});
