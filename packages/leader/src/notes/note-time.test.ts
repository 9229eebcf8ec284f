import { describe, expect, it } from 'vitest';
import { type NotedExperiment, noteTimeFault, type UnitStay } from './note-time.ts';

const hour = 3_600_000;
const start = Date.parse('2026-05-02T09:00:00Z');
const at = (hours: number, ms = 0): number => start + hours * hour + ms;
const running: NotedExperiment = { name: 'ramp', createdMs: start, endedMs: null };
/** It left after two hours and came back after five. */
const stays: readonly UnitStay[] = [
  { fromMs: at(1), toMs: at(2) },
  { fromMs: at(5), toMs: null },
];
const now = at(10);

const faultAt = (atMs: number, { unit = 'rx01', experiment = running, of = stays, nowMs = now } = {}) =>
  noteTimeFault({ atMs, unit }, experiment, of, nowMs)?.field;

describe('the time of a note of a unit', () => {
  it('is one at which the unit was in the experiment, also after it came back', () => {
    for (const inside of [at(1), at(1.5), at(2), at(5), at(9)]) expect(faultAt(inside)).toBeUndefined();
    for (const outside of [at(0.5), at(3), at(4.5)]) expect(faultAt(outside)).toBe('timestamp');
  });

  it('may be off by a minute at each bound', () => {
    for (const inside of [at(1, -60_000), at(2, 60_000), at(5, -60_000)]) expect(faultAt(inside)).toBeUndefined();
    for (const outside of [at(1, -60_001), at(2, 60_001), at(5, -60_001)]) expect(faultAt(outside)).toBe('timestamp');
  });

  it('is not after the end of the experiment, whose units may have been kept', () => {
    const ended = { ...running, endedMs: at(8) };
    expect(faultAt(at(8, 60_000), { experiment: ended })).toBeUndefined();
    expect(faultAt(at(8, 60_001), { experiment: ended })).toBe('timestamp');
    // It ended, by its corrected time, before the unit came back.
    const earlier = { ...running, endedMs: at(3) };
    expect(faultAt(at(5.5), { experiment: earlier })).toBe('timestamp');
    expect(faultAt(at(1.5), { experiment: earlier })).toBeUndefined();
    expect(faultAt(at(5.5), { experiment: earlier, of: stays.slice(1) })).toBe('timestamp');
  });

  it('names the stays of the unit', () => {
    const { cause = '' } = noteTimeFault({ atMs: at(3), unit: 'rx01' }, running, stays, now) ?? {};
    for (const moment of [at(1), at(2), at(5), at(3)]) expect(cause).toContain(new Date(moment).toISOString());
  });

  it('does not help a unit that was never in the experiment', () => {
    expect(faultAt(at(1.5), { of: [] })).toBe('reactor_unit');
  });

  it('is "now" for a unit that is there, also after the clock was set back', () => {
    expect(faultAt(at(0.5), { of: stays.slice(1), nowMs: at(0.5) })).toBeUndefined();
    expect(faultAt(at(-3), { of: stays.slice(1), nowMs: at(-3) })).toBeUndefined();
  });
});

describe('after the clock was set back', () => {
  it('a stay and an experiment that end before they begin have the time of their end', () => {
    const backwards: readonly UnitStay[] = [{ fromMs: at(5), toMs: at(4) }];
    expect(faultAt(at(4), { of: backwards })).toBeUndefined();
    expect(faultAt(at(4, -60_001), { of: backwards })).toBe('timestamp');
    const ended = { ...running, createdMs: at(5), endedMs: at(4) };
    expect(faultAt(at(4), { experiment: ended, of: backwards })).toBeUndefined();
    expect(noteTimeFault({ atMs: at(4), unit: null }, ended, [], now)).toBeUndefined();
    expect(noteTimeFault({ atMs: at(4, -60_001), unit: null }, ended, [], now)?.field).toBe('timestamp');
  });
});

describe('the time of a note without a unit', () => {
  const faultOf = (atMs: number, endedMs: number | null = null) =>
    noteTimeFault({ atMs, unit: null }, { ...running, endedMs }, [], now)?.field;

  it('is not before the experiment, and may follow its end', () => {
    expect(faultOf(at(0, -60_000))).toBeUndefined();
    expect(faultOf(at(0, -60_001))).toBe('timestamp');
    expect(faultOf(at(9), at(8))).toBeUndefined();
  });
});
