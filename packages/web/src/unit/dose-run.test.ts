import type { Actuation } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { type DoseEvent, type DoseRun, doseRunText, isDosing, nextDoseRun, pumpedByRun } from './dose-run.ts';

const dose = { what: '1 mL medium', done: 'Medium added', output: 'media_pump', job: 'add_media', amount: 1 } as const;
const actuation: Actuation = {
  timestamp: '2026-05-02T09:14:03.120Z',
  reactor_unit: 'u1',
  experiment: 'a',
  output: 'media_pump',
  to: 1,
  from: null,
  unit: 'mL',
  refused: null,
  source_of_event: 'UI',
  job_name: 'add_media',
  job_id: 7,
  job_source: 'user',
  started_by: null,
  rule: null,
  reading: null,
  settings: null,
  calibration: null,
  why: '',
};
const ordered: DoseEvent = { type: 'ordered', dose };
const accepted: DoseEvent = { type: 'accepted' };
const pump = (runs: boolean): DoseEvent => ({ type: 'pump', runs });
const read: DoseEvent = { type: 'volume-read', pumped: '1 mL' };
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
      'Medium added: 1 mL',
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
    const stopped = after(ordered, accepted, pump(true), { type: 'stopped' }, pump(false), { ...read, pumped: null });
    expect(doseRunText(stopped)).toContain('stopped');
  });

  it('has the volume of the ledger, also when another part of the page has stopped it', () => {
    const run = { ...actuation, pumped: { volume_ml: 0.3921, state: 'stopped' } } as const;
    const pumped = pumpedByRun(dose, [{ ...actuation, to: 0, from: 1 }, run]);
    const done = after(ordered, accepted, pump(true), pump(false), { type: 'volume-read', pumped });
    expect(doseRunText(done)).toBe('Medium added: 0.392 mL (1 mL requested, stopped)');
  });

  it('has no volume where the ledger has none of this run, and does not say that all was moved', () => {
    const of = (more: Partial<Actuation>) => pumpedByRun(dose, [{ ...actuation, ...more }]);
    expect([of({}), pumpedByRun(dose, [])]).toEqual([null, null]);
    const pumped = { volume_ml: 1, state: 'ended' } as const;
    expect([of({ pumped }), of({ pumped, to: 2 }), of({ pumped, job_name: 'dosing_automation' })]).toEqual([
      '1 mL',
      null,
      null,
    ]);
    // The job has ended: the entry of its end is on its way.
    expect(of({ pumped: { volume_ml: 1, state: 'pumping' } })).toBe('1 mL');
    const unknown = after(ordered, accepted, pump(true), pump(false), { type: 'volume-read', pumped: null });
    expect(doseRunText(unknown)).not.toMatch(/added/);
  });

  it('of another page makes the volume doubtful, too', () => {
    expect([after(pump(true)), after(pump(true), pump(false))].map(isDosing)).toEqual([true, true]);
    expect(after(pump(true), pump(false), read)).toEqual({ phase: 'idle' });
  });
});
