import { type Handlers, type leaderSystemRoutes, StreamBody } from '@lcs/contract';
import type { LiveHub } from './live-hub.ts';

/** `GET /api/live`. */
export const liveHandlers = (hub: LiveHub): Pick<Handlers<typeof leaderSystemRoutes>, 'followLive'> => ({
  followLive: ({ headers, signal }) => {
    const lastEventId = headers['last-event-id'];
    return {
      status: 200,
      // Otherwise nginx would buffer the events.
      headers: { 'x-accel-buffering': 'no' },
      body: new StreamBody(hub.follow(typeof lastEventId === 'string' ? lastEventId : undefined, signal)),
    };
  },
});
