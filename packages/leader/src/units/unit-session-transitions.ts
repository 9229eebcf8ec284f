import type { FeedAnswer, UnitFault } from '@lcs/contract';
import type { FeedMark } from '../follower/ingest-port.ts';
import type { StoredEnrolment } from '../queries/enrolments.ts';
import {
  type Acceptance,
  type Contact,
  type DocumentState,
  hasDocument,
  isRevoked,
  type LastAnswer,
  type Membership,
  runOf,
  type UnitSession,
  unknownUnit,
} from './unit-session.ts';

/** The outcome of an attempt to send the document. */
export type DeliveryOutcome =
  /** The unit has sent its report. */
  | { readonly is: 'reported' }
  /** There was no address or no document. */
  | { readonly is: 'skipped' }
  /** The unit had a later version: the document gets this version now. */
  | { readonly is: 'renumbered'; readonly version: number }
  | { readonly is: 'refused'; readonly code: string }
  | {
      readonly is: 'unanswered';
      readonly cause: string;
      /** The document has orders to stop jobs, which do not wait for the unit's next answer. */
      readonly hasOrders: boolean;
    };

/** The events of a unit that the leader knows. */
export type UnitEvent =
  | {
      readonly is: 'enrolment loaded';
      readonly enrolment: StoredEnrolment;
      readonly enrolledMs: number;
      readonly fault: UnitFault | null;
    }
  | {
      readonly is: 'enrolled';
      readonly enrolment: StoredEnrolment;
      readonly nowMs: number;
      readonly hasNewModel: boolean;
    }
  /** The machine has enrolled under another name. */
  | { readonly is: 'machine renamed' }
  /** The leader refuses the machine of the unit. */
  | { readonly is: 'revoked' }
  | { readonly is: 'board found'; readonly isSimulated: boolean }
  | {
      readonly is: 'document loaded';
      readonly membership: Exclude<Membership, 'none'>;
      readonly version: number;
      readonly reported: number;
      readonly isComplete: boolean;
    }
  /** The document of the unit is this one now. */
  | { readonly is: 'document made'; readonly version: number; readonly isReleased: boolean }
  | { readonly is: 'answered'; readonly answer: FeedAnswer; readonly atMs: number; readonly nowMs: number }
  | { readonly is: 'time passed'; readonly nowMs: number }
  | { readonly is: 'feed refused'; readonly fault: UnitFault }
  | { readonly is: 'feed stored'; readonly mark: FeedMark }
  /** A caller waits for the unit to have its document. */
  | { readonly is: 'document needed' }
  | { readonly is: 'retry due' }
  /** A run of the unit has answered with a report on the version that it was sent. */
  | { readonly is: 'document accepted'; readonly run: string | undefined }
  /** A report of the unit is on disk. */
  | {
      readonly is: 'report stored';
      readonly version: number;
      readonly isComplete: boolean;
      /** The parts that it could not apply, with the reasons; empty: none. */
      readonly failures: string;
      readonly hasEndedStops: boolean;
    }
  /** @property jitter a random number from 0 to 1 */
  | {
      readonly is: 'delivery ended';
      readonly outcome: DeliveryOutcome;
      readonly nowMs: number;
      readonly jitter: number;
    };

/** The next actions of the leader. */
export type UnitEffect =
  /** Send the document, repeatedly until the session is not `sending` any more. */
  | { readonly do: 'send document' }
  | { readonly do: 'retry later'; readonly pauseMs: number }
  | { readonly do: 'make document' }
  | { readonly do: 'follow' }
  | { readonly do: 'unfollow' }
  /** Ends the pauses of the follower. */
  | { readonly do: 'restart feed' }
  /** The document of the unit, or its applied version, has changed. */
  | { readonly do: 'announce document' }
  | { readonly do: 'publish status' }
  | { readonly do: 'mark jobs lost' }
  | { readonly do: 'forget jobs' }
  | { readonly do: 'log feed refused'; readonly fault: UnitFault }
  | { readonly do: 'log failed parts'; readonly failures: string };

export interface Step {
  readonly session: UnitSession;
  readonly effects: readonly UnitEffect[];
}

/** A unit that answers every 10 s is online; with tolerance for one lost answer. Chosen. */
const staleMs = 20_000;
const offlineMs = 60_000;
/** A reachable unit answers every few seconds. */
const longestPauseMs = 60_000;
const firstRetryMs = 500;
const longestRetryMs = 10_000;

