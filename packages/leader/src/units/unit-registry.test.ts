import { unitProtocol } from '@lcs/contract';
import { expect, it } from 'vitest';
import { keepEnrolment, type StoredEnrolment } from '../queries/enrolments.ts';
import { testAnswer } from '../testing/test-feed.ts';
import { startTestLeader } from '../testing/test-leader.ts';
import { UnitRegistry } from './unit-registry.ts';

const minuteMs = 60_000;

async function startTestRegistry() {
  const leader = await startTestLeader();
  const { clock, wire, database } = leader.context;
  const registry = new UnitRegistry({
    ...{ leader: 'lead', version: '1', clock, wire, database, ownUrl: () => '', configuredAddresses: () => ({}) },
    ...{ defaultPort: () => 1, members: () => [], isMember: () => false, versionOf: () => 0, appliedOf: () => 0 },
    ...{ livenessOf: () => undefined, markOf: () => undefined },
  });
  return { ...leader, registry };
}

const enrolment = (reactor_unit: string, renewed_at: number, protocol = unitProtocol): StoredEnrolment => ({
  ...{ reactor_unit, machine_id: `machine of ${reactor_unit}`, base_url: 'http://127.0.0.1:1', epoch: 'e', boot: 1 },
  ...{ protocol, app_version: '1', model_name: null, model_version: null, enrolled_at: 0, renewed_at },
});

it('lists, after a start, the machines that enrolled lately and none that did long ago', async () => {
  await using leader = await startTestRegistry();
  const { registry } = leader;
  const { clock, database } = leader.context;
  await database.write(async (transaction) => {
    await keepEnrolment(transaction, enrolment('old', clock.now() - 90 * 24 * 60 * minuteMs));
    await keepEnrolment(transaction, enrolment('new', clock.now() - 10 * minuteMs));
    await keepEnrolment(transaction, enrolment('ahead', clock.now() + 60 * minuteMs));
  });
  await registry.load();
  expect(registry.strangers(new Set())).toEqual(['ahead', 'new']);
  expect(registry.addressOf('old')).toBe('http://127.0.0.1:1');
  await leader.wire.advance(21 * minuteMs);
  expect(registry.strangers(new Set())).toEqual(['ahead']);
  registry.enrolled(enrolment('old', clock.now()));
  expect(registry.strangers(new Set())).toEqual(['ahead', 'old']);
});

it('knows after an update of the leader which units spoke another version, until one gives an answer that can be read', async () => {
  await using leader = await startTestRegistry();
  const { registry } = leader;
  const { clock, database } = leader.context;
  await database.write(async (transaction) => {
    await keepEnrolment(transaction, enrolment('other', clock.now(), unitProtocol + 1));
    await keepEnrolment(transaction, enrolment('same', clock.now()));
  });
  await registry.load();
  const troubles = () => ['other', 'same'].map((unit) => registry.describe(unit).trouble);
  expect(troubles()).toEqual(['protocol_unsupported', null]);
  registry.heard('other', testAnswer([]));
  expect(troubles()).toEqual([null, null]);
});
