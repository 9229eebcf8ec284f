import type { LiveEvents, Reading, UnitLatest } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { createLatestStore } from './latest-store.ts';

const startMs = Date.parse('2026-05-02T09:14:03.120Z');
const at = (seconds: number): string => new Date(startMs + seconds * 1000).toISOString();

const reading = (seconds: number, y: number, more: Partial<Reading> = {}): Reading => ({
  experiment: 'a',
  reactor_unit: 'u1',
  source: 'od',
  channel: '2',
  angle: 90,
  x: at(seconds),
  y,
  backfill: false,
  ...more,
});
const answer = (more: Partial<UnitLatest> = {}): UnitLatest => ({
  reactor_unit: 'u1',
  experiment: 'a',
  label: null,
  readings: [],
  last_dose: null,
  ...more,
});

/** Receives everything at `seconds`, by default when the newest reading of these tests is taken. */
function storeWith(...units: UnitLatest[]) {
  const store = createLatestStore(new Set(['od', 'growth_rate']));
  const receivedMs = (seconds = 700): number => startMs + seconds * 1000;
  const merge = (answers: readonly UnitLatest[], seconds?: number): void =>
    store.merge({ units: answers, requestedMs: receivedMs(seconds) });
  merge(units.length === 0 ? [answer()] : units, 0);
  return {
    ...store,
    merge,
    add: (readings: readonly Reading[], seconds?: number): void => store.add(readings, receivedMs(seconds)),
    addDose: (dose: LiveEvents['dose'], seconds?: number): void => store.addDose(dose, receivedMs(seconds)),
  };
}
const od = (store: ReturnType<typeof storeWith>) => store.of('u1')?.readings.get('od');

describe('the latest reading of a unit', () => {
  it('is the newest by time of the lowest channel, with its flags', () => {
    const store = storeWith();
    store.add([reading(10, 0.5, { flags: ['bubbles'] }), reading(5, 0.4), reading(20, 9, { channel: '3' })]);
    expect(od(store)).toMatchObject({ xMs: startMs + 10_000, y: 0.5, channel: '2', flags: ['bubbles'] });
    const before = store.of('u1');
    store.add([reading(1, 7)]);
    expect(store.of('u1')).toBe(before);
  });

  it('is of another channel after the photodiode was moved there', () => {
    const store = storeWith();
    store.add([reading(0, 0.5, { channel: '1' }), reading(60, 0.7)]);
    expect(od(store)).toMatchObject({ y: 0.7, channel: '2' });
    store.add([reading(90, 0.8, { channel: '1' })]);
    expect(od(store)).toMatchObject({ y: 0.8, channel: '1' });
  });

  it('is of the channel in use when the leader still has an abandoned one', () => {
    const stored = (channel: string, seconds: number, y: number) => ({ source: 'od', channel, x: at(seconds), y });
    const store = storeWith(answer({ readings: [stored('1', 0, 0.5), stored('2', 600, 0.7)] }));
    expect(od(store)).toMatchObject({ y: 0.7, channel: '2' });
  });

  it('of the stream is not undone by a response that is older', () => {
    const store = storeWith();
    store.add([reading(10, 0.5)]);
    store.merge([answer({ readings: [{ source: 'od', channel: '2', x: at(5), y: 0.4 }] })], 8);
    expect(od(store)).toMatchObject({ y: 0.5 });
  });

  it('of a clock that was ahead is replaced by the next response or reading', () => {
    const ahead = { source: 'od', channel: '2', x: at(86_400), y: 9 };
    const store = storeWith(answer({ readings: [ahead] }));
    store.merge([answer({ readings: [{ ...ahead, x: at(20), y: 0.3 }] })], 30);
    expect(od(store)).toMatchObject({ xMs: startMs + 20_000, y: 0.3 });
    store.add([reading(86_400, 9)], 30);
    store.add([reading(35, 0.4)], 36);
    expect(od(store)).toMatchObject({ xMs: startMs + 35_000, y: 0.4 });
  });

  it('is gone when the leader no longer has it, and the same object when the leader has the same', () => {
    const stored = answer({ readings: [{ source: 'od', channel: '2', x: at(5), y: 0.4 }] });
    const store = storeWith(stored);
    const before = store.of('u1');
    store.merge([stored], 20);
    expect(store.of('u1')).toBe(before);
    store.merge([answer()], 30);
    expect(od(store)).toBeUndefined();
  });

  it('belongs to the present experiment of the unit', () => {
    const store = storeWith();
    store.add([reading(10, 0.5), reading(20, 9, { experiment: 'b' })]);
    expect(od(store)).toMatchObject({ y: 0.5 });
    store.merge([answer({ experiment: 'b' })]);
    expect([od(store), store.of('u1')?.experiment]).toEqual([undefined, 'b']);
  });
});

