import type { LiveJob } from '@lcs/contract';
import { expect, it } from 'vitest';
import { readSavedStop } from './saved-stop.ts';
import { isOvertaken, isSecondClick, recordOfOrder } from './stop-record.ts';

const job = (reactor_unit: string, job_id: number, more: Partial<LiveJob> = {}): LiveJob => ({
  reactor_unit,
  experiment: 'yeast',
  job_name: 'stirring',
  job_id,
  state: 'ready',
  since: '2026-05-02T09:14:03.120Z',
  reason: null,
  settings: { target_rpm: 610 },
  ...more,
});

const scope = { what: 'everything', experiment: null } as const;
const running = [job('rx1', 7), job('rx2', 3), job('rx2', 4, { job_name: 'my_plugin' })];
const record = { ...scope, atMs: 1000, jobs: running };

it('what is started afterwards on a stopped unit ends the offer to start again', () => {
  expect(isOvertaken(record, running)).toBe(false);
  expect(isOvertaken(record, [])).toBe(false);
  expect(isOvertaken(record, [job('rx1', 8, { state: 'disconnected' })])).toBe(false);
  expect(isOvertaken(record, [job('rx3', 8)])).toBe(false);
  expect(isOvertaken(record, [job('rx1', 9, { job_name: 'monitor', experiment: '$experiment' })])).toBe(false);
  expect(isOvertaken(record, [job('rx1', 8, { state: 'init' })])).toBe(true);
});

it('two clicks within a second are one order; another scope, or a later click, is its own', () => {
  const at = (monotonicMs: number, experiment: string | null = null) => ({ ...scope, experiment, monotonicMs });
  expect(isSecondClick(at(5000), undefined)).toBe(false);
  expect(isSecondClick(at(5200), at(5000))).toBe(true);
  expect(isSecondClick(at(5200, 'yeast'), at(5000))).toBe(false);
  expect(isSecondClick(at(6000), at(5000))).toBe(false);
});

it('the second click of two keeps what the first has seen; every later stop sees for itself', () => {
  const at = (monotonicMs: number) => ({ ...scope, monotonicMs });
  // The clock of the computer was set back between the clicks.
  const now = { atMs: 400, jobs: [] };
  const later = { ...scope, ...now };
  expect(recordOfOrder(at(5000), undefined, null, now)).toEqual(later);
  expect(recordOfOrder(at(5999), at(5000), record, now)).toBe(record);
  expect(recordOfOrder(at(6000), at(5000), record, now)).toEqual(later);
  expect(recordOfOrder(at(5100), at(5000), null, now)).toEqual(later);
  const other = { what: 'pumps', experiment: null } as const;
  expect(recordOfOrder({ ...other, monotonicMs: 5100 }, at(5000), record, now)).toEqual({ ...other, ...now });
});

it('a stop survives a reload of the page; other text does not', () => {
  const saved = { ...record, ends: [['rx1\nyeast\nstirring', null] as const] };
  expect(readSavedStop(JSON.stringify(saved))).toEqual(saved);
  for (const text of ['', '{', 'null', '{"what":"everything","experiment":null,"atMs":1}'])
    expect(readSavedStop(text)).toBeNull();
});
