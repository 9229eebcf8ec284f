import { rm } from 'node:fs/promises';
import { dayMs } from '@lcs/contract';
import { Listeners, OwnCertificate, VirtualClock } from '@lcs/platform';
import { expect, it } from 'vitest';
import { startTestLeader, temporaryFolder } from '../testing/test-leader.ts';
import { CertificateExpiry, expiryNotice } from './certificate-expiry.ts';

const endsAt = Date.UTC(2026, 7, 1);

it.each([
  [22, undefined],
  [21, { stage: '21 days', level: 'WARNING' }],
  [8, { stage: '21 days', level: 'WARNING' }],
  [7, { stage: '7 days', level: 'WARNING' }],
  [0.5, { stage: '1 days', level: 'WARNING' }],
  [-1, { stage: 'ended', level: 'ERROR' }],
] as const)('a certificate with %f days left: %o', (days, notice) => {
  const found = expiryNotice(endsAt, endsAt - days * dayMs);
  if (notice === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject({ ...notice, message: expect.stringContaining('2026-08-01') });
});

it('warns once at each stage, and again of the next certificate', async () => {
  const clock = new VirtualClock({ startMs: Date.UTC(2026, 4, 2) });
  await using leader = await startTestLeader({ clock });
  await using folder = await temporaryFolder();
  const own = new OwnCertificate({ folder: folder.path, owner: 'lead', names: () => ['lab'], clock, log: leader.log });
  // Valid for 90 days; stopped, it renews nothing.
  await own.start();
  await own.stop();
  const changes = new Listeners();
  let served = own.current();
  const certificate = { current: () => served, onChange: (listener: () => void) => changes.add(listener) };
  const expiry = new CertificateExpiry({ context: leader.context, certificate });
  const warnings = () => leader.log.messages('warn').length;
  await expiry.start();
  await clock.advance(68 * dayMs);
  expect(warnings()).toBe(0);
  await clock.advance(2 * dayMs);
  expect(warnings()).toBe(1);
  await clock.advance(21 * dayMs);
  expect(warnings()).toBe(4);
  await rm(folder.path, { recursive: true });
  await own.start();
  await own.stop();
  served = own.current();
  changes.publish();
  expect(warnings()).toBe(4);
  await clock.advance(70 * dayMs);
  expect(warnings()).toBe(5);
  await expiry.stop();
  const logged = await leader.context.database.read
    .selectFrom('logs')
    .select(['level', 'task'])
    .where('task', '=', 'certificate')
    .execute();
  expect(logged.map(({ level }) => level)).toEqual(['WARNING', 'WARNING', 'WARNING', 'ERROR', 'WARNING']);
});
