import type { Handlers, unitFeedRoutes } from '@lcs/contract';
import { desiredHandlers } from '../desired/desired-handlers.ts';
import type { DesiredStateManager } from '../desired/desired-state-manager.ts';
import { type EnrollingUnit, untilEnrolled } from '../enrolment/until-enrolled.ts';
import type { FeedHandler } from '../feed/feed-handler.ts';

export interface LeaderHandlersOptions extends EnrollingUnit {
  readonly feed: FeedHandler;
  readonly desiredState: DesiredStateManager;
}

/** The routes by which the leader follows this unit and sends its desired state. */
export function leaderHandlers({
  feed,
  desiredState,
  ...joining
}: LeaderHandlersOptions): Handlers<typeof unitFeedRoutes> {
  const desired = desiredHandlers(desiredState);
  return {
    enrolNow: () => {
      joining.enrolment.changed();
      return { status: 202, body: { status: 'accepted' } };
    },
    readFeed: async ({ query, signal }) => {
      if (query.leader_id !== undefined) await untilEnrolled(joining, query.leader_id);
      return { status: 200, body: await feed.read(query, signal) };
    },
    acknowledgeFeed: async ({ body }) => ({ status: 200, body: await feed.acknowledge(body) }),
    getDesired: desired.getDesired,
    putDesired: async (request) => {
      await untilEnrolled(joining, request.body.leader_id);
      return desired.putDesired(request);
    },
  };
}
