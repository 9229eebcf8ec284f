import type { LiveJob, UnitStatus } from '@lcs/contract';
import { coolingPlan } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { jobOf } from '../jobs/job-phase.ts';
import { createLatestReadingsCache } from './latest-readings.ts';
import { livenessText, oldAfterMs, unitRemarks } from './unit-status.ts';

const moment = '2026-05-02T09:14:03.120Z';
const status: UnitStatus = {
  reactor_unit: 'u1',
  liveness: 'online',
  last_heard_at: moment,
  trouble: null,
  desired_version: 3,
  applied_version: 3,
  backlog: 12,
  clock_offset_ms: 40,
  outbox_full: false,
  app_version: null,
  url: null,
  is_simulated: false,
};
const after = (seconds: number): number => Date.parse(moment) + seconds * 1000;

it('a temperature is not old before the next one is expected', () => {
  for (const model_version of ['1.0', '1.1']) {
    const { periodS } = coolingPlan({ model_name: 'reactor_20ml', model_version });
    expect(oldAfterMs('temperature')).toBeGreaterThan(1000 * periodS);
  }
  expect(oldAfterMs('od')).toBe(120_000);
});

describe('a unit', () => {
  it('without a fault needs no remark', () => {
    expect(unitRemarks(status, true)).toEqual([]);
    expect(livenessText(status, after(3))).toBe('Online');
  });

  it('shows how long it has been silent', () => {
    expect(livenessText({ ...status, liveness: 'stale' }, after(34))).toBe('Silent for 34 s');
    expect(livenessText({ ...status, liveness: 'offline' }, after(300))).toBe('Offline for 5 min');
    expect(livenessText({ ...status, liveness: 'offline', last_heard_at: null }, after(300))).toBe('Never connected');
  });

  it('lists its faults, loss of readings first', () => {
    const remarks = unitRemarks(
      { ...status, outbox_full: true, backlog: 12_340, clock_offset_ms: -5000, applied_version: 2 },
      false,
    );
    expect(remarks.map(({ severity }) => severity)).toEqual(['error', 'warning', 'warning', 'info', 'warning']);
    expect(remarks[1]?.text).toContain('12,340');
  });

  it('shows the newest of several jobs of a name', () => {
    const job = (job_id: number, experiment = 'a'): LiveJob => ({
      reactor_unit: 'u1',
      experiment,
      job_name: 'stirring',
      job_id,
      state: 'ready',
      since: moment,
      reason: null,
      settings: {},
    });
    expect(jobOf([job(2), job(7), job(4), job(9, 'b')], 'u1', 'a', 'stirring')?.job_id).toBe(7);
  });
});

describe('the latest reading of a unit', () => {
  const reading = (seconds: number, y: number, channel: string) => ({
    experiment: 'a',
    reactor_unit: 'u1',
    source: 'od',
    channel,
    angle: 90,
    x: new Date(after(seconds)).toISOString(),
    y,
    backfill: false,
  });

  it('is the newest by time of the lowest channel', () => {
    const cache = createLatestReadingsCache('a');
    cache.add([reading(10, 0.5, '2'), reading(5, 0.4, '2'), reading(20, 9, '3')]);
    expect(cache.of('u1').get('od')).toMatchObject({ y: 0.5, channel: '2' });
    const before = cache.of('u1');
    cache.add([reading(1, 7, '2')]);
    expect(cache.of('u1')).toBe(before);
  });

  it('is of another channel after the photodiode was moved there', () => {
    const cache = createLatestReadingsCache('a');
    cache.add([reading(0, 0.5, '1'), reading(60, 0.7, '2')]);
    expect(cache.of('u1').get('od')).toMatchObject({ y: 0.7, channel: '2' });
    cache.add([reading(90, 0.8, '1')]);
    expect(cache.of('u1').get('od')).toMatchObject({ y: 0.8, channel: '1' });
  });

  it('is of the channel in use when the series of an abandoned one comes with it', () => {
    const cache = createLatestReadingsCache('a');
    const at = (seconds: number) => new Date(after(seconds)).toISOString();
    const data = [[{ x: at(0), y: 0.5 }], [{ x: at(600), y: 0.7 }]];
    cache.merge({ data_source: 'od_readings', data_source_column: null }, { series: ['u1-1', 'u1-2'], data }, []);
    expect(cache.of('u1').get('od')).toMatchObject({ y: 0.7, channel: '2' });
  });
});

describe('the flags of the latest reading of a unit', () => {
  const moment = (seconds: number) => new Date(after(seconds)).toISOString();
  const flagged = (reactor_unit: string, channel: string | null, flag: 'vial_out' | 'sensor_doubtful') => ({
    reactor_unit,
    channel,
    flag,
    source: channel === null ? 'temperature' : 'od',
    from: moment(5),
    to: moment(10),
    samples: 2,
  });

  it('come from the flagged spans, and with readings of the stream', () => {
    const cache = createLatestReadingsCache('a');
    const od = { data_source: 'od_readings', data_source_column: null };
    const data = [[{ x: moment(10), y: 0.5 }], [{ x: moment(10), y: 0.6 }], [{ x: moment(11), y: 0.7 }]];
    const spans = [
      flagged('u1', '2', 'vial_out'),
      flagged('u2', '3', 'vial_out'),
      flagged('u3', '2', 'vial_out'),
      flagged('u1', null, 'sensor_doubtful'),
    ];
    cache.merge(od, { series: ['u1-2', 'u2-2', 'u3-2'], data }, spans);
    const flagsOf = (unit: string) => cache.of(unit).get('od')?.flags;
    expect([flagsOf('u1'), flagsOf('u2'), flagsOf('u3')]).toEqual([['vial_out'], [], []]);
    const reading = { experiment: 'a', source: 'od', channel: '2', angle: 90, y: 0.5, backfill: false };
    cache.add([
      { ...reading, reactor_unit: 'u1', x: moment(15) },
      { ...reading, reactor_unit: 'u2', x: moment(15), flags: ['bubbles', 'saturated'] },
    ]);
    expect([flagsOf('u1'), flagsOf('u2')]).toEqual([[], ['bubbles', 'saturated']]);
  });
});
