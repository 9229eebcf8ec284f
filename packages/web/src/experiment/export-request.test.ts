import { describe, expect, it } from 'vitest';
import { localSecond } from '../time/moment-text.ts';
import { type ExportChoices, exportRequest, exportUrl, formFault, initialForm } from './export-request.ts';

describe('the form of an export', () => {
  it('requests local times as instants, or no limits', () => {
    const from = '2026-05-02T09:14';
    expect(exportRequest('yeast', { ...initialForm, from })).toEqual({
      experiment: 'yeast',
      datasets: ['reactor_unit_activity_data', 'logs'],
      format: 'csv',
      partition_by_experiment: true,
      partition_by_unit: false,
      start_time: new Date(2026, 4, 2, 9, 14).toISOString(),
      end_time: null,
    });
  });

  it('takes the window of the charts as local times', () => {
    const ms = new Date(2026, 4, 2, 9, 4, 7).getTime();
    expect(exportRequest('yeast', { ...initialForm, to: localSecond(ms) }).end_time).toBe(new Date(ms).toISOString());
  });

  it('cannot be sent without a dataset, or with times in the wrong order', () => {
    const nowMs = new Date(2026, 4, 2, 9, 30).getTime();
    const faultOf = (changes: Partial<ExportChoices>) => formFault({ ...initialForm, ...changes }, nowMs)?.field;
    expect(faultOf({})).toBeUndefined();
    expect(faultOf({ datasets: [] })).toBe('datasets');
    expect(faultOf({ from: '2026-05-02T09:14', to: '2026-05-02T09:13' })).toBe('to');
    expect(faultOf({ from: '2026-05-02T09:14', to: '2026-05-02T09:15' })).toBeUndefined();
    // Up to now: there is nothing after it.
    expect(faultOf({ from: '2026-05-02T09:31' })).toBe('from');
  });

  it('has the URL of its file', () => {
    expect(exportUrl({ result: true, filename: 'export_1_a.zip', msg: 'Finished', bytes: 7 })).toBe(
      '/exports/export_1_a.zip',
    );
    for (const result of [undefined, null, 'x', {}, { filename: 7 }]) expect(exportUrl(result)).toBeUndefined();
  });
});
