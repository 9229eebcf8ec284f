import { describe, expect, it } from 'vitest';
import { coreInUse, limits, newCore, pump, set, stallMs } from '../testing/test-core.ts';
import { GuardCore } from './guard-core.ts';
import { defaultWiring, type GuardRequest, outputIds } from './guard-types.ts';

describe('a lease', () => {
  it('is needed for every output', () => {
    const core = newCore();
    expect(core.handle(set('ledA', 50), 0)).toEqual({ ok: false, code: 'no_lease' });
    expect(core.level('ledA')).toBe(0);
  });

  it('ends 5 s after its last renewal, with its outputs off', () => {
    const core = coreInUse();
    core.handle(set('ledA', 50), 0);
    core.handle({ kind: 'renew', leases: ['a'] }, 700);
    for (let nowMs = 1000; nowMs < 5700; nowMs += 500) core.handle({ kind: 'renew', leases: [] }, nowMs);
    core.pass(5699);
    expect(core.level('ledA')).toBe(50);
    core.pass(5700);
    expect(core.level('ledA')).toBe(0);
    expect(core.takeNotices()).toContainEqual({ what: 'lease_lost', lease: 'a', outputs: outputIds });
  });

  it('does not cover commands of another generation than its own', () => {
    const core = coreInUse();
    const command = { kind: 'set', lease: 'a', output: 'ledA', percent: 50 } as const;
    expect(core.handle({ ...command, generation: 2 }, 0)).toMatchObject({ code: 'no_lease' });
    expect(core.handle({ ...command, generation: 1 }, 0)).toEqual({ ok: true });
  });

  it('cannot take an output that another one holds', () => {
    const core = coreInUse();
    expect(core.handle({ kind: 'acquire', lease: 'b', generation: 2, outputs: ['pwm1'] }, 1)).toMatchObject({
      code: 'output_taken',
    });
    core.handle({ kind: 'release', lease: 'a' }, 2);
    expect(core.handle({ kind: 'acquire', lease: 'b', generation: 2, outputs: ['pwm1'] }, 3)).toEqual({ ok: true });
  });

  it('is void when the node was silent for 0.8 s, also for the late command that ends the silence', () => {
    const core = coreInUse();
    core.handle(set('pwm1', 40), 0);
    expect(core.nextDueMs()).toBe(stallMs);
    expect(core.handle(set('pwm1', 60), stallMs)).toEqual({ ok: false, code: 'no_lease' });
    expect(core.level('pwm1')).toBe(0);
  });

  it('continues when the guard itself did not run meanwhile, if the node sends a message soon after', () => {
    const core = coreInUse();
    core.handle(set('pwm1', 40), 0);
    core.excuseParent(2000);
    core.pass(2000);
    expect(core.handle({ kind: 'renew', leases: ['a'] }, 2000 + stallMs - 1)).toEqual({ ok: true });
    expect(core.level('pwm1')).toBe(40);
    // The next silence is one.
    core.pass(2000 + 2 * stallMs - 1);
    expect(core.level('pwm1')).toBe(0);
  });

  it.each([
    ['the node stays silent', 2000, 2000 + stallMs],
    ['the guard stood still for too long', 3900, 3900],
  ])('is void after a stall of the guard when %s', (_why, wokenMs, voidMs) => {
    const core = coreInUse();
    core.handle(set('pwm1', 40), 0);
    core.excuseParent(wokenMs);
    expect(core.nextDueMs()).toBeLessThanOrEqual(voidMs);
    core.pass(voidMs);
    expect(core.level('pwm1')).toBe(0);
  });
});