const step = (session: UnitSession, ...effects: readonly UnitEffect[]): Step => ({ session, effects });

/** The second step with the effects of both. */
const after = ({ session, effects }: Step, next: (session: UnitSession) => Step): Step => {
  const following = next(session);
  return { session: following.session, effects: [...effects, ...following.effects] };
};

/**
 * Pure: the session of a unit after an event, and the next actions of the leader.
 *
 * | part | values | changed by |
 * |---|---|---|
 * | membership | none → member ⇄ leaving → gone → member | a document that is made; a report of the release; a refusal of a unit that leaves |
 * | identity | unknown ⇄ enrolled | enrolment; enrolment of the machine under another name |
 * | contact | none → online → stale (20 s) → offline (60 s) → online | answers, and the time since the last one |
 * | acceptance | accepted ⇄ feed refused, refused | refusals of feed and document; an answer or an enrolment accepts; after a revocation only an enrolment |
 * | document | version, reported, applied; accepted by which run | documents that are made, answers, reports |
 * | delivery | idle → sending ⇄ sending twice; sending → idle or paused → sending | a document that is not up to date, and an answer, an enrolment or somebody who waits |
 * | feed | unread → stored up to a mark | what is stored |
 */
export function nextSession(session: UnitSession, event: UnitEvent): Step {
  switch (event.is) {
    case 'enrolment loaded':
      return step(withEnrolmentLoaded(session, event));
    case 'enrolled':
      return afterEnrolment(session, event);
    case 'machine renamed':
      return step({ ...session, identity: { is: 'unknown' } });
    case 'revoked':
      return afterRevocation(session);
    case 'board found':
      return step({ ...session, isSimulated: event.isSimulated });
    case 'document loaded':
      return afterLoad(session, event);
    case 'document made':
      return afterMaking(session, event);
    case 'answered':
      return afterAnswer(session, event);
    case 'time passed':
      return afterTime(session, event.nowMs);
    case 'feed refused':
      return afterFeedRefusal(session, event.fault);
    case 'feed stored':
      return step({ ...session, feed: { is: 'stored', mark: event.mark } });
    case 'document needed':
      return delivered(session);
    case 'retry due':
      return session.delivery.is === 'paused' ? delivered(session) : step(session);
    case 'document accepted': {
      const document = { ...session.document, acceptedBy: event.run };
      return step({ ...session, document, failures: 0, noAnswer: undefined });
    }
    case 'report stored':
      return afterReport(session, event);
    case 'delivery ended':
      return afterDelivery(session, event);
  }
}

type Of<Is extends UnitEvent['is']> = Extract<UnitEvent, { readonly is: Is }>;

function withEnrolmentLoaded(session: UnitSession, { enrolment, enrolledMs, fault }: Of<'enrolment loaded'>) {
  const refused = { is: fault === 'revoked' ? 'refused' : 'feed refused', fault } as const;
  const acceptance: Acceptance = fault === null ? { is: 'accepted' } : { ...refused, fault };
  return { ...session, identity: { is: 'enrolled', enrolment, enrolledMs }, acceptance } satisfies UnitSession;
}

/** The reason why the unit did not accept its document may have ended. */
function afterEnrolment(before: UnitSession, { enrolment, nowMs, hasNewModel }: Of<'enrolled'>): Step {
  const enrolled: UnitSession = {
    ...before,
    identity: { is: 'enrolled', enrolment, enrolledMs: nowMs },
    acceptance: { is: 'accepted' },
  };
  const follow = isRevoked(before) && hasDocument(before) ? [{ do: 'follow' } as const] : [];
  const begun = step(enrolled, ...follow, ...(hasNewModel ? [{ do: 'make document' } as const] : []), {
    do: 'restart feed',
  });
  return after(
    after(begun, (session) => {
      if (!hasDocument(session)) return step(session);
      const document = { ...session.document, acceptedBy: undefined };
      return delivered({ ...session, document, run: runOf(enrolment), failures: 0 });
    }),
    (session) => step(session, { do: 'publish status' }),
  );
}

function afterRevocation(session: UnitSession): Step {
  const revoked: UnitSession = { ...session, acceptance: { is: 'refused', fault: 'revoked' } };
  const unfollow = hasDocument(session) && !isRevoked(session) ? [{ do: 'unfollow' } as const] : [];
  return step(revoked, ...unfollow, { do: 'publish status' });
}

