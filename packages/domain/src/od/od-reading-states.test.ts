import { describe, expect, it } from 'vitest';
import {
  canShareLight,
  initialOdReadingState,
  type OdActivity,
  type OdReadingEvent,
  type OdReadingState,
  odReadingStep,
} from './od-reading-states.ts';

type Event = OdReadingEvent<string>;

const parameters = { turnsOffOtherLeds: true, staysLit: (intervalS: number | null) => intervalS === 0.1 };
const initial = initialOdReadingState({ requestedIntensity: 80, intervalS: 5 });
const ready: OdReadingState = { ...initial, intensity: 80, readings: 1 };
const during = (activity: OdActivity): OdReadingState => ({ ...ready, activity });

const step = (state: OdReadingState, event: Event, nowMs = 0) =>
  odReadingStep<string>(state, { ...event, nowMs }, parameters);
const kinds = (state: OdReadingState, event: Event) => step(state, event).effects.map(({ kind }) => kind);

const measured: Event = { kind: 'measured', measured: 'volts', atMs: 7 };
const measuring: OdActivity = { kind: 'measuring', intensity: 80 };
const discarding: OdActivity = { kind: 'discarding', next: 'paused' };

describe('optical readings as a state machine', () => {
  it.each<[OdActivity, Event, OdActivity]>([
    [{ kind: 'idle' }, { kind: 'due' }, measuring],
    [{ kind: 'idle' }, { kind: 'pause' }, { kind: 'paused' }],
    [{ kind: 'idle' }, { kind: 'share_light' }, { kind: 'light_shared', next: 'idle' }],
    [{ kind: 'preparing' }, { kind: 'prepared', intensity: 60 }, measuring],
    [{ kind: 'preparing' }, { kind: 'failed' }, { kind: 'idle' }],
    [{ kind: 'preparing' }, { kind: 'pause' }, discarding],
    [{ kind: 'preparing' }, { kind: 'due' }, { kind: 'preparing' }],
    [measuring, measured, { kind: 'reporting' }],
    [measuring, { kind: 'failed' }, { kind: 'idle' }],
    [measuring, { kind: 'due' }, measuring],
    [measuring, { kind: 'pause' }, discarding],
    [measuring, { kind: 'share_light' }, measuring],
    [{ kind: 'measuring', intensity: 60 }, measured, { kind: 'idle' }],
    [{ kind: 'reporting' }, { kind: 'reported' }, { kind: 'idle' }],
    [{ kind: 'reporting' }, { kind: 'failed' }, { kind: 'idle' }],
    [discarding, { kind: 'resume' }, { kind: 'discarding', next: 'idle' }],
    [discarding, measured, { kind: 'paused' }],
    [discarding, { kind: 'prepared', intensity: 60 }, { kind: 'paused' }],
    [{ kind: 'discarding', next: 'idle' }, { kind: 'failed' }, { kind: 'idle' }],
    [{ kind: 'discarding', next: 'idle' }, { kind: 'pause' }, discarding],
    [{ kind: 'paused' }, { kind: 'due' }, { kind: 'paused' }],
    [{ kind: 'paused' }, { kind: 'share_light' }, { kind: 'light_shared', next: 'paused' }],
    [{ kind: 'paused' }, { kind: 'resume' }, { kind: 'idle' }],
    [{ kind: 'light_shared', next: 'idle' }, { kind: 'due' }, { kind: 'light_shared', next: 'idle' }],
    [{ kind: 'light_shared', next: 'idle' }, { kind: 'pause' }, { kind: 'light_shared', next: 'paused' }],
    [{ kind: 'light_shared', next: 'paused' }, { kind: 'returned' }, { kind: 'paused' }],
  ])('%o, %o: %o', (activity, event, next) => {
    expect(step(during(activity), event).state.activity).toEqual(next);
  });

  it('prepares before the first reading, and waits for a steady light only when the LED was off', () => {
    expect(kinds(initial, { kind: 'due' })).toEqual(['announce', 'prepare']);
    const prepared = step({ ...initial, activity: { kind: 'preparing' } }, { kind: 'prepared', intensity: 60 });
    expect(prepared.effects).toEqual([
      { kind: 'publish_intensity', intensity: 80 },
      { kind: 'measure', intensity: 80, settles: false, isFirst: true },
    ]);
    expect(step(ready, { kind: 'due' }).effects[1]).toMatchObject({ settles: true, isFirst: false });
  });

  it('passes a measurement on, and counts it when it was reported', () => {
    const { state, effects } = step(during(measuring), measured);
    expect(effects).toEqual([
      { kind: 'led_off' },
      { kind: 'report', measured: 'volts', atMs: 7, intensity: 80, reportsBrightness: false },
    ]);
    expect(step(state, { kind: 'reported' }).state.readings).toBe(2);
    expect(step(state, { kind: 'failed' }).state.readings).toBe(1);
  });

  it('reports nothing of a measurement in a light that was changed', () => {
    const changed = step(during(measuring), { kind: 'set_intensity', intensity: 95 });
    expect(changed.effects.map(({ kind }) => kind)).toEqual(['notify', 'restart_tracking']);
    expect(kinds(changed.state, measured)).toEqual(['led_off', 'announce']);
  });

  it('keeps the LED on between fast readings, and switches it off at every end of an operation otherwise', () => {
    const fast = { ...during(measuring), intervalS: 0.1 };
    expect(kinds(fast, measured)).toEqual(['report']);
    expect(kinds(during(measuring), { kind: 'failed' })).toContain('led_off');
    expect(kinds(during(discarding), measured)).toContain('led_off');
    expect(kinds(during({ kind: 'light_shared', next: 'idle' }), { kind: 'returned' })).toEqual(['led_off']);
    expect(kinds(during({ kind: 'idle' }), { kind: 'set_interval', intervalS: null })).toContain('led_off');
  });

  it('announces the next reading of its grid, and nothing while it is paused or has no interval', () => {
    const { state } = step(ready, { kind: 'start' }, 1000);
    const announced = (one: OdReadingState, event: Event) => step(one, event, 12_500).effects[0];
    expect(announced(state, { kind: 'due' })).toEqual({
      kind: 'announce',
      reading: { phase: 'begun', nextAtMs: 16_000, intervalMs: 5000, wantsDark: true },
    });
    const off = { kind: 'announce', reading: { phase: 'off' } };
    expect(announced(state, { kind: 'pause' })).toEqual(off);
    expect(announced(state, { kind: 'set_interval', intervalS: null })).toEqual(off);
    expect(canShareLight(state)).toBe(true);
  });

  it('announces extra readings before they are due, and then the grid again', () => {
    const { state } = step(ready, { kind: 'start' }, 1000);
    const planned = step({ ...state, intervalS: 120 }, { kind: 'plan_extra', atMs: [16_000, 21_000] }, 11_000);
    const announced = { phase: 'ended', nextAtMs: 16_000, intervalMs: 120_000, wantsDark: true };
    expect(planned.effects).toEqual([{ kind: 'announce', reading: announced }]);
    const nextAtMs = (nowMs: number) => step(planned.state, { kind: 'due' }, nowMs).effects[0];
    expect(nextAtMs(16_000)).toMatchObject({ reading: { phase: 'begun', nextAtMs: 21_000 } });
    expect(nextAtMs(21_000)).toMatchObject({ reading: { phase: 'begun', nextAtMs: 121_000 } });
  });

  it('leaves a reading that is under way to announce the extra ones, and announces none while it is paused', () => {
    const plan: Event = { kind: 'plan_extra', atMs: [16_000] };
    expect(kinds(during(measuring), plan)).toEqual([]);
    expect(step(during({ kind: 'paused' }), plan).effects).toEqual([{ kind: 'announce', reading: { phase: 'off' } }]);
  });
});
