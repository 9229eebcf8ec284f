import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BusTopic } from './job-bus.ts';

describe('a topic of the bus', () => {
  it('reaches all listeners, and keeps the newest value per key', () => {
    const topic = new BusTopic<number>();
    const heard: string[] = [];
    topic.listen((value, key) => heard.push(`a ${key}=${value}`));
    const leave = topic.listen((value, key) => heard.push(`b ${key}=${value}`));
    topic.publish('od', 1);
    leave();
    topic.publish('rpm', 2);
    expect(heard).toEqual(['a od=1', 'b od=1', 'a rpm=2']);
    expect([topic.latest('od'), topic.latest('rpm'), topic.latest('none')]).toEqual([1, 2, undefined]);
    topic.forget('od');
    expect(topic.latest('od')).toBeUndefined();
  });

  it('delivers earlier values only on request', () => {
    const topic = new BusTopic<number>();
    const automation: number[] = [];
    const chart: number[] = [];
    topic.listen((value) => automation.push(value));
    topic.listen((value) => chart.push(value), { backfill: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer(), fc.boolean())), (values) => {
        automation.length = 0;
        chart.length = 0;
        topic.forget('od');
        for (const [value, backfill] of values) topic.publish('od', value, { backfill });
        const live = values.filter(([, backfill]) => !backfill).map(([value]) => value);
        expect(automation).toEqual(live);
        expect(chart).toEqual(values.map(([value]) => value));
        expect(topic.latest('od')).toBe(live.at(-1));
      }),
    );
  });

  it('does not reach a listener that another one has removed', () => {
    const topic = new BusTopic<number>();
    const heard: number[] = [];
    let leave = () => {};
    topic.listen(() => leave());
    leave = topic.listen((value) => heard.push(value));
    topic.publish('x', 1);
    expect(heard).toEqual([]);
  });
});
