import { expect, it } from 'vitest';
import { startTestLeader } from '../api/test-leader.ts';
import { keepEnrolment, type StoredEnrolment } from './enrolment-store.ts';
import { UnitRegistry } from './unit-registry.ts';

const minuteMs = 60_000;

it('lists, after a start, the machines that enrolled lately and none that did long ago', async () => {
  await using leader = await startTestLeader();
  const { clock, wire, database } = leader.context;
  const enrolment = (reactor_unit: string, renewed_at: number): StoredEnrolment => ({
    ...{ reactor_unit, machine_id: `machine of ${reactor_unit}`, base_url: 'http://127.0.0.1:1', epoch: 'e', boot: 1 },
    ...{ protocol: 1, app_version: '1', model_name: null, model_version: null, enrolled_at: 0, renewed_at },
  });
  await database.write(async (transaction) => {
    await keepEnrolment(transaction, enrolment('old', clock.now() - 90 * 24 * 60 * minuteMs));
    await keepEnrolment(transaction, enrolment('new', clock.now() - 10 * minuteMs));
    await keepEnrolment(transaction, enrolment('ahead', clock.now() + 60 * minuteMs));
  });
  const registry = new UnitRegistry({
    ...{ leader: 'lead', version: '1', clock, wire, database, ownUrl: () => '', configuredAddresses: () => ({}) },
    ...{ defaultPort: () => 1, members: () => [], isMember: () => false, versionOf: () => 0, appliedOf: () => 0 },
    ...{ livenessOf: () => undefined, markOf: () => undefined },
  });
  await registry.load();
  expect(registry.strangers(new Set())).toEqual(['ahead', 'new']);
  expect(registry.addressOf('old')).toBe('http://127.0.0.1:1');
  await leader.wire.advance(21 * minuteMs);
  expect(registry.strangers(new Set())).toEqual(['ahead']);
  registry.enrolled(enrolment('old', clock.now()));
  expect(registry.strangers(new Set())).toEqual(['ahead', 'old']);
});
