import { expect, it } from 'vitest';
import { startTestAlarms } from '../testing/test-alarms.ts';
import { IntegrityCheck } from './integrity-check.ts';

it('reports damage after the daily check, and nothing after an interrupted check', async () => {
  await using alarms = await startTestAlarms();
  const told: (string | null)[] = [];
  let faults: readonly string[] | undefined = ['Page 7 is broken.', 'Page 8 is broken.'];
  const watch = new IntegrityCheck({
    context: alarms.context,
    check: async () => faults ?? Promise.reject(new Error('cut')),
    reports: { report: (_rule, message) => told.push(message) },
  });
  await watch.start();
  await alarms.wire.advance(10 * 60_000);
  faults = undefined;
  await alarms.wire.advance(24 * 3_600_000);
  faults = [];
  await alarms.wire.advance(24 * 3_600_000);
  await watch.stop();
  expect(told).toEqual(['The database is damaged: Page 7 is broken. (and 1 more)', null]);
  expect(alarms.log.messages('warn')).toContain('The database could not be checked');
});
