import type { TimelineEntry } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { plainSentence } from '../api/plain-words.ts';
import { authorText, daysOf, draftOf, emptyDraft, faultsOf, noteOf, peopleOf, windowAround } from './timeline-rows.ts';

const minute = 60_000;
const noon = new Date(2026, 4, 2, 12, 0, 5).getTime();
const iso = (ms: number): string => new Date(ms).toISOString();

const entry = (id: string, ms: number, more: Partial<TimelineEntry> = {}): TimelineEntry => ({
  entry_id: id,
  kind: 'note',
  at: iso(ms),
  since: null,
  until: null,
  reactor_unit: null,
  text: id,
  why: null,
  by: null,
  volumes_ml: null,
  refused: false,
  automation: null,
  note: null,
  alarm_id: null,
  severity: null,
  run_id: null,
  stops: null,
  ...more,
});

describe('the timeline', () => {
  it('is in local days, each entry once', () => {
    const [a, b, c] = [entry('a', noon), entry('b', noon - minute), entry('c', noon - 24 * 60 * minute)];
    expect(
      daysOf([
        [a, b],
        [b, c],
      ]).map(({ day, entries }) => [day, entries.map(({ entry_id }) => entry_id)]),
    ).toEqual([
      ['2026-05-02', ['a', 'b']],
      ['2026-05-01', ['c']],
    ]);
  });

  it('knows the people in it, and not automations; a job at the beginning has a capital, a unit its own spelling', () => {
    const by = (name: string | null) => entry(`of ${name}`, noon, { by: name });
    expect(
      peopleOf([
        [by('bo'), by(null), by('ada')],
        [by('ada'), by('dosing:turbidostat'), by('UI'), by('user')],
      ]),
    ).toEqual(['ada', 'bo', 'user']);
    expect(plainSentence('dosing_automation ended with an error')).toMatch(/^D.* ended with an error$/);
    expect(plainSentence('stirring ended with an error')).toBe('Stirring ended with an error');
    expect(plainSentence('rx01 was off')).toBe('rx01 was off');
  });

  it('says who it was, and no ID', () => {
    expect(['ada', 'UI', 'dosing:turbidostat', 'calibration_session/b01ee70c-fc4f-4c80'].map(authorText)).toEqual([
      ...['by ada', 'by somebody not signed in', '', 'by a calibration session'],
    ]);
  });

  it('shows an entry with what led to it, and not the future', () => {
    const after = noon + 10 * minute;
    expect(windowAround(entry('a', noon), after)).toEqual({ fromMs: noon - 30 * minute, toMs: after });
    const off = { since: iso(noon - 60 * minute) };
    expect(windowAround(entry('a', noon, off), noon + 600 * minute)).toEqual({
      fromMs: noon - 90 * minute,
      toMs: noon + 30 * minute,
    });
  });
});

describe('a note', () => {
  it('needs a text; a sample needs a unit and a volume; no note is of the future', () => {
    expect(Object.keys(faultsOf(emptyDraft, noon))).toEqual(['text']);
    const sample = { ...emptyDraft, kind: 'sample_taken' } as const;
    expect(Object.keys(faultsOf(sample, noon))).toEqual(['unit', 'volume']);
    expect(faultsOf({ ...sample, unit: 'unit1', volume: '0,5' }, noon)).toEqual({});
    expect(Object.keys(faultsOf({ ...emptyDraft, text: 'x', moment: '2026-05-02T12:03' }, noon))).toEqual(['moment']);
  });

  it('is sent as it was typed, and corrected with the same fields', () => {
    const draft = {
      kind: 'sample_taken',
      text: ' HPLC ',
      unit: 'unit1',
      volume: '0,5',
      moment: '2026-05-02T11:00:07',
    } as const;
    const sent = noteOf(draft);
    expect(sent).toEqual({
      kind: 'sample_taken',
      text: 'HPLC',
      reactor_unit: 'unit1',
      volume_ml: 0.5,
      timestamp: iso(new Date(2026, 4, 2, 11, 0, 7).getTime()),
    });
    const note = {
      note_id: 3,
      kind: 'sample_taken',
      text: 'HPLC',
      volume_ml: 0.5,
      photo: null,
      version: 0,
      edited_at: null,
      edited_by: null,
    } as const;
    const stored = entry('a', Date.parse(sent.timestamp ?? ''), { note, reactor_unit: 'unit1' });
    const { timestamp: _, ...untimed } = sent;
    // The time in the field has no milliseconds.
    expect(noteOf(draftOf(stored), draftOf(stored))).toEqual(untimed);
    expect(noteOf({ ...draft, moment: '2026-05-02T11:00:07' }, draftOf({ ...stored, at: iso(noon) }))).toEqual(sent);
    expect(noteOf({ ...emptyDraft, text: 'x' })).toEqual({
      kind: 'note',
      text: 'x',
      reactor_unit: null,
      volume_ml: null,
    });
  });
});
