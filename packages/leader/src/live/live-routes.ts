import { type Caller, type Handlers, type leaderSystemRoutes, StreamBody } from '@lcs/contract';
import { addressGroup, callerKey, isLoopback } from '@lcs/platform';
import type { LiveGroup, LiveHub } from './live-hub.ts';
import { liveDeliveryHeader } from './live-position.ts';

/** A person may have the web UI open in many tabs; a program needs one or two connections. */
const perCaller = 40;
/** A laboratory's displays may share one address. Many clients connect from this machine if a proxy runs on it. */
const perAddress = 100;

/** The groups in which a connection counts. Whoever works on the machine itself, and the leader, are limited with all others only. */
function liveGroups(caller: Pick<Caller, 'kind' | 'id'>, address: string): readonly LiveGroup[] {
  if (caller.kind === 'local' || caller.kind === 'leader') return [];
  const own = { key: callerKey(caller, address), limit: perCaller };
  if (address === '' || isLoopback(address)) return [own];
  return [own, { key: `address ${addressGroup(address)}`, limit: perAddress }];
}

/** What somebody may do at this moment; undefined: their credentials are no longer valid. */
export type CurrentCaller = (caller: Caller) => Caller | undefined;

/** `GET /api/live`. */
export const liveHandlers = (
  hub: LiveHub,
  currentOf: CurrentCaller,
): Pick<Handlers<typeof leaderSystemRoutes>, 'followLive'> => ({
  followLive: ({ headers, signal, caller, remoteAddress = '' }) => {
    const lastEventId = headers['last-event-id'];
    const from = typeof lastEventId === 'string' ? lastEventId : undefined;
    const rights = () => currentOf(caller)?.permissions;
    const groups = liveGroups(caller, remoteAddress);
    const stream =
      headers[liveDeliveryHeader] === 'relayed'
        ? hub.relay(from, signal, groups, rights)
        : hub.follow(from, signal, groups, rights);
    return {
      status: 200,
      // Otherwise nginx would buffer the events.
      headers: { 'x-accel-buffering': 'no' },
      body: new StreamBody(stream),
    };
  },
});