describe('a stop', () => {
  it('refuses older generations on its outputs only', () => {
    const core = coreInUse();
    core.handle(set('pwm1', 40), 0);
    core.handle(set('ledA', 40), 0);
    core.handle({ kind: 'stop', generation: 1, outputs: ['pwm1'] }, 1);
    expect(core.level('pwm1')).toBe(0);
    expect(core.level('ledA')).toBe(40);
    expect(core.handle(set('pwm1', 40), 2)).toMatchObject({ code: 'stopped' });
    expect(core.handle(set('ledA', 30), 2)).toEqual({ ok: true });
  });

  it('does not disturb a newer generation', () => {
    const core = newCore();
    core.handle({ kind: 'acquire', lease: 'a', generation: 7, outputs: ['pwm1'] }, 0);
    core.handle({ kind: 'set', lease: 'a', generation: 7, output: 'pwm1', percent: 40 }, 0);
    core.handle({ kind: 'stop', generation: 6 }, 1);
    expect(core.level('pwm1')).toBe(40);
  });
});

describe('the heater', () => {
  it('needs limits and a temperature', () => {
    const core = newCore();
    core.handle({ kind: 'acquire', lease: 'a', generation: 1, outputs: ['pwm5'] }, 0);
    expect(core.handle(set('pwm5', 20), 0)).toMatchObject({ code: 'no_limits' });
    core.handle({ kind: 'limits', limits }, 0);
    expect(core.handle(set('pwm5', 20), 0)).toMatchObject({ code: 'no_temperature' });
    core.temperatureRead(30, 0);
    expect(core.handle(set('pwm5', 20), 0)).toEqual({ ok: true });
  });

  it('goes off after 30 s without a reading', () => {
    const core = new GuardCore({ wiring: defaultWiring, watch: undefined });
    core.handle({ kind: 'limits', limits }, 0);
    core.temperatureRead(30, 0);
    core.handle({ kind: 'acquire', lease: 'a', generation: 1, outputs: ['pwm5'] }, 0);
    core.handle(set('pwm5', 20), 0);
    core.pass(29_999);
    expect(core.level('pwm5')).toBe(20);
    core.pass(30_000);
    expect(core.level('pwm5')).toBe(0);
  });

  it('is cut by a tenth with each reading from the first limit on, and freed below it', () => {
    const core = coreInUse();
    core.handle(set('pwm5', 50), 0);
    core.temperatureRead(63, 100);
    expect(core.level('pwm5')).toBeCloseTo(45);
    core.temperatureRead(64, 200);
    expect(core.level('pwm5')).toBeCloseTo(40.5);
    core.temperatureRead(62.9, 300);
    expect(core.level('pwm5')).toBe(50);
  });

  it('is off from the second limit on, until it is requested again below the first', () => {
    const core = coreInUse();
    core.handle(set('pwm5', 50), 0);
    core.temperatureRead(65, 100);
    expect(core.level('pwm5')).toBe(0);
    core.temperatureRead(64, 200);
    expect(core.handle(set('pwm5', 50), 200)).toMatchObject({ code: 'too_hot' });
    core.temperatureRead(62, 300);
    expect(core.level('pwm5')).toBe(0);
    expect(core.handle(set('pwm5', 50), 300)).toEqual({ ok: true });
  });

  const taking = (lease: string, generation: number): GuardRequest => ({
    kind: 'acquire',
    lease,
    generation,
    outputs: ['pwm5'],
  });

  const heating = (lease: string, generation: number): GuardRequest => ({
    kind: 'set',
    lease,
    generation,
    output: 'pwm5',
    percent: 50,
  });

  const overridden = (percent: number) => ({ what: 'overridden', output: 'pwm5', percent, requested: 50 });

  it('is off at once at the third limit, and continues when that was one reading among cool ones', () => {
    const core = coreInUse();
    core.handle(set('pwm5', 50), 0);
    core.temperatureRead(90, 100);
    expect(core.level('pwm5')).toBe(0);
    expect(core.temperatureEveryMs(150)).toBe(250);
    core.temperatureRead(30, 350);
    expect([core.level('pwm5'), core.temperatureEveryMs(350)]).toEqual([50, 1000]);
    expect(core.takeNotices()).toEqual([overridden(0), overridden(50)]);
  });

  it('reports each level that it has not been told, once', () => {
    const core = coreInUse();
    core.handle(set('pwm5', 50), 0);
    core.temperatureRead(63, 100);
    expect(core.takeNotices()[0]).toEqual(overridden(45));
    // A command is answered with success, and limited all the same.
    core.handle(set('pwm5', 50), 200);
    expect(core.takeNotices()).toEqual([]);
    core.temperatureRead(30, 250);
    core.temperatureRead(30, 300);
    expect(core.takeNotices()).toEqual([]);
    core.handle({ kind: 'limits', limits: { ...limits, heat: { ...limits.heat, shutdownCelsius: 70 } } }, 350);
    expect(core.takeNotices()).toEqual([{ ...overridden(0), requested: 0 }]);
    core.handle(set('pwm5', 50), 400);
    core.handle(set('pwm5', 0), 420);
    core.temperatureRead(30, 450);
    expect(core.takeNotices()).toEqual([]);
  });

  it('is not on before that is certain when it is requested just then', () => {
    const core = coreInUse();
    core.temperatureRead(90, 100);
    expect(core.handle(set('pwm5', 50), 150)).toEqual({ ok: true });
    expect(core.level('pwm5')).toBe(0);
    core.temperatureRead(30, 350);
    expect(core.level('pwm5')).toBe(50);
  });

  it('stays off after three readings at the third limit, until a newer job takes it, and the board is cool', () => {
    const core = coreInUse();
    for (const atMs of [100, 350, 600]) core.temperatureRead(66, atMs);
    expect(core.takeNotices().at(-1)).toEqual({ what: 'limit', output: 'pwm5', limit: 'shutdown', value: 66 });
    core.temperatureRead(30, 700);
    expect(core.handle(set('pwm5', 50), 700)).toEqual({ ok: false, code: 'shut_down' });
    // The node stalled, and the same job takes its lease again.
    core.pass(2000);
    core.handle(taking('b', 1), 2000);
    expect(core.handle(heating('b', 1), 2000)).toEqual({ ok: false, code: 'shut_down' });
    core.handle({ kind: 'release', lease: 'b' }, 2000);
    core.temperatureRead(64, 2000);
    core.handle(taking('c', 2), 2000);
    expect(core.handle(heating('c', 2), 2000)).toEqual({ ok: false, code: 'too_hot' });
    core.temperatureRead(30, 2100);
    expect(core.handle(heating('c', 2), 2100)).toEqual({ ok: true });
  });

  it('stays off when the sensor stops answering before that is certain', () => {
    const core = new GuardCore({ wiring: defaultWiring, watch: undefined });
    core.handle({ kind: 'limits', limits }, 0);
    core.temperatureRead(30, 0);
    core.handle(taking('a', 1), 0);
    core.handle(heating('a', 1), 0);
    core.temperatureRead(66, 100);
    expect([2099, 2100].map((atMs) => core.temperatureEveryMs(atMs))).toEqual([250, 1000]);
    core.pass(30_100);
    expect([core.level('pwm5'), core.temperatureEveryMs(30_100)]).toEqual([0, undefined]);
    core.temperatureRead(30, 40_000);
    expect(core.level('pwm5')).toBe(0);
  });

  it('is not kept on by numbers that are no temperatures of a board', () => {
    const core = new GuardCore({ wiring: defaultWiring, watch: undefined });
    core.handle({ kind: 'limits', limits }, 0);
    core.temperatureRead(30, 0);
    core.handle(taking('a', 1), 0);
    core.handle(set('pwm5', 20), 0);
    for (let atMs = 1000; atMs <= 30_000; atMs += 1000) core.temperatureRead(atMs % 2000 === 0 ? -128 : 127.9375, atMs);
    expect(core.level('pwm5')).toBe(0);
    expect(core.takeNotices()).toEqual([
      { what: 'limit', output: 'pwm5', limit: 'no_temperature', value: 30_000 },
      { ...overridden(0), requested: 0 },
    ]);
  });

  it('limits every model to 85 degrees', () => {
    const core = coreInUse();
    const heat = { reduceCelsius: 300, disableCelsius: 300, shutdownCelsius: 300 };
    core.handle({ kind: 'limits', limits: { ...limits, heat } }, 1);
    core.handle(set('pwm5', 50), 1);
    core.temperatureRead(85, 2);
    expect(core.level('pwm5')).toBe(0);
  });
});

