import { seriesColumn } from '@lcs/domain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerWith, record, startMs, testIngest } from '../testing/test-ingest.ts';
import { reducedPoints } from './extremes.ts';

const always = new AbortController().signal;

/** Events of two units, stored as they come from them. */
async function dosedStore() {
  const store = await testIngest();
  await store.addExperiments('e1');
  const waste = { data: { event: 'remove_waste', volume_change_ml: -2 } };
  const lamp = (channel: string) => ({ name: 'led_change', data: { channel, intensity: 7 } });
  await store.take('rx02', answerWith([record.event(1), record.event(2, waste), record.event(3, lamp('B'))]));
  await store.take('rx01', answerWith([record.event(4), record.event(5, lamp('A')), record.event(6, { data: {} })]));
  await store.clock.advance(10_000);
  await store.series.readers.start(always);
  const asked = async (dataSource: string, column: string, more: { unit?: string; targetPoints?: number } = {}) => {
    const found = seriesColumn(dataSource, column);
    if (!found) throw new Error(`${dataSource}.${column} is not known`);
    const question = { experimentUid: 'e1', lookbackHours: 1, targetPoints: 10, ...found, ...more };
    const current = await store.series.answers.current(question, always);
    if ('parts' in current) throw new Error('The answer is small: it needs no plan.');
    const answer: { series: string[]; data: { x: string; y: number }[][] } = JSON.parse(
      new TextDecoder().decode(current.bytes),
    );
    return { series: answer.series, y: answer.data.map((line) => line.map(({ y }) => y)), data: answer.data };
  };
  return Object.assign(store, { asked });
}

describe('numbers of events', () => {
  it('are lines by unit, and by channel where they have one', async () => {
    await using store = await dosedStore();
    expect(await store.asked('dosing_events', 'volume_change_ml')).toMatchObject({
      series: ['rx01', 'rx02'],
      y: [[0.5], [0.5, -2]],
      data: [[{ x: new Date(startMs + 4_000).toISOString() }], [{}, {}]],
    });
    expect(await store.asked('led_change_events', 'intensity')).toMatchObject({ series: ['rx01-A', 'rx02-B'] });
    expect(await store.asked('reactor_unit_activity_data', 'remove_waste_ml')).toMatchObject({
      series: ['rx02'],
      y: [[-2]],
    });
    expect(await store.asked('reactor_unit_activity_data', 'led_b_intensity_update')).toMatchObject({
      series: ['rx02'],
    });
    expect(await store.asked('dosing_events', 'volume_change_ml', { unit: 'rx01' })).toMatchObject({
      series: ['rx01'],
    });
    expect(await store.asked('dosing_events', 'volume_change_ml', { targetPoints: 1 })).toMatchObject({
      y: [[0.5], [-2]],
    });
  });

  it('are returned as soon as they are stored, until they are older than the window', async () => {
    await using store = await dosedStore();
    const volumes = async () => (await store.asked('dosing_events', 'volume_change_ml')).y.flat().length;
    expect(await volumes()).toBe(3);
    await store.take('rx01', answerWith([record.event(7)]));
    expect(await volumes()).toBe(4);
    await store.clock.advance(3_600_000 - 10_000 + 1_000);
    expect(await volumes()).toBe(3);
  });
});

describe('points that are reduced', () => {
  it('are no more than allowed, ascend, and keep the ends, the lowest and the highest', () => {
    const points = fc.array(fc.tuple(fc.nat(50), fc.integer({ min: -50, max: 50 })), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(points, fc.integer({ min: 1, max: 30 }), (steps, target) => {
        let at = 0;
        const rows = steps.map(([step, value]) => {
          at += step + 1;
          return [at, value] as const;
        });
        const reduced = reducedPoints({ at: rows.map(([x]) => x), value: rows.map(([, y]) => y) }, target);
        const kept = reduced.at.map((x, index) => [x, reduced.value[index]]);
        expect(kept.length).toBeLessThanOrEqual(target);
        for (const row of kept) expect(rows).toContainEqual(row);
        expect(reduced.at).toEqual([...reduced.at].sort((a, b) => a - b));
        expect(kept.at(-1)).toEqual(rows.at(-1));
        if (target >= 2) expect(kept[0]).toEqual(rows[0]);
        if (target < 4) return;
        const values = rows.map(([, y]) => y);
        expect([Math.min(...reduced.value), Math.max(...reduced.value)]).toEqual([
          Math.min(...values),
          Math.max(...values),
        ]);
      }),
    );
  });
});
