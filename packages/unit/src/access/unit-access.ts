import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Caller, localCaller, publicPermissions } from '@lcs/contract';
import { accountOfRequest, isLoopback, type RequestOrigin } from '@lcs/platform';
import type { LeaderLinkState } from '../enrolment/leader-link.ts';

export interface UnitAccessOptions {
  /** The leader of this unit. */
  readonly link: () => LeaderLinkState | undefined;
  /** The leader has people, as far as this unit knows. */
  readonly hasPeople: () => boolean;
  /** Somebody sent a token that is not the leader's: the leader may have issued new credentials. */
  readonly onUnknownToken: () => void;
}

type RequestHead = Pick<IncomingMessage, 'headers'>;

const anonymousCaller: Caller = {
  kind: 'anonymous',
  id: '',
  personId: '',
  name: 'anonymous',
  permissions: publicPermissions,
};

const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip'];

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const isPlainLoopback = ({ headers }: RequestHead, { address, isSecure }: RequestOrigin): boolean =>
  !isSecure && isLoopback(address) && !forwardingHeaders.some((name) => headers[name] !== undefined);

/**
 * Who sent a request to this unit; reads memory only. The leader may do everything, and so may whoever opens the Unix socket of the data
 * folder. Programs on the same computer may do so too while the leader has no people.
 */
export class UnitAccess {
  readonly #options: UnitAccessOptions;

  constructor(options: UnitAccessOptions) {
    this.#options = options;
  }

  readonly identify = (request: RequestHead, origin: RequestOrigin): Caller => {
    if (origin.isUnixSocket) return localCaller;
    const { link, hasPeople, onUnknownToken } = this.#options;
    const isLocal = isPlainLoopback(request, origin);
    const leader = link();
    const token = /^Bearer ([\w-]+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token !== undefined && leader?.credentials) {
      const isLeader =
        isSame(token, leader.credentials.leader_token) &&
        (isLocal || (origin.peerKey !== undefined && origin.peerKey === leader.leader_key));
      if (isLeader) return leaderCaller(leader.leader, accountOfRequest(request.headers));
      onUnknownToken();
    }
    // Without credentials the leader itself could not be recognised.
    const isOpen = !hasPeople() || leader?.credentials === null;
    return isLocal && isOpen ? localCaller : anonymousCaller;
  };
}

const leaderCaller = (name: string, actsFor: string | undefined): Caller => ({
  ...localCaller,
  kind: 'leader',
  name,
  ...(actsFor !== undefined && { actsFor }),
});