it('notifies only of what is shown, and keeps the other units as they are', () => {
  const store = storeWith(answer(), answer({ reactor_unit: 'u2' }));
  let notified = 0;
  store.subscribe(() => {
    notified += 1;
  });
  const [other, units] = [store.of('u2'), store.units()];
  store.add([reading(1, 5, { source: 'supply_voltage' }), reading(1, 5, { reactor_unit: 'unassigned' })]);
  expect(notified).toBe(0);
  store.add([reading(1, 0.5)]);
  expect([notified, store.of('u2'), store.units()]).toEqual([1, other, units]);
});

it('keeps the newest dose, of the stream or of a response', () => {
  const dose = (seconds: number, volume_ml: number) => ({ at: at(seconds), event: 'add_media' as const, volume_ml });
  const store = storeWith(answer({ last_dose: dose(10, 1) }));
  store.addDose({ experiment: 'a', reactor_unit: 'u1', ...dose(5, 2) });
  expect(store.of('u1')?.lastDose).toEqual(dose(10, 1));
  store.addDose({ experiment: 'b', reactor_unit: 'u1', ...dose(30, 3) });
  store.addDose({ experiment: 'a', reactor_unit: 'u1', ...dose(20, 4) });
  store.merge([answer({ last_dose: dose(10, 1) })], 15);
  expect(store.of('u1')?.lastDose).toEqual(dose(20, 4));
  // Pieces of one dose.
  store.addDose({ experiment: 'a', reactor_unit: 'u1', ...dose(22, 0.5) });
  expect(store.of('u1')?.lastDose).toEqual(dose(22, 4.5));
  // It was stopped: less was pumped than announced. What a response has already does not count twice.
  for (let delivered = 0; delivered < 2; delivered += 1) {
    store.addDose({ experiment: 'a', reactor_unit: 'u1', ...dose(23, -0.25) });
    expect(store.of('u1')?.lastDose).toEqual(dose(23, 4.25));
  }
  store.addDose({ experiment: 'a', reactor_unit: 'u1', ...dose(40, -0.25) });
  expect(store.of('u1')?.lastDose).toEqual(dose(23, 4.25));
});

it('keeps doses of two jobs apart, also when they follow each other at once', () => {
  const piece = (seconds: number, volume_ml: number, job_id: number) => ({
    ...{ experiment: 'a', reactor_unit: 'u1' },
    ...{ at: at(seconds), event: 'add_media' as const, volume_ml, job_id },
  });
  const store = storeWith(answer({ last_dose: { at: at(10), event: 'add_media', volume_ml: 0.3, job_id: 1 } }));
  store.addDose(piece(12, 0.2, 2));
  store.addDose(piece(13, 0.1, 2));
  expect(store.of('u1')?.lastDose).toMatchObject({ at: at(13), job_id: 2 });
  expect(store.of('u1')?.lastDose?.volume_ml).toBeCloseTo(0.3, 9);
});

it('takes the dose of a response that was requested later: pieces were missed, or a clock was ahead', () => {
  const dose = (seconds: number, volume_ml: number) => ({ at: at(seconds), event: 'add_media' as const, volume_ml });
  const store = storeWith();
  store.addDose({ experiment: 'a', reactor_unit: 'u1', ...dose(5, 0.1) }, 5);
  store.merge([answer({ last_dose: dose(5, 0.5) })], 6);
  expect(store.of('u1')?.lastDose).toEqual(dose(5, 0.5));
  store.addDose({ experiment: 'a', reactor_unit: 'u1', ...dose(86_400, 1) }, 7);
  store.addDose({ experiment: 'a', reactor_unit: 'u1', ...dose(30, 2) }, 31);
  expect(store.of('u1')?.lastDose).toEqual(dose(30, 2));
});