function afterLoad(session: UnitSession, { membership, version, reported, isComplete }: Of<'document loaded'>): Step {
  const document = withReported({ ...unknownUnit.document, version }, reported, isComplete);
  const { run, delivery, failures, noAnswer } = unknownUnit;
  const loaded: UnitSession = { ...session, membership, document, run, delivery, failures, noAnswer };
  if (membership === 'gone') return step(loaded);
  const follow = isRevoked(loaded) ? [] : [{ do: 'follow' } as const];
  return step(loaded, ...follow, { do: 'announce document' }, { do: 'publish status' });
}

function afterMaking(session: UnitSession, { version, isReleased }: Of<'document made'>): Step {
  // The content of a version never changes: a known one has no news, and a unit that is gone stays gone.
  if (version <= session.document.version) return step(session);
  const made: UnitSession = {
    ...session,
    membership: isReleased ? 'leaving' : 'member',
    document: { ...session.document, version },
  };
  const follow = hasDocument(session) || isRevoked(session) ? [] : [{ do: 'follow' } as const];
  const announced = step(made, ...follow, { do: 'announce document' }, { do: 'publish status' });
  // A unit without an answer in this run gets its document when it answers.
  return made.run === undefined ? announced : after(announced, delivered);
}

function afterAnswer(session: UnitSession, { answer, atMs, nowMs }: Of<'answered'>): Step {
  // It was requested before.
  if (isRevoked(session)) return step(session);
  const { desired_version: version, desired_pending: pending } = answer;
  const answered: UnitSession = {
    ...session,
    contact: contactAfter(session, answer, atMs, nowMs),
    run: runOf(answer),
    acceptance: { is: 'accepted' },
    document: withReported(session.document, version, pending.length === 0),
  };
  const isOnlineAgain = answered.contact.is === 'online' && session.contact.is !== 'online';
  const isAnnounced = session.membership !== 'none' && isOtherReport(session.document, answered.document);
  const known = step(
    answered,
    ...(isAnnounced ? [{ do: 'announce document' } as const] : []),
    ...(isAnnounced || isOnlineAgain ? [{ do: 'publish status' } as const] : []),
  );
  const { document, run } = answered;
  const isDue = hasDocument(answered) && (document.acceptedBy !== run || version !== document.version);
  const mayBeSent = answered.delivery.is !== 'paused' || nowMs >= answered.delivery.untilMs;
  return isDue && mayBeSent ? after(known, delivered) : known;
}

function contactAfter(session: UnitSession, answer: FeedAnswer, atMs: number, nowMs: number): Contact {
  const { contact } = session;
  const isContinued = contact.is !== 'none' && atMs - contact.last.atMs <= longestPauseMs;
  const last: LastAnswer = {
    atMs,
    monotonicMs: nowMs,
    sinceMs: isContinued ? contact.last.sinceMs : atMs,
    epoch: answer.epoch,
    headSeq: answer.head_seq,
    isFull: answer.outbox.full,
    offsetMs: Math.round(answer.time - atMs),
    pendingParts: answer.desired_pending,
    isUnrecorded: answer.unrecorded ?? false,
  };
  // The last answer of a unit that is not followed any more may arrive late.
  return { is: hasDocument(session) ? 'online' : 'offline', last };
}

function afterTime(session: UnitSession, nowMs: number): Step {
  const { contact } = session;
  if (contact.is === 'none' || !hasDocument(session)) return step(session);
  const ageMs = nowMs - contact.last.monotonicMs;
  const is = ageMs >= offlineMs ? 'offline' : ageMs >= staleMs ? 'stale' : 'online';
  if (is === contact.is) return step(session);
  const lost = is === 'offline' ? [{ do: 'mark jobs lost' } as const] : [];
  return step({ ...session, contact: { is, last: contact.last } }, ...lost, { do: 'publish status' });
}

function afterFeedRefusal(session: UnitSession, fault: UnitFault): Step {
  if (isRevoked(session)) return step(session);
  const isRefused = fault === 'protocol_unsupported' || session.acceptance.is === 'refused';
  const refused: UnitSession = { ...session, acceptance: { is: isRefused ? 'refused' : 'feed refused', fault } };
  const hasAnotherLeader = fault === 'foreign_leader' || fault === 'not_enrolled';
  if (session.membership === 'leaving' && hasAnotherLeader) return withoutUnit(refused);
  if (session.membership !== 'member') return step(refused);
  return step(refused, { do: 'publish status' }, { do: 'log feed refused', fault });
}

