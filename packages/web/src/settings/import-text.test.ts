import type { ImportReport } from '@lcs/contract';
import { expect, it } from 'vitest';
import { fileStatusText, importVerdict, readBegunImport, settingsText } from './import-text.ts';

const at = '2026-11-27T07:00:00.000Z';
const came = { source_name: 'yeast', experiment: 'yeast', status: 'new', reason: null, rows: 20 } as const;
const report: ImportReport = {
  import_id: 'i1',
  source: '/pio',
  is_dry_run: true,
  is_verified: null,
  source_changed: false,
  started_at: at,
  ended_at: at,
  experiments: [came, { ...came, source_name: 'old', experiment: null, status: 'skipped', reason: 'not chosen' }],
  tables: [
    {
      table: 'od_readings',
      rows: 1_021,
      imported: 1_020,
      skipped: [{ reason: 'no number', rows: 1 }],
      values: 1_020,
      checksum: 'a',
      stored_values: null,
      stored_checksum: null,
      fault: null,
    },
  ],
  other_tables: [],
  files: [],
  configuration: [],
};

it('says what a plan brings, and how an import has ended', () => {
  expect(importVerdict(report)).toEqual({
    text: '1 experiment with 1,020 rows will come; 1 experiment and 1 row will not. Nothing was changed yet.',
    isGood: true,
  });
  const whole = { ...report, experiments: [came], tables: [] };
  expect(importVerdict(whole).text).toContain('nothing is left out');
  expect(importVerdict({ ...report, experiments: [] }).isGood).toBe(false);
  const done = { ...report, is_dry_run: false };
  expect(importVerdict({ ...done, is_verified: true })).toMatchObject({ isGood: true });
  expect(importVerdict({ ...done, is_verified: false })).toMatchObject({ isGood: false });
  expect(importVerdict({ ...done, is_verified: true, source_changed: true })).toMatchObject({ isGood: false });
});

it('says what becomes of files and settings', () => {
  const file = { file: 'ramp.yaml', kind: 'profile', status: 'imported', target: 'ramp.yaml', messages: [] } as const;
  expect(fileStatusText({ ...file, messages: [] }, true)).toBe('comes as ramp.yaml');
  expect(fileStatusText({ ...file, messages: [] }, false)).toBe('came as ramp.yaml');
  expect(fileStatusText({ ...file, status: 'skipped', target: null, messages: ['No unit.'] }, true)).toBe(
    'does not come: No unit.',
  );
  const setting = { file: 'config.ini', section: 'a', key: 'b', value: '1', value_here: '1', status: 'same' } as const;
  expect(settingsText({ configuration: [setting] })).toContain('1 settings are the same, 0 differ');
});

it('reads the import that a browser has stored', () => {
  const request = { folder: '/pio', dry_run: true, on_conflict: 'skip' as const, experiments: ['yeast'] };
  const begun = { task_id: 't', source: '/pio', request };
  expect(readBegunImport(JSON.stringify(begun))).toEqual(begun);
  for (const stored of [null, '{', '{}', '{"task_id": 1, "source": "", "request": {}}'])
    expect(readBegunImport(stored)).toBeUndefined();
});
