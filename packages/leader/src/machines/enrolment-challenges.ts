import { ApiError, type EnrolmentChallenge, type EnrolmentChallengeRequest, minuteMs } from '@lcs/contract';
import { type CodeCost, newNonce } from '@lcs/node';
import type { Clock } from '@lcs/platform';

export interface EnrolmentChallengesOptions {
  readonly wire: Pick<Clock, 'monotonic'>;
  readonly newId: () => string;
  readonly leaderId: string;
  /** Base64 of its public key. */
  readonly leaderKey: string;
  readonly cost: CodeCost;
}

interface Issued {
  readonly request: EnrolmentChallengeRequest;
  readonly challenge: EnrolmentChallenge;
  readonly untilMs: number;
}

const lifeMs = minuteMs;
/** The oldest make room. */
const openAtOnce = 1000;

/** What machines must sign. Each challenge is valid once, so that a recorded enrolment cannot be repeated. */
export class EnrolmentChallenges {
  readonly #options: EnrolmentChallengesOptions;
  readonly #issued = new Map<string, Issued>();

  constructor(options: EnrolmentChallengesOptions) {
    this.#options = options;
  }

  issue(request: EnrolmentChallengeRequest): EnrolmentChallenge {
    const { wire, newId, leaderId, leaderKey, cost } = this.#options;
    const challenge: EnrolmentChallenge = {
      challenge: newId(),
      leader_id: leaderId,
      public_key: leaderKey,
      nonce: newNonce(),
      salt: newNonce(),
      argon2: { ...cost },
    };
    const [oldest] = this.#issued.keys();
    if (this.#issued.size >= openAtOnce && oldest !== undefined) this.#issued.delete(oldest);
    this.#issued.set(challenge.challenge, { request, challenge, untilMs: wire.monotonic() + lifeMs });
    return challenge;
  }

  /** The challenge and its request, once. @throws ApiError enrol_proof_wrong */
  take(id: string): Omit<Issued, 'untilMs'> {
    const issued = this.#issued.get(id);
    this.#issued.delete(id);
    if (issued === undefined || issued.untilMs <= this.#options.wire.monotonic())
      throw new ApiError('enrol_proof_wrong', {
        cause: 'The challenge is unknown, was used, or is older than a minute.',
      });
    return issued;
  }
}
