import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { memoryLog, SqliteDatabase, VirtualClock } from '@lcs/platform';
import { testWriter } from '@lcs/platform/testing';
import { expect, it } from 'vitest';
import { createCalibrationStore } from './calibration-store.ts';
import { type CalibrationTables, calibrationMigrations } from './calibration-tables.ts';

async function openStore() {
  const dataFolder = await mkdtemp(join(tmpdir(), 'lcs-calibrations-'));
  const clock = new VirtualClock();
  const log = memoryLog();
  const path = join(dataFolder, 'unit.sqlite');
  const writer = testWriter();
  const database = new SqliteDatabase<CalibrationTables>({
    path,
    migrations: calibrationMigrations,
    clock,
    holds: clock,
    log,
    writer,
  });
  await database.start(new AbortController().signal);
  const { calibrations } = createCalibrationStore({ unit: 'unit1', dataFolder, database, log });
  await calibrations.start();
  const dispose = async () => {
    await database.stop();
    await rm(dataFolder, { recursive: true, force: true });
  };
  return { dataFolder, calibrations, [Symbol.asyncDispose]: dispose };
}

const pump = (calibration_name: string, mlPerS: number) => ({
  calibration_type: 'simple_peristaltic_pump' as const,
  calibration_name,
  calibrated_on_reactor_unit: 'unit1',
  created_at: '2026-11-22T12:00:00.000Z',
  curve_data_: { type: 'poly' as const, coefficients: [mlPerS, 0] },
  x: 'Duration',
  y: 'Volume',
  recorded_data: { x: [], y: [] },
  hz: 250,
  dc: 100,
  voltage: -1,
});

it('moves a deleted file aside, where it is no calibration', async () => {
  await using store = await openStore();
  const { calibrations } = store;
  const { path } = await calibrations.store('media_pump', pump('slow', 0.05), '', true);
  await calibrations.remove('media_pump', 'slow');
  expect(calibrations.active('media_pump')).toBeUndefined();
  expect(await calibrations.exists('media_pump', 'slow')).toBe(false);
  expect(await readdir(join(store.dataFolder, dirname(path)))).toEqual(['slow.yaml.deleted']);
});

it('publishes a change of the active calibration when the new content is the active one', async () => {
  await using store = await openStore();
  const { calibrations } = store;
  const seen: (string | undefined)[] = [];
  calibrations.onChange(({ device, change }) =>
    seen.push(`${change}: ${calibrations.active(device)?.content.calibration_name}`),
  );
  await calibrations.store('media_pump', pump('slow', 0.05), '', true);
  await calibrations.store('media_pump', pump('fast', 0.5), '', false);
  expect(seen).toEqual(['created: undefined', 'activated: slow', 'created: slow']);
});
