import { describe, expect, it } from 'vitest';
import { type DoseEvent, type DoseRun, doseRunText, isDosing, nextDoseRun } from './dose-run.ts';

const dose = { what: '1 mL medium', done: '1 mL medium added' };
const ordered: DoseEvent = { type: 'ordered', dose };
const accepted: DoseEvent = { type: 'accepted' };
const pump = (runs: boolean): DoseEvent => ({ type: 'pump', runs });
const read: DoseEvent = { type: 'volume-read' };
const after = (...events: DoseEvent[]) => events.reduce<DoseRun>(nextDoseRun, { phase: 'idle' });

describe('a dose by hand', () => {
  it('is done when the pump has ended and the volume is read, not when the unit has accepted it', () => {
    const steps = [ordered, accepted, pump(true), pump(false), read];
    const phases = steps.map((_, index) => after(...steps.slice(0, index + 1)));
    expect(phases.map(({ phase }) => phase)).toEqual(['ordered', 'running', 'running', 'reading', 'done']);
    expect(phases.map(isDosing)).toEqual([true, true, true, true, false]);
    expect(phases.map(doseRunText).slice(1)).toEqual([
      'The pump runs: 1 mL medium…',
      'The pump runs: 1 mL medium…',
      expect.stringContaining('Reading'),
      '1 mL medium added',
    ]);
  });

  it('is recognised when the pump was seen before the answer of the unit, or not at all', () => {
    expect(after(ordered, pump(true), accepted, pump(false)).phase).toBe('reading');
    expect(after(ordered, pump(true), pump(false), accepted).phase).toBe('reading');
    expect(after(ordered, pump(false), accepted, pump(false)).phase).toBe('running');
    expect(after(ordered, accepted, { type: 'not-seen' }).phase).toBe('reading');
    expect(after(ordered, accepted, pump(true), { type: 'not-seen' }).phase).toBe('running');
  });

  it('that was refused or stopped added less', () => {
    expect(after(ordered, { type: 'refused' })).toEqual({ phase: 'idle' });
    // Only the answer was lost.
    expect(after(ordered, pump(true), { type: 'refused' }).phase).toBe('running');
    const stopped = after(ordered, accepted, pump(true), { type: 'stopped' }, pump(false), read);
    expect(doseRunText(stopped)).toContain('stopped');
  });

  it('of another page makes the volume doubtful, too', () => {
    expect([after(pump(true)), after(pump(true), pump(false))].map(isDosing)).toEqual([true, true]);
    expect(after(pump(true), pump(false), read)).toEqual({ phase: 'idle' });
  });
});
