import { dayMs } from '@lcs/contract';
import { startedDatabase, temporaryFolder, testWriter } from '@lcs/platform/testing';
import { expect, it } from 'vitest';
import { type CalibrationTables, calibrationMigrations } from './calibration-tables.ts';
import { SessionStore, type StoredSession } from './session-store.ts';

const session = (session_id: string, status: StoredSession['status']): StoredSession => ({
  session_id,
  protocol_name: 'dc_based',
  target_device: session_id,
  status,
  step_id: 'intro',
  data: {},
  createdAtMs: 0,
  updatedAtMs: 0,
  result: null,
  error: null,
});

it('forgets a session that nobody has touched for a week, and removes it with the next that is saved', async () => {
  await using folder = await temporaryFolder();
  await using database = await startedDatabase<CalibrationTables>({
    path: folder.file('unit.sqlite'),
    migrations: calibrationMigrations,
    writer: testWriter(),
  });
  let nowMs = 0;
  const store = new SessionStore(database, () => nowMs);
  await store.save(session('ended', 'aborted'));
  await store.save(session('open', 'in_progress'));
  nowMs = 7 * dayMs - 1;
  expect(await store.find('ended')).toMatchObject({ status: 'aborted' });
  expect(await store.open()).toMatchObject([{ session_id: 'open' }]);
  nowMs += 1;
  expect(await store.find('ended')).toBeUndefined();
  expect(await store.open()).toEqual([]);
  await store.save(session('new', 'in_progress'));
  const kept = await database.read.selectFrom('calibration_sessions').select('session_id').execute();
  expect(kept).toEqual([{ session_id: 'new' }]);
});
