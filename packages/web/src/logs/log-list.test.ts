import type { LogEntry } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { firstPageBefore, joinedLogs, type LogFilter, matchesLog, nextPageBefore, withLog } from './log-list.ts';

const entry = (second: number, more: Partial<LogEntry> = {}): LogEntry => ({
  timestamp: new Date(second * 1000).toISOString(),
  level: 'INFO',
  message: `message ${second}`,
  task: 'stirring',
  source: 'app',
  reactor_unit: 'u1',
  experiment: 'a',
  ...more,
});
const filter: LogFilter = { experiment: 'a', minLevel: 'INFO', search: '', unit: null, untilMs: null };

describe('the event log', () => {
  it('shows the live entries that the leader would return too', () => {
    expect(matchesLog(entry(1), filter)).toBe(true);
    expect(matchesLog(entry(1, { level: 'DEBUG' }), filter)).toBe(false);
    expect(matchesLog(entry(1, { level: 'CRITICAL' }), { ...filter, minLevel: 'ERROR' })).toBe(true);
    expect(matchesLog(entry(1, { experiment: 'b' }), filter)).toBe(false);
    expect(matchesLog(entry(1), { ...filter, search: 'MESSAGE 1' })).toBe(true);
    expect(matchesLog(entry(1), { ...filter, search: 'stirr' })).toBe(true);
    expect(matchesLog(entry(1), { ...filter, unit: 'u2' })).toBe(false);
  });

  it('of an earlier time has the entries of its minute and before, and none that come later', () => {
    const untilMs = Date.parse('2026-05-02T09:14:00.000Z');
    expect(firstPageBefore({ untilMs })).toBe('2026-05-02T09:15:00.000Z');
    expect(firstPageBefore({ untilMs: null })).toBeNull();
    const second = untilMs / 1000;
    expect(matchesLog(entry(second + 59), { ...filter, untilMs })).toBe(true);
    expect(matchesLog(entry(second + 60), { ...filter, untilMs })).toBe(false);
  });

  it('shows each entry once where two pages share a time', () => {
    const all = [9, 8, 7, 7, 7, 6, 5].map((second, index) => entry(second, { message: String(index) }));
    const size = 4;
    const pages: LogEntry[][] = [];
    for (let before: string | undefined = entry(99).timestamp; before !== undefined && pages.length < 9; ) {
      const bound: string = before;
      const page = all.filter(({ timestamp }) => timestamp < bound).slice(0, size);
      pages.push(page);
      before = nextPageBefore(page, size);
    }
    expect(joinedLogs(pages)).toEqual(all);
  });

  it('inserts a live entry at the front, and a late one at its place', () => {
    const pages = withLog(withLog([[entry(5), entry(4)], [entry(3)]], entry(9)), entry(4.5));
    expect(joinedLogs(pages).map(({ message }) => message)).toEqual([
      'message 9',
      'message 5',
      'message 4.5',
      'message 4',
      'message 3',
    ]);
  });
});
