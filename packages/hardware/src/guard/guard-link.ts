import type { GuardNotice, GuardRequest, GuardResponse } from './guard-types.ts';

/** The node's link to its guard, which is a process or an object in the node's process. */
export interface GuardLink {
  /** @throws GuardLost */
  request(request: GuardRequest): Promise<GuardResponse>;
}

/** An event that the guard sends without a request. */
export type GuardEvent =
  | GuardNotice
  | { readonly what: 'guard_lost' }
  | { readonly what: 'guard_ready' }
  /** The process that switches off when node and guard have both ended; another one is started. */
  | { readonly what: 'watchdog_lost'; readonly reason: string };

/** The guard did not respond or has ended. Its leases are void; a new guard has switched everything off. */
export class GuardLost extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`The actuator guard is lost: ${reason}.`);
    this.name = 'GuardLost';
    this.reason = reason;
  }
}
