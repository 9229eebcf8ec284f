import { unitProtocol } from '@lcs/contract';
import { expect, it } from 'vitest';
import { keepEnrolment, type StoredEnrolment } from '../queries/enrolments.ts';
import { testAnswer } from '../testing/test-feed.ts';
import { startTestLeader } from '../testing/test-leader.ts';
import { SessionDirectory } from './session-directory.ts';
import { UnitSessions } from './unit-sessions.ts';

const minuteMs = 60_000;

async function startTestDirectory() {
  const leader = await startTestLeader();
  const { clock, wire, database } = leader.context;
  const sessions = new UnitSessions();
  const directory = new SessionDirectory({
    leader: 'lead',
    version: '1',
    clock,
    wire,
    database,
    sessions,
    ownUrl: () => '',
    shownUrl: () => null,
    isRevoked: () => false,
    configuredAddresses: () => ({}),
    defaultPort: () => 1,
  });
  return { ...leader, directory, sessions };
}

const enrolment = (reactor_unit: string, renewed_at: number, protocol = unitProtocol): StoredEnrolment => ({
  reactor_unit,
  machine_id: `machine of ${reactor_unit}`,
  base_url: 'http://127.0.0.1:1',
  epoch: 'e',
  boot: 1,
  protocol,
  app_version: '1',
  model_name: null,
  model_version: null,
  enrolled_at: 0,
  renewed_at,
});

it('lists, after a start, the machines that enrolled lately and none that did long ago', async () => {
  await using leader = await startTestDirectory();
  const { directory, sessions } = leader;
  const { clock, database } = leader.context;
  await database.write(async (transaction) => {
    await keepEnrolment(transaction, enrolment('old', clock.now() - 90 * 24 * 60 * minuteMs));
    await keepEnrolment(transaction, enrolment('new', clock.now() - 10 * minuteMs));
    await keepEnrolment(transaction, enrolment('ahead', clock.now() + 60 * minuteMs));
  });
  await directory.load();
  expect(directory.newlyEnrolled(new Set())).toEqual(['ahead', 'new']);
  expect(directory.addressOf('old')).toBe('http://127.0.0.1:1');
  await leader.wire.advance(21 * minuteMs);
  expect(directory.newlyEnrolled(new Set())).toEqual(['ahead']);
  sessions.enrolled(enrolment('old', clock.now()), leader.wire.monotonic(), false);
  expect(directory.newlyEnrolled(new Set())).toEqual(['ahead', 'old']);
});

it('knows after an update of the leader which units spoke another version, until one gives an answer that can be read', async () => {
  await using leader = await startTestDirectory();
  const { directory, sessions } = leader;
  const { clock, database } = leader.context;
  await database.write(async (transaction) => {
    await keepEnrolment(transaction, enrolment('other', clock.now(), unitProtocol + 1));
    await keepEnrolment(transaction, enrolment('same', clock.now()));
  });
  await directory.load();
  const troubles = () => ['other', 'same'].map((unit) => directory.describe(unit).trouble);
  expect(troubles()).toEqual(['protocol_unsupported', null]);
  sessions.dispatch('other', { is: 'answered', answer: testAnswer([]), atMs: 0, nowMs: 0 });
  expect(troubles()).toEqual([null, null]);
});
