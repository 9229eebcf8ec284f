import type { FeedAnswer } from '@lcs/contract';
import { unitProtocol } from '@lcs/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredEnrolment } from '../queries/enrolments.ts';
import { testAnswer } from '../testing/test-feed.ts';
import {
  conditionsOf,
  desiredVersionOf,
  hasDocument,
  isRevoked,
  isUpToDate,
  type UnitSession,
  unitStatus,
  unknownUnit,
} from './unit-session.ts';
import { type DeliveryOutcome, nextSession, type UnitEffect, type UnitEvent } from './unit-session-transitions.ts';
import { UnitSessions } from './unit-sessions.ts';

type Do = UnitEffect['do'];

/** The session after these events, and what the leader did. */
function play(events: readonly UnitEvent[], from: UnitSession = unknownUnit) {
  let session = from;
  const done: Do[] = [];
  for (const event of events) {
    const step = nextSession(session, event);
    session = step.session;
    done.push(...step.effects.map((effect) => effect.do));
  }
  return { session, done };
}

const sends = (done: readonly Do[]) => done.filter((each) => each === 'send document').length;

const answered = (nowMs: number, more: Partial<FeedAnswer> = {}): UnitEvent => ({
  is: 'answered',
  answer: testAnswer([], more),
  atMs: nowMs,
  nowMs,
});
const made = (version: number, isReleased = false): UnitEvent => ({ is: 'document made', version, isReleased });
const ended = (outcome: DeliveryOutcome, nowMs = 0): UnitEvent => ({
  is: 'delivery ended',
  outcome,
  nowMs,
  jitter: 0.5,
});
const stored = (version: number, more: { failures?: string; isComplete?: boolean; hasEndedStops?: boolean } = {}) =>
  ({ is: 'report stored', version, isComplete: true, failures: '', hasEndedStops: false, ...more }) as const;
const accepted: UnitEvent = { is: 'document accepted', run: `${testAnswer([]).epoch}/1` };
const delivered = (version: number): UnitEvent[] => [accepted, stored(version), ended({ is: 'reported' })];
const unanswered = (hasOrders = false): DeliveryOutcome => ({ is: 'unanswered', cause: 'No answer.', hasOrders });

const enrolment = (unit: string, machine_id: string, boot = 1): StoredEnrolment => ({
  reactor_unit: unit,
  machine_id,
  base_url: 'http://127.0.0.1:1',
  epoch: testAnswer([]).epoch,
  boot,
  protocol: unitProtocol,
  app_version: '1',
  model_name: null,
  model_version: null,
  enrolled_at: 0,
  renewed_at: 0,
});
const enrolled = (machine: string, boot?: number): UnitEvent => ({
  is: 'enrolled',
  enrolment: enrolment('unit1', machine, boot),
  nowMs: 0,
  hasNewModel: false,
});

