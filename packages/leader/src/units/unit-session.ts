import { type Liveness, minuteMs, type UnitFault, type UnitStatus } from '@lcs/contract';
import { toTimestamp } from '@lcs/platform';
import type { UnitConditions } from '../core/leader-context.ts';
import type { FeedMark } from '../follower/ingest-port.ts';
import type { StoredEnrolment } from '../queries/enrolments.ts';

/**
 * Whether the unit belongs to the cluster. `none`: it never had a document. `leaving`: it was removed and has not confirmed that. `gone`: it has
 * confirmed it, or has no leader or another one.
 */
export type Membership = 'none' | 'member' | 'leaving' | 'gone';

/** The machine that has the name of the unit. */
type Identity =
  | { readonly is: 'unknown' }
  | {
      readonly is: 'enrolled';
      readonly enrolment: StoredEnrolment;
      /** Monotonic time of its last enrolment. */
      readonly enrolledMs: number;
    };

/** The last answer of a unit to a request of its feed. */
export interface LastAnswer {
  /** By the leader's clock, milliseconds since 1970. */
  readonly atMs: number;
  /** By the monotonic clock. */
  readonly monotonicMs: number;
  /** Since when the unit has answered without a pause, by the leader's clock. */
  readonly sinceMs: number;
  readonly epoch: string;
  /** Its newest record. */
  readonly headSeq: number;
  readonly isFull: boolean;
  /** The unit's clock minus the leader's. */
  readonly offsetMs: number;
  /** Parts of its document that it is still applying. */
  readonly pendingParts: readonly string[];
  /** It has effective changes that its disk has not recorded. */
  readonly isUnrecorded: boolean;
}

/** Whether the unit answers. `none`: it has not answered since the leader started. */
export type Contact = { readonly is: 'none' } | { readonly is: Liveness; readonly last: LastAnswer };

/**
 * Whether the unit accepts this leader. `feed refused`: its feed is not read until it enrols. `refused`: it receives no
 * document either, until it enrols or answers.
 */
export type Acceptance =
  | { readonly is: 'accepted' }
  | { readonly is: 'feed refused'; readonly fault: UnitFault }
  | { readonly is: 'refused'; readonly fault: UnitFault | null };

/** The document of the unit, and the unit's progress with it. */
export interface DocumentState {
  /** The required version; 0: there is no document. */
  readonly version: number;
  /** The version that the unit reports. */
  readonly reported: number;
  /** The newest version that the unit has applied completely. */
  readonly applied: number;
  /** The run of the unit that has accepted a document from this run of the leader. */
  readonly acceptedBy: string | undefined;
  /** The failed parts that are in the event log. */
  readonly loggedFailures: string | undefined;
}

/** The sending of the document. `paused`: the last attempt failed. `sending twice`: once more after the running attempt. */
type Delivery =
  | { readonly is: 'idle' }
  | { readonly is: 'paused'; readonly untilMs: number }
  | { readonly is: 'sending' }
  | { readonly is: 'sending twice' };

/** The position up to which the feed is stored. `unread`: unknown in this run of the leader. */
type FeedPosition = { readonly is: 'unread' } | { readonly is: 'stored'; readonly mark: FeedMark };

/** The leader's state of one unit between two events, besides its jobs and readings. */
export interface UnitSession {
  readonly membership: Membership;
  readonly identity: Identity;
  readonly contact: Contact;
  /** Epoch and boot of the unit from its last answer or enrolment; undefined: unknown in this run of the leader. */
  readonly run: string | undefined;
  readonly acceptance: Acceptance;
  readonly document: DocumentState;
  readonly delivery: Delivery;
  /** Failed attempts to send the document since the last success. */
  readonly failures: number;
  /** Why the last attempt got no answer; undefined: it got one. */
  readonly noAnswer: string | undefined;
  readonly feed: FeedPosition;
  /** Its newest readings come from a simulated board. */
  readonly isSimulated: boolean;
}

/** A unit without any information. */
export const unknownUnit: UnitSession = {
  membership: 'none',
  identity: { is: 'unknown' },
  contact: { is: 'none' },
  run: undefined,
  acceptance: { is: 'accepted' },
  document: { version: 0, reported: 0, applied: 0, acceptedBy: undefined, loggedFailures: undefined },
  delivery: { is: 'idle' },
  failures: 0,
  noAnswer: undefined,
  feed: { is: 'unread' },
  isSimulated: false,
};

export const runOf = ({ epoch, boot }: { readonly epoch: string; readonly boot: number }): string => `${epoch}/${boot}`;

/** Its credentials are revoked: it is neither followed nor sent anything until it enrols. */
export const isRevoked = ({ acceptance }: UnitSession): boolean =>
  acceptance.is === 'refused' && acceptance.fault === 'revoked';

export const hasDocument = ({ membership }: UnitSession): boolean =>
  membership === 'member' || membership === 'leaving';

export const enrolmentOf = ({ identity }: UnitSession): StoredEnrolment | undefined =>
  identity.is === 'enrolled' ? identity.enrolment : undefined;

/** The required version of the document; 0: the unit is not a worker. */
export const desiredVersionOf = (session: UnitSession): number => (hasDocument(session) ? session.document.version : 0);

/** This run of the unit has confirmed to this run of the leader that it has applied its document. */
export const isUpToDate = ({ run, document }: UnitSession): boolean =>
  run !== undefined && document.acceptedBy === run && document.applied === document.version;

/** A machine with an older enrolment is not present: units without a leader enrol every 10 minutes. */
const freshMs = 30 * minuteMs;

export const hasEnrolledRecently = ({ identity }: UnitSession, nowMs: number): boolean =>
  identity.is === 'enrolled' && nowMs - identity.enrolledMs < freshMs;

const lastAnswerOf = ({ contact }: UnitSession): LastAnswer | undefined =>
  contact.is === 'none' ? undefined : contact.last;

export function conditionsOf(session: UnitSession): UnitConditions {
  const last = lastAnswerOf(session);
  return {
    answeringSinceMs: last?.sinceMs ?? Number.NEGATIVE_INFINITY,
    pendingParts: last?.pendingParts ?? [],
    isUnrecorded: last?.isUnrecorded ?? false,
  };
}

/** Records of the unit that the leader does not have. */
function backlogOf(session: UnitSession): number {
  const last = lastAnswerOf(session);
  if (last === undefined) return 0;
  const { feed } = session;
  const stored = feed.is === 'stored' && feed.mark.epoch === last.epoch ? feed.mark.seq : 0;
  return Math.max(0, last.headSeq - stored);
}

/** @param url the address of the unit for the leader */
export function unitStatus(unit: string, session: UnitSession, url: string | undefined): UnitStatus {
  const { acceptance, contact, document } = session;
  const last = lastAnswerOf(session);
  return {
    reactor_unit: unit,
    liveness: contact.is === 'none' ? 'offline' : contact.is,
    last_heard_at: last === undefined ? null : toTimestamp(last.atMs),
    trouble: acceptance.is === 'accepted' ? null : acceptance.fault,
    desired_version: desiredVersionOf(session),
    applied_version: document.applied,
    backlog: backlogOf(session),
    clock_offset_ms: last?.offsetMs ?? null,
    outbox_full: last?.isFull ?? false,
    app_version: enrolmentOf(session)?.app_version ?? null,
    url: url ?? null,
    is_simulated: session.isSimulated,
  };
}
