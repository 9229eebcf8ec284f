import { hourMs } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { bottleForecast, leftFault, type MediaUse, plannedMlPerDay, summedUse } from './media-forecast.ts';

const nowMs = Date.parse('2026-03-02T10:00:00Z');
const weekday = (ms: number): string =>
  new Intl.DateTimeFormat(undefined, {
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(ms);

const use = (media: number, alt: number, waste: number, rate: number | null): MediaUse => ({
  totals: {
    media_ml: media,
    alt_media_ml: alt,
    waste_ml: waste,
    media_left_ml: null,
    alt_media_left_ml: null,
    waste_left_ml: null,
    media_bottle_ml: null,
    alt_media_bottle_ml: null,
    waste_bottle_ml: null,
  },
  mediaMlPerHour: rate,
});

describe('what units have used', () => {
  it('is summed by liquid', () => {
    expect(summedUse([use(10, 1, 9, 0.5), use(5, 0, 4, 0.25), use(0, 0, 0, null)])).toEqual({
      mediaMl: 15,
      altMediaMl: 1,
      wasteMl: 13,
      mlPerHour: 0.75,
    });
    expect(summedUse([])).toEqual({ mediaMl: 0, altMediaMl: 0, wasteMl: 0, mlPerHour: 0 });
  });
});

describe('the planned use of medium', () => {
  const culture = { growthPerHour: 0.1, volumeMl: 14 };

  it('of a chemostat is by its clock, of a turbidostat by growth', () => {
    const chemostat = { automation_name: 'chemostat', exchange_volume_ml: 1, duration: 30 };
    // Somewhat more than 48 exchanges of 1 mL, with what evaporates.
    expect(plannedMlPerDay({ settings: chemostat }, culture)).toBeCloseTo(48 * 2 * 14 * Math.expm1(0.5 / 14) + 0.48, 9);
    expect(plannedMlPerDay({ settings: chemostat }, { ...culture, volumeMl: undefined })).toBe(48);
    const turbidostat = { automation_name: 'turbidostat', target_biomass: 0.4 };
    expect(plannedMlPerDay({ settings: turbidostat }, culture)).toBeCloseTo(24 * 0.1 * 14, 9);
  });

  it('is unknown without the growth rate, the volume or a plan', () => {
    const turbidostat = { automation_name: 'turbidostat', target_biomass: 0.4 };
    expect(plannedMlPerDay({ settings: turbidostat }, { ...culture, growthPerHour: undefined })).toBeUndefined();
    expect(plannedMlPerDay({ settings: turbidostat }, { ...culture, volumeMl: undefined })).toBeUndefined();
    expect(plannedMlPerDay({ settings: { automation_name: 'silent' } }, culture)).toBeUndefined();
    expect(plannedMlPerDay({ settings: {} }, culture)).toBeUndefined();
  });
});

describe('the forecast of a bottle', () => {
  const state = { leftMl: 48, dosing: 'runs', mlPerHour: 2, plannedMlPerDay: undefined } as const;
  const [inOneDay, inTwoDays] = [weekday(nowMs + 24 * hourMs), weekday(nowMs + 48 * hourMs)];

  it('names the end at the measured and at the planned rate', () => {
    const [measured, planned, ...more] = bottleForecast({ ...state, plannedMlPerDay: 24 }, nowMs);
    expect(measured).toContain(inOneDay);
    expect(planned).toContain(inTwoDays);
    expect(more).toEqual([]);
  });

  it('names the date from six days on, and no date after sixty', () => {
    const far = bottleForecast({ ...state, leftMl: 2 * 24 * 10 }, nowMs).join();
    expect(far).toContain('12');
    expect(far).not.toContain(':');
    expect(bottleForecast({ ...state, leftMl: 2 * 24 * 61 }, nowMs).join()).toContain('60 d');
  });

  it('says what is missing', () => {
    const changes = [{ leftMl: null }, { leftMl: 0 }, { mlPerHour: 0 }, { mlPerHour: null }] as const;
    const texts = changes.map((change) => bottleForecast({ ...state, ...change }, nowMs));
    expect(texts.map((lines) => lines.length)).toEqual([1, 1, 1, 1]);
    expect(new Set(texts.flat()).size).toBe(4);
    expect(bottleForecast({ ...state, mlPerHour: null, plannedMlPerDay: 48 }, nowMs).join()).toContain(inOneDay);
  });

  it('is none while no dosing runs', () => {
    for (const dosing of ['off', 'paused'] as const) {
      const lines = bottleForecast({ ...state, dosing, plannedMlPerDay: 48 }, nowMs);
      expect(lines).toHaveLength(1);
      expect(lines.join()).not.toContain('Lasts');
    }
  });
});

describe('a typed volume', () => {
  it('is a number of at least 0', () => {
    expect([0, 250.5].map(leftFault)).toEqual([null, null]);
    for (const typed of ['', '-', -1, Number.NaN]) expect(leftFault(typed)).not.toBeNull();
  });
});
