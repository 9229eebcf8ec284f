import type { Actuation, LiveJob } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { amountFault, doseForecast } from './dose-forecast.ts';
import { readUnitSearch } from './unit-search.ts';
import {
  lastDose,
  ledLevels,
  readingLed,
  runningPumps,
  shownVolumeMl,
  turbidity,
  type VialState,
  vialText,
} from './vial-state.ts';

const nowMs = Date.parse('2026-05-02T09:14:03.120Z');
const actuation = (output: string, to: number, secondsAgo: number, refused: string | null = null): Actuation => ({
  timestamp: new Date(nowMs - 1000 * secondsAgo).toISOString(),
  reactor_unit: 'u1',
  experiment: 'a',
  output,
  to,
  from: 0,
  unit: '%',
  refused,
  source_of_event: null,
  job_name: null,
  job_id: null,
  job_source: null,
  started_by: null,
  rule: null,
  reading: null,
  settings: null,
  calibration: null,
  why: '',
});

it('the address keeps a known tab', () => {
  expect([readUnitSearch({ tab: 'why' }), readUnitSearch({ tab: 'x' }), readUnitSearch({})]).toEqual([
    { tab: 'why' },
    {},
    {},
  ]);
  expect(readUnitSearch({ tab: 'control', job: 'stirring' })).toEqual({ tab: 'control', job: 'stirring' });
  expect(readUnitSearch({ tab: 'why', job: 'stirring' })).toEqual({ tab: 'why' });
  const at = '2026-05-02T09:14:03.120Z';
  expect(readUnitSearch({ tab: 'why', at })).toEqual({ tab: 'why', at });
  expect(readUnitSearch({ tab: 'why', at: 'soon' })).toEqual({ tab: 'why' });
});

describe('the vial', () => {
  const state: VialState = {
    volumeMl: 14,
    fullMl: 18,
    wasteTubeMl: 14,
    od: 0.2634,
    temperatureC: 30.04,
    notes: { od: '', temperature: '' },
    stirringRpm: 500.2,
    heaterPercent: 12,
    leds: new Map([['B', 20]]),
    pumps: new Set(['media']),
  };

  it('has a text that names all that the drawing shows', () => {
    expect(vialText('u1', state)).toBe(
      'Vial of u1: 14 mL of 18 mL, OD 0.263, 30.0 °C, stirring at 500 RPM, heater at 12 %, LED B at 20 %, medium pump running.',
    );
    const old = vialText('u1', { ...state, notes: { od: 'last known 09:14', temperature: '' } });
    expect(old).toContain('OD 0.263 (last known 09:14), 30.0 °C');
    const empty = { volumeMl: null, od: null, temperatureC: null, stirringRpm: 0, heaterPercent: null };
    expect(vialText('u1', { ...state, ...empty, leds: new Map(), pumps: new Set() })).toBe(
      'Vial of u1: volume not known, stirrer off, heater off, no pump runs.',
    );
  });

  it('shows pumps of running jobs and of doses a moment ago, and none that was refused', () => {
    const jobs = [
      { job_name: 'circulate_media', state: 'ready' as const },
      { job_name: 'add_alt_media', state: 'lost' as const },
    ];
    expect([...runningPumps(jobs, [], nowMs)]).toEqual(['media', 'waste']);
    const doses = [
      actuation('waste_pump', 1, 5),
      actuation('media_pump', 1, 3, 'full'),
      actuation('media_pump', 1, 60),
    ];
    expect([...runningPumps([], doses, nowMs)]).toEqual(['waste']);
    expect(lastDose([actuation('led_A', 1, 1), doses[1] ?? actuation('', 0, 0), doses[2] ?? actuation('', 0, 0)])).toBe(
      doses[2],
    );
    const ofCalibration = { ...(doses[1] ?? actuation('', 0, 0)), outside_vial: true as const };
    expect(lastDose([ofCalibration, doses[2] ?? actuation('', 0, 0)])).toBe(doses[2]);
    const level = { ...actuation('waste_pump', 2, 1), settings: { waste_removal_multiplier: 2 } };
    const waste = actuation('waste_pump', 1, 5);
    expect(lastDose([level, waste])).toBe(waste);
  });

  it('shows no pump that was switched off before its dose was whole; that is no dose', () => {
    const off = actuation('waste_pump', 0, 1);
    const waste = actuation('waste_pump', 1, 5);
    expect([...runningPumps([], [off, actuation('media_pump', 1, 2), waste], nowMs)]).toEqual(['media']);
    expect(lastDose([off, waste])).toBe(waste);
  });

  it('shows the LEDs that are lit', () => {
    expect([...ledLevels([actuation('led_A', 0, 1), actuation('led_C', 5, 1), undefined])]).toEqual([['C', 5]]);
  });

  it('is clear without cells and dense at a high density', () => {
    expect([null, 0, -0.1, 0.01, 3, 10].map(turbidity)).toEqual([0, 0, 0, 0, 1, 1]);
    expect(turbidity(0.3)).toBeGreaterThan(turbidity(0.1));
  });
});