function afterReport(before: UnitSession, { version, isComplete, failures, hasEndedStops }: Of<'report stored'>): Step {
  const reported: UnitSession = { ...before, document: withReported(before.document, version, isComplete) };
  const isOther = isOtherReport(before.document, reported.document);
  const known = isOther ? step(reported, { do: 'announce document' }, { do: 'publish status' }) : step(reported);
  const hasConfirmed = version === reported.document.version && reported.membership === 'leaving';
  const released = hasConfirmed ? after(known, withoutUnit) : known;
  const dropped = hasEndedStops ? after(released, (session) => step(session, { do: 'make document' })) : released;
  return after(dropped, (session) => withFailures(session, failures, isComplete));
}

/** Failures are logged once, until the unit has applied everything or something else fails. */
function withFailures(session: UnitSession, failures: string, isComplete: boolean): Step {
  const { document } = session;
  if (failures === '') {
    return step(isComplete ? { ...session, document: { ...document, loggedFailures: undefined } } : session);
  }
  if (document.loggedFailures === failures) return step(session);
  return step(
    { ...session, document: { ...document, loggedFailures: failures } },
    { do: 'log failed parts', failures },
  );
}

function afterDelivery(session: UnitSession, { outcome, nowMs, jitter }: Of<'delivery ended'>): Step {
  const ended: UnitSession = {
    ...session,
    delivery: { is: session.delivery.is === 'sending twice' ? 'sending' : 'idle' },
  };
  switch (outcome.is) {
    case 'reported':
      return step({ ...ended, failures: 0, noAnswer: undefined });
    case 'skipped':
      return step(ended);
    case 'renumbered': {
      const document = { ...session.document, version: outcome.version };
      return step({ ...session, document, noAnswer: undefined, delivery: { is: 'sending' } });
    }
    case 'refused':
      return afterRefusal(session, outcome.code, nowMs, jitter);
    case 'unanswered': {
      const { paused, pauseMs } = withPause({ ...session, noAnswer: outcome.cause }, nowMs, jitter);
      return outcome.hasOrders ? step(paused, { do: 'retry later', pauseMs }) : step(paused);
    }
  }
}

function afterRefusal(session: UnitSession, code: string, nowMs: number, jitter: number): Step {
  const answered = { ...session, noAnswer: undefined };
  if (code !== 'foreign_leader' && code !== 'not_enrolled') return step(withPause(answered, nowMs, jitter).paused);
  const fault = session.acceptance.is === 'accepted' ? null : session.acceptance.fault;
  const refused: UnitSession = { ...answered, acceptance: { is: 'refused', fault }, delivery: { is: 'idle' } };
  // A unit that was removed and is not enrolled any more needs no document.
  return code === 'not_enrolled' && session.membership === 'leaving' ? withoutUnit(refused) : step(refused);
}

/** The pause before the next attempt doubles with each failure. */
function withPause(session: UnitSession, nowMs: number, jitter: number) {
  const pauseMs = Math.min(longestRetryMs, firstRetryMs * 2 ** session.failures) * (0.8 + 0.4 * jitter);
  const delivery = { is: 'paused', untilMs: nowMs + pauseMs } as const;
  return { paused: { ...session, delivery, failures: session.failures + 1 }, pauseMs };
}

/** The document is sent now, or once more after the running attempt, unless the unit refuses this leader. */
function delivered(session: UnitSession): Step {
  const { acceptance, delivery } = session;
  if (delivery.is === 'sending' || delivery.is === 'sending twice') {
    return step({ ...session, delivery: { is: 'sending twice' } });
  }
  if (acceptance.is === 'refused') return step({ ...session, delivery: { is: 'idle' } });
  return step({ ...session, delivery: { is: 'sending' } }, { do: 'send document' });
}

function withoutUnit(session: UnitSession): Step {
  const { contact } = session;
  return step(
    {
      ...session,
      membership: 'gone',
      contact: contact.is === 'none' ? contact : { is: 'offline', last: contact.last },
    },
    { do: 'unfollow' },
    { do: 'forget jobs' },
    { do: 'announce document' },
    { do: 'publish status' },
  );
}

const withReported = (document: DocumentState, version: number, isComplete: boolean): DocumentState => ({
  ...document,
  reported: version,
  applied: isComplete ? version : Math.min(document.applied, version),
});

const isOtherReport = (before: DocumentState, { reported, applied }: DocumentState): boolean =>
  before.reported !== reported || before.applied !== applied;
