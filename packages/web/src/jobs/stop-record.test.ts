import type { RecentStop } from '@lcs/contract';
import { expect, it } from 'vitest';
import {
  isSecondClick,
  readIds,
  shownStops,
  titleOfStop,
  withoutStartedAgain,
  withRead,
  withSeen,
} from './stop-record.ts';

const scope = { what: 'everything', experiment: null } as const;
const stop = (stop_id: string): RecentStop => ({
  ...scope,
  stop_id,
  at: '2026-05-02T09:14:03.120Z',
  by: 'ada',
  reactor_units: null,
  jobs: [],
});
const nameOf = (unit: string): string => (unit === 'rx1' ? 'mutant (rx1)' : unit);
const none: ReadonlySet<string> = new Set();

it('a stop has the names of its units, or their number when they are many', () => {
  const units = Array.from({ length: 200 }, (_, index) => `rx${index}`);
  const titles = [units.slice(0, 2), units].map((reactor_units) => titleOfStop({ ...scope, reactor_units }, nameOf));
  expect(titles).toEqual(['Stop all jobs on rx0 and mutant (rx1)', 'Stop all jobs on 200 units']);
});

it('two clicks within a second are one order; another scope, or a later click, is its own', () => {
  const at = (monotonicMs: number, experiment: string | null = null) => ({ ...scope, experiment, monotonicMs });
  expect(isSecondClick(at(5000), undefined)).toBe(false);
  expect(isSecondClick(at(5200), at(5000))).toBe(true);
  expect(isSecondClick(at(5200, 'yeast'), at(5000))).toBe(false);
  expect(isSecondClick(at(6000), at(5000))).toBe(false);
});

it('the stop of another tab stays until a person has read it, an own one until something is started', () => {
  const seen = withSeen([], [stop('own'), stop('other')]);
  const state = { seen, standing: seen, read: none, own: new Set(['own']) };
  expect(shownStops(state)).toEqual(seen);
  expect(shownStops({ ...state, standing: [] })).toEqual([stop('other')]);
  expect(shownStops({ ...state, read: new Set(['other']) })).toEqual([stop('own')]);
  expect(withSeen(seen, [stop('other')])).toBe(seen);
  expect(withSeen(seen, [stop('third')])).toEqual([...seen, stop('third')]);
  const many = Array.from({ length: 80 }, (_, index) => stop(`stop ${index}`));
  expect(many.reduce((known, each) => withSeen(known, [each]), seen)).toEqual(many.slice(-50));
});

it('what was read is known in all tabs of the browser; text of other origin is ignored', () => {
  const saved = withRead(readIds(withRead(none, ['one'])), ['two', 'one']);
  expect(readIds(saved)).toEqual(new Set(['one', 'two']));
  for (const text of [null, '', '{', '7', '[1]']) expect(readIds(text)).toEqual(none);
  const many = Array.from({ length: 80 }, (_, index) => `stop ${index}`);
  expect([...readIds(withRead(none, many))]).toEqual(many.slice(-50));
});

it('a stop that no longer stands is forgotten when nothing of it is off any more', () => {
  const running = { experiment: 'a', job_name: 'stirring', state: 'ready' as const, settings: {} };
  const first = { ...stop('one'), jobs: [{ ...running, reactor_units: ['rx1', 'rx2'] }] };
  const on = (reactor_unit: string) => ({ ...running, reactor_unit });
  expect(withoutStartedAgain([first], [first], [on('rx1'), on('rx2')])).toEqual([first]);
  expect(withoutStartedAgain([first], [], [on('rx1')])).toEqual([first]);
  expect(withoutStartedAgain([first], [], [on('rx1'), on('rx2')])).toEqual([]);
});