describe('a dose by hand', () => {
  const start = { volumeMl: 14, wasteTubeMl: 14, fullMl: 18, mediaLeftMl: 3 };

  it('says the volume after it', () => {
    expect(doseForecast('media', 1, start)).toMatchObject({ fault: null, text: expect.stringContaining('15 mL') });
    expect(doseForecast('waste', 2, { ...start, volumeMl: 15 })).toMatchObject({
      fault: null,
      text: expect.stringContaining('14 mL after the removal'),
    });
    expect(doseForecast('waste', 2, start).text).toContain('air only');
  });

  it('is refused where the unit would refuse it: a full vial, an empty bottle', () => {
    expect(doseForecast('alt_media', 4, start).fault).toContain('18 mL');
    expect(doseForecast('alt_media', 3.9, start).fault).toBeNull();
    expect(doseForecast('media', 3.5, start).fault).toContain('3 mL left');
  });

  it('promises nothing where volume, capacity or calibration are not known', () => {
    const unknown = { volumeMl: null, wasteTubeMl: null, fullMl: null, mediaLeftMl: null };
    for (const pump of ['media', 'waste'] as const)
      expect(doseForecast(pump, 1, unknown)).toMatchObject({ fault: null, text: expect.stringContaining('not known') });
    expect(doseForecast('media', undefined, start)).toMatchObject({ fault: null });
    expect(doseForecast('media', 1, { ...unknown, volumeMl: 14 }).text).toContain('15 mL');
  });
});

it('an amount must be above 0, and a negative one is not taken as a positive one', () => {
  expect([1, 0.01].map(amountFault)).toEqual([null, null]);
  expect(['', 0, -1, '-'].map((amount) => amountFault(amount) === null)).toEqual([false, false, false, false]);
});

it('shows one volume everywhere: what the unit keeps, and a recorded one while that is not known', () => {
  expect([shownVolumeMl(14, 15), shownVolumeMl(undefined, 15), shownVolumeMl(undefined, undefined)]).toEqual([
    14,
    15,
    null,
  ]);
});

it('the LED that the optical density is read with takes no light by hand while it is read', () => {
  const reading = (state: LiveJob['state']): LiveJob => ({
    reactor_unit: 'u1',
    experiment: 'a',
    job_name: 'od_reading',
    job_id: 1,
    state,
    since: '2026-05-02T09:14:03.120Z',
    reason: null,
    settings: {},
  });
  const leds = { A: ' IR', B: '' };
  expect([readingLed(leds, [reading('ready')]), readingLed(leds, [])]).toEqual(['A', undefined]);
  expect(readingLed(leds, [reading('disconnected')])).toBeUndefined();
  expect(readingLed({}, [reading('ready')])).toBeUndefined();
});