describe('a pump', () => {
  it('needs an end, and ends by itself', () => {
    const core = coreInUse();
    expect(core.handle(set('pwm2', 50), 0)).toMatchObject({ code: 'duration_needed' });
    core.handle(set('pwm2', 50, 300), 0);
    expect(core.nextDueMs()).toBe(300);
    core.pass(300);
    expect(core.level('pwm2')).toBe(0);
    expect(core.takeNotices()).toContainEqual({ what: 'ended', output: 'pwm2', ranMs: 300 });
  });

  it('is refused a run beyond its time or volume, also in pieces without a pause', () => {
    const core = coreInUse();
    expect(core.handle(set('pwm2', 20, 10_001), 0)).toMatchObject({ code: 'pump_time' });
    expect(core.handle(set('pwm2', 100, 8001), 0)).toMatchObject({ code: 'pump_volume' });
    core.handle(set('pwm2', 100, 8000), 0);
    expect(core.handle(set('pwm2', 100, 8000), 500)).toMatchObject({ code: 'pump_volume' });
    expect(core.level('pwm2')).toBe(100);
  });

  it('is refused more than its volume in any hour, and may run again an hour later', () => {
    const core = new GuardCore({ wiring: defaultWiring, watch: undefined });
    core.handle({ kind: 'limits', limits }, 0);
    core.handle({ kind: 'acquire', lease: 'a', generation: 1, outputs: ['pwm2'] }, 0);
    for (const startMs of [0, 100_000]) {
      expect(core.handle(set('pwm2', 100, 8000), startMs)).toEqual({ ok: true });
      core.pass(startMs + 8000);
    }
    expect(core.handle(set('pwm2', 100, 8000), 200_000)).toMatchObject({ code: 'pump_volume' });
    expect(core.handle(set('pwm2', 100, 8000), 3_608_000)).toEqual({ ok: true });
  });

  it('is refused what it has done in the hour before this guard was there', () => {
    const core = coreInUse();
    const before = (ranMs: number, endedAgoMs: number, percent = 100): GuardRequest => ({
      kind: 'past_runs',
      runs: [{ output: 'pwm2', percent, ranMs, endedAgoMs }],
    });
    expect(core.handle(before(Number.NaN, 0), 0)).toMatchObject({ code: 'bad_request' });
    expect(core.handle(before(15_000, 600_000), 0)).toEqual({ ok: true });
    expect(core.handle(set('pwm2', 100, 6000), 0)).toMatchObject({ code: 'pump_volume' });
    expect(core.handle(set('pwm2', 100, 4000), 0)).toEqual({ ok: true });
    expect(core.handle(set('pwm3', 100, 6000), 0)).toEqual({ ok: true });
    const later = new GuardCore({ wiring: defaultWiring, watch: undefined });
    later.handle({ kind: 'limits', limits }, 0);
    later.handle({ kind: 'acquire', lease: 'a', generation: 1, outputs: outputIds }, 0);
    later.handle(before(15_000, 3_600_000), 0);
    expect(later.handle(set('pwm2', 100, 8000), 0)).toEqual({ ok: true });
  });

  it('stops when the limits change, not when they are repeated', () => {
    const core = coreInUse();
    core.handle(set('pwm2', 20, 5000), 0);
    core.handle({ kind: 'limits', limits: structuredClone(limits) }, 1);
    expect(core.level('pwm2')).toBe(20);
    core.handle({ kind: 'limits', limits: null }, 2);
    expect(core.level('pwm2')).toBe(0);
  });

  it('does not stop for the limits of another output', () => {
    const core = coreInUse();
    core.handle(set('pwm2', 20, 5000), 0);
    core.handle(set('pwm3', 20, 5000), 0);
    core.handle(set('pwm5', 20), 0);
    const faster = { ...pump, mlPerSecondAtFull: 0.2 };
    core.handle({ kind: 'limits', limits: { ...limits, pumps: { 2: faster, 3: pump } } }, 1);
    expect((['pwm2', 'pwm3', 'pwm5'] as const).map((output) => core.level(output))).toEqual([0, 20, 20]);
  });
});