describe('the document of a unit', () => {
  it('is sent at the first answer, once, and confirmed by the report', () => {
    const first = play([made(1), answered(0)]);
    expect(first.done).toEqual(['follow', 'announce document', 'publish status', 'publish status', 'send document']);
    const then = play([...delivered(1), answered(1, { desired_version: 1 })], first.session);
    expect([sends(then.done), isUpToDate(then.session), then.session.delivery.is]).toEqual([0, true, 'idle']);
  });

  it('is sent again after a restart of the leader, even to a unit that has it', () => {
    const loaded: UnitEvent = {
      is: 'document loaded',
      membership: 'member',
      version: 3,
      reported: 3,
      isComplete: true,
    };
    const { session, done } = play([loaded]);
    expect([sends(done), isUpToDate(session)]).toEqual([0, false]);
    expect(sends(play([answered(0, { desired_version: 3 })], session).done)).toBe(1);
  });

  it('is sent again to another run of the unit', () => {
    const { session } = play([made(1), answered(0), ...delivered(1)]);
    const restarted = play([answered(1, { boot: 2, desired_version: 1 })], session);
    expect([sends(restarted.done), isUpToDate(restarted.session)]).toEqual([1, false]);
  });

  it('is sent to a machine that replaces another one as soon as that one has enrolled', () => {
    const { session } = play([enrolled('a'), made(1), answered(0), ...delivered(1)]);
    const replaced = play([enrolled('b', 7)], session);
    expect(replaced.done).toEqual(['restart feed', 'send document', 'publish status']);
    expect([isUpToDate(replaced.session), replaced.session.run?.endsWith('/7')]).toEqual([false, true]);
  });

  it('ignores a known version: a unit that is gone stays gone', () => {
    const refused: UnitEvent = { is: 'feed refused', fault: 'foreign_leader' };
    const { session, done } = play([made(4, true), refused, made(4, false)]);
    expect([session.membership, done.at(-1)]).toEqual(['gone', 'publish status']);
    expect(play([made(5)], session).done).toContain('follow');
  });

  it('is sent once more when it changes while it is being sent', () => {
    const { session, done } = play([made(1), answered(0), made(2), accepted, stored(1), ended({ is: 'reported' })]);
    expect([sends(done), session.delivery.is]).toEqual([1, 'sending']);
    const then = play([...delivered(2), ended({ is: 'reported' })], session);
    expect([then.session.delivery.is, isUpToDate(then.session)]).toEqual(['idle', true]);
  });

  it('is not sent to a unit without an answer before the pause is over; pauses double to 10 s', () => {
    let { session } = play([made(1), answered(0)]);
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 7; attempt += 1) {
      session = play([ended(unanswered(), 1_000_000)], session).session;
      const untilMs = session.delivery.is === 'paused' ? session.delivery.untilMs : 0;
      pauses.push(untilMs - 1_000_000);
      expect(sends(play([answered(untilMs - 1)], session).done)).toBe(0);
      const due = play([answered(untilMs)], session);
      expect(sends(due.done)).toBe(1);
      session = due.session;
    }
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  it('is sent after the pause when it has orders, and only then by itself', () => {
    const { session } = play([made(1), answered(0)]);
    expect(play([ended(unanswered(false))], session).done).toEqual([]);
    const paused = play([ended(unanswered(true))], session);
    expect(paused.done).toEqual(['retry later']);
    expect(sends(play([{ is: 'retry due' }], paused.session).done)).toBe(1);
    const meanwhile = play([{ is: 'document needed' }, ...delivered(1), { is: 'retry due' }], paused.session);
    expect(sends(meanwhile.done)).toBe(1);
  });

  it('is sent in spite of the pause when it changes or a caller waits for it', () => {
    const { session } = play([made(1), answered(0), ended(unanswered())]);
    expect([sends(play([made(2)], session).done), sends(play([{ is: 'document needed' }], session).done)]).toEqual([
      1, 1,
    ]);
  });

  it('has a later version than the unit, which had one of another leader, and is sent at once', () => {
    const { session } = play([made(1), answered(0), ended({ is: 'renumbered', version: 9 })]);
    expect([session.delivery.is, desiredVersionOf(session)]).toEqual(['sending', 9]);
  });

  it('is not confirmed by a report that is older than the change', () => {
    const { session } = play([made(1), answered(0), ...delivered(1), made(2), stored(1), ended({ is: 'reported' })]);
    expect(isUpToDate(session)).toBe(false);
    expect(sends(play([answered(1, { desired_version: 1 })], session).done)).toBe(1);
  });

  it('logs failed parts once, and again after the unit had applied everything', () => {
    const failed = { isComplete: true, failures: 'config: no' };
    const logs = (events: UnitEvent[]) => play(events).done.filter((each) => each === 'log failed parts').length;
    expect(logs([made(1), stored(1, failed), stored(1, failed)])).toBe(1);
    expect(logs([made(1), stored(1, failed), stored(1), stored(1, failed)])).toBe(2);
  });

  it('is made again when its orders are carried out', () => {
    expect(play([made(1), stored(1, { hasEndedStops: true })]).done).toContain('make document');
  });
});

describe('a unit that is removed', () => {
  const leaving = play([made(1), answered(0), ...delivered(1), made(2, true)]);

  it('is followed until it has confirmed it', () => {
    expect([leaving.session.membership, sends(leaving.done)]).toEqual(['leaving', 2]);
    const { session, done } = play(delivered(2), leaving.session);
    expect(session.membership).toBe('gone');
    expect(done.filter((each) => each === 'unfollow' || each === 'forget jobs')).toEqual(['unfollow', 'forget jobs']);
    expect(desiredVersionOf(session)).toBe(0);
  });

  it.each(['foreign_leader', 'not_enrolled'] as const)('is gone when its feed answers %s', (fault) => {
    expect(play([{ is: 'feed refused', fault }], leaving.session).session.membership).toBe('gone');
  });

  it('stays gone when a pending attempt ends late', () => {
    const { session } = play([{ is: 'feed refused', fault: 'not_enrolled' }], leaving.session);
    const late = play([answered(5), ...delivered(2), { is: 'time passed', nowMs: 99_000 }], session);
    expect([late.session.membership, sends(late.done), late.done.includes('follow')]).toEqual(['gone', 0, false]);
    expect(unitStatus('unit1', late.session, undefined).liveness).toBe('offline');
  });

  it('belongs to the cluster again when it is added while it leaves', () => {
    const { session, done } = play([made(3)], leaving.session);
    expect([session.membership, session.delivery.is, done.includes('follow')]).toEqual([
      'member',
      'sending twice',
      false,
    ]);
  });
});

describe('a unit that refuses the leader', () => {
  it.each(['foreign_leader', 'not_enrolled'])('is sent nothing after %s before it answers or enrols', (code) => {
    const { session } = play([made(1), answered(0), ended({ is: 'refused', code })]);
    expect(sends(play([made(2), { is: 'document needed' }], session).done)).toBe(0);
    expect([sends(play([answered(1)], session).done), sends(play([enrolled('a')], session).done)]).toEqual([1, 1]);
  });

  it('of another protocol is sent nothing, which its status shows', () => {
    const { session, done } = play([
      made(1),
      answered(0),
      ...delivered(1),
      { is: 'feed refused', fault: 'protocol_unsupported' },
    ]);
    expect(done.slice(-2)).toEqual(['publish status', 'log feed refused']);
    expect(unitStatus('unit1', session, undefined).trouble).toBe('protocol_unsupported');
    expect(sends(play([made(2)], session).done)).toBe(0);
  });

  it('of a revoked machine is neither followed nor sent anything before it enrols', () => {
    const { session, done } = play([made(1), answered(0), ...delivered(1), { is: 'revoked' }]);
    expect(done.slice(-2)).toEqual(['unfollow', 'publish status']);
    expect(unitStatus('unit1', session, undefined).trouble).toBe('revoked');
    const later = play([answered(1), made(2), { is: 'document needed' }], session);
    expect([isRevoked(later.session), sends(later.done), later.done.includes('follow')]).toEqual([true, 0, false]);
    const back = play([enrolled('a')], later.session);
    expect([unitStatus('unit1', back.session, undefined).trouble, sends(back.done)]).toEqual([null, 1]);
    expect(back.done).toContain('follow');
  });

  it('keeps its orders when only its feed starts again', () => {
    const { session } = play([
      made(1),
      answered(0),
      ...delivered(1),
      { is: 'feed refused', fault: 'feed_epoch_changed' },
    ]);
    expect(sends(play([made(2)], session).done)).toBe(1);
  });
});

describe('the contact with a unit', () => {
  it('is online below 20 s, stale below 60 s, then offline with its jobs lost, and online again with an answer', () => {
    const passed = (nowMs: number): UnitEvent => ({ is: 'time passed', nowMs });
    let { session } = play([made(1), answered(0), ...delivered(1)]);
    const seen: [string, readonly Do[]][] = [];
    for (const event of [passed(19_999), passed(20_000), passed(59_999), passed(60_000), passed(61_000)]) {
      const { session: next, done } = play([event], session);
      session = next;
      seen.push([unitStatus('unit1', session, undefined).liveness, done]);
    }
    expect(seen).toEqual([
      ['online', []],
      ['stale', ['publish status']],
      ['stale', []],
      ['offline', ['mark jobs lost', 'publish status']],
      ['offline', []],
    ]);
    const back = play([answered(70_000, { desired_version: 1 })], session);
    expect([back.session.contact.is, back.done]).toEqual(['online', ['publish status']]);
    expect(conditionsOf(back.session).answeringSinceMs).toBe(70_000);
  });

  it('counts as continued while pauses are short', () => {
    const { session } = play([made(1), answered(5_000), answered(60_000)]);
    expect(conditionsOf(session).answeringSinceMs).toBe(5_000);
  });

  it('shows what the unit has and the leader has not stored, of the same numbering', () => {
    const mark = { epoch: testAnswer([]).epoch, seq: 4 };
    const { session } = play([made(1), answered(0, { head_seq: 10 }), { is: 'feed stored', mark }]);
    expect(unitStatus('unit1', session, undefined).backlog).toBe(6);
    const renumbered = play([answered(1, { epoch: 'another', head_seq: 3 })], session);
    expect(unitStatus('unit1', renumbered.session, undefined).backlog).toBe(3);
  });
});

it('knows a machine by one name', () => {
  const sessions = new UnitSessions();
  sessions.enrolled(enrolment('old', 'a'), 0, false);
  sessions.enrolled(enrolment('new', 'a'), 0, false);
  expect([sessions.of('old').identity.is, sessions.of('new').identity.is]).toEqual(['unknown', 'enrolled']);
});

describe('in any order of events', () => {
  const version = fc.integer({ min: 1, max: 6 });
  const outcome = fc.oneof(
    fc.constant<DeliveryOutcome>({ is: 'reported' }),
    fc.constant<DeliveryOutcome>({ is: 'skipped' }),
    fc.constantFrom(unanswered(true), unanswered(false)),
    fc
      .constantFrom('foreign_leader', 'not_enrolled', 'invalid_answer')
      .map((code) => ({ is: 'refused', code }) as const),
  );
  const event: fc.Arbitrary<UnitEvent> = fc.oneof(
    fc.tuple(version, fc.boolean()).map(([each, isReleased]) => made(each, isReleased)),
    fc
      .tuple(fc.nat(200_000), version, fc.integer({ min: 1, max: 2 }))
      .map(([nowMs, desired_version, boot]) => answered(nowMs, { desired_version, boot })),
    fc.nat(200_000).map((nowMs) => ({ is: 'time passed', nowMs }) as const),
    fc
      .constantFrom('foreign_leader', 'not_enrolled', 'feed_epoch_changed', 'protocol_unsupported')
      .map((fault) => ({ is: 'feed refused', fault }) as const),
    fc.constantFrom<UnitEvent>(
      { is: 'document needed' },
      { is: 'retry due' },
      accepted,
      { is: 'machine renamed' },
      { is: 'revoked' },
      enrolled('a'),
      enrolled('b', 2),
    ),
    version.map((each) => stored(each)),
    fc.tuple(outcome, fc.nat(200_000)).map(([each, nowMs]) => ended(each, nowMs)),
  );

  it('follows a unit exactly while it has a document and is not revoked, and sends one document at a time', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let session = unknownUnit;
        let isFollowed = false;
        let isSending = false;
        for (const each of events) {
          // The sender alone ends a delivery, and only one that it began.
          if (each.is === 'delivery ended' && !isSending) continue;
          const { session: next, effects } = nextSession(session, each);
          for (const effect of effects) {
            if (effect.do === 'follow' || effect.do === 'unfollow') isFollowed = effect.do === 'follow';
            if (effect.do !== 'send document') continue;
            expect(isSending).toBe(false);
            isSending = true;
          }
          session = next;
          if (each.is === 'delivery ended') isSending = session.delivery.is === 'sending';
          expect([isFollowed, isSending]).toEqual([
            hasDocument(session) && !isRevoked(session),
            session.delivery.is.startsWith('sending'),
          ]);
        }
      }),
    );
  });

  it('brings the document to a unit that answers and takes it, whatever was before', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        let session = unknownUnit;
        for (const each of events) {
          if (each.is === 'delivery ended' && !session.delivery.is.startsWith('sending')) continue;
          session = nextSession(session, each).session;
        }
        session = nextSession(session, made(9)).session;
        if (isRevoked(session)) session = nextSession(session, enrolled('a')).session;
        const has = { version: 0 };
        for (let nowMs = 300_000; nowMs < 330_000; nowMs += 1_000) {
          while (session.delivery.is.startsWith('sending')) {
            has.version = session.document.version;
            session = play(delivered(has.version), session).session;
          }
          session = play([answered(nowMs, { desired_version: has.version })], session).session;
        }
        expect([session.membership, isUpToDate(session)]).toEqual(['member', true]);
      }),
    );
  });
});