describe('a heater whose board does not get warmer', () => {
  const minuteMs = 60_000;
  /** Heats at `percent` with the usual rests, a reading each second; what the board shows is `celsius`. */
  function heats(core: GuardCore, percent: number, forMs: number, celsius: (atMs: number, isOn: boolean) => number) {
    const offAtMs: number[] = [];
    for (let atMs = 1000; atMs <= forMs; atMs += 1000) {
      const isOn = atMs % 200_000 < 95_000;
      for (let ms = atMs - 600; ms < atMs; ms += 300) core.handle({ kind: 'renew', leases: ['a'] }, ms);
      core.temperatureRead(celsius(atMs, isOn), atMs);
      const response = core.handle(set('pwm5', isOn ? percent : 0), atMs);
      if (!response.ok) offAtMs.push(atMs);
    }
    return offAtMs;
  }

  it.each([8, 12, 20, 46, 60])('is off within eleven minutes at %i %%', (percent) => {
    const [offAtMs] = heats(coreInUse(), percent, 20 * minuteMs, () => 24);
    expect(offAtMs).toBeGreaterThan(4 * minuteMs);
    expect(offAtMs).toBeLessThanOrEqual(11 * minuteMs);
  });

  it('is off, reports it, and stays off until a newer job takes it', () => {
    const core = coreInUse();
    heats(core, 60, 20 * minuteMs, () => 24);
    expect(core.level('pwm5')).toBe(0);
    expect(core.takeNotices()).toContainEqual({ what: 'limit', output: 'pwm5', limit: 'sensor_detached', value: 24 });
    const nowMs = 20 * minuteMs + 1;
    expect(core.handle(set('pwm5', 10), nowMs)).toEqual({ ok: false, code: 'sensor_detached' });
    // The node stalled for a moment: that does not mean that the sensor was checked.
    core.handle({ kind: 'release', lease: 'a' }, nowMs);
    core.handle({ kind: 'acquire', lease: 'a', generation: 1, outputs: ['pwm5'] }, nowMs);
    expect(core.handle(set('pwm5', 10), nowMs)).toEqual({ ok: false, code: 'sensor_detached' });
    core.handle({ kind: 'release', lease: 'a' }, nowMs);
    core.handle({ kind: 'acquire', lease: 'b', generation: 2, outputs: ['pwm5'] }, nowMs);
    const again = { kind: 'set', lease: 'b', generation: 2, output: 'pwm5', percent: 10 } as const;
    expect(core.handle(again, nowMs)).toEqual({ ok: true });
  });

  it('is what a healthy board is not, resting now and then or not', () => {
    let boardC = 24;
    const following = (_atMs: number, isOn: boolean): number => {
      boardC += 0.05 * ((isOn ? 50 : 30) - boardC);
      return boardC;
    };
    expect(heats(coreInUse(), 60, 60 * minuteMs, following)).toEqual([]);
    const steady = coreInUse();
    for (let atMs = 500; atMs <= 60 * minuteMs; atMs += 500) {
      steady.handle({ kind: 'renew', leases: ['a'] }, atMs);
      steady.temperatureRead(atMs < 20_000 ? 24 + atMs / 1000 : 44, atMs);
      expect(steady.handle(set('pwm5', 60), atMs).ok).toBe(true);
    }
  });
});
