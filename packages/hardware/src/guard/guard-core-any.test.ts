import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leaseMs, limits, newCore, pump, set, stallMs } from '../testing/test-core.ts';
import { type GuardRequest, type OutputId, outputIds } from './guard-types.ts';

const someOutputs: readonly OutputId[] = ['pwm1', 'pwm2', 'pwm5', 'ledA'];
const anyOutputs = fc.oneof(
  fc.constant([...someOutputs]),
  fc.uniqueArray(fc.constantFrom(...someOutputs), { minLength: 1 }),
);
const anyGeneration = fc.integer({ min: 1, max: 6 });
/** Mostly a job that uses its own lease with its own generation, now and then one that does not. */
const anyHolder = fc
  .tuple(anyGeneration, fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: anyGeneration }))
  .map(([generation, other]) => ({ generation, lease: `lease ${other === 0 ? generation : other}` }));
const acquiring = fc
  .tuple(anyHolder, anyOutputs)
  .map(([holder, outputs]): GuardRequest => ({ kind: 'acquire', ...holder, outputs }));
const setting = fc
  .tuple(anyHolder, fc.constantFrom(...someOutputs), fc.constantFrom(0, 20, 100), fc.constantFrom(100, 4000, 9000))
  .map(([holder, output, percent, forMs]): GuardRequest => ({ kind: 'set', ...holder, output, percent, forMs }));
const renewing = anyHolder.map(({ lease }): GuardRequest => ({ kind: 'renew', leases: [lease] }));
const releasing = anyHolder.map(({ lease }): GuardRequest => ({ kind: 'release', lease }));
const stopping = fc
  .tuple(anyGeneration, anyOutputs)
  .map(([generation, outputs]): GuardRequest => ({ kind: 'stop', generation, outputs }));
const limiting = fc.constantFrom<GuardRequest>({ kind: 'limits', limits }, { kind: 'limits', limits: null });

const anyInput = fc.oneof(
  { weight: 30, arbitrary: setting },
  { weight: 10, arbitrary: acquiring },
  { weight: 10, arbitrary: renewing },
  { weight: 8, arbitrary: fc.constantFrom(30, 30, 30, 63.5, 65) },
  { weight: 1, arbitrary: stopping },
  { weight: 1, arbitrary: releasing },
  { weight: 1, arbitrary: limiting },
);
const anyStep = fc.record({
  afterMs: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(0, 1, 150, 700) },
    { weight: 1, arbitrary: fc.constantFrom(900, 40_000, 600_000) },
  ),
  input: anyInput,
});

/** A simple reference model of the rules, which receives the same requests as the core. */
class ReferenceModel {
  readonly core = newCore();
  readonly stops = new Map<OutputId, number>();
  readonly leases = new Map<string, { generation: number; outputs: readonly OutputId[]; renewedMs: number }>();
  readonly pumpOn: { fromMs: number; toMs: number; percent: number }[] = [];
  nowMs = 0;
  lastSeenMs = 0;
  readMs = Number.NEGATIVE_INFINITY;
  celsius = 0;

  /** Lets time pass as the shell does: stopping at each due moment. */
  wait(untilMs: number): void {
    while (this.nowMs < untilMs) {
      const nextMs = Math.min(
        untilMs,
        Math.max(this.core.nextDueMs(), this.nowMs + 0.5),
        this.readMs + 30_000 > this.nowMs ? this.readMs + 30_000 : untilMs,
      );
      const percent = this.core.level('pwm2');
      if (percent > 0) this.pumpOn.push({ fromMs: this.nowMs, toMs: nextMs, percent });
      this.nowMs = nextMs;
      this.core.pass(nextMs);
      this.check();
    }
  }

  request(request: GuardRequest): void {
    const response = this.core.handle(request, this.nowMs);
    this.lastSeenMs = this.nowMs;
    if (request.kind === 'stop') {
      for (const output of request.outputs ?? outputIds) {
        this.stops.set(output, Math.max(this.stops.get(output) ?? 0, request.generation));
      }
    }
    if (request.kind === 'acquire' && response.ok)
      this.leases.set(request.lease, { ...request, renewedMs: this.nowMs });
    if (request.kind === 'release') this.leases.delete(request.lease);
    if (request.kind === 'renew' && response.ok) {
      for (const name of request.leases) {
        const lease = this.leases.get(name);
        if (lease !== undefined) lease.renewedMs = this.nowMs;
      }
    }
    if (request.kind === 'set' && response.ok) {
      expect(request.generation).toBeGreaterThan(this.stops.get(request.output) ?? 0);
      if (request.output === 'pwm5' && request.percent > 0) expect(this.nowMs - this.readMs).toBeLessThan(30_000);
    }
    this.check();
  }

  read(celsius: number): void {
    this.core.temperatureRead(celsius, this.nowMs);
    this.readMs = this.nowMs;
    this.celsius = celsius;
    if (celsius >= limits.heat.disableCelsius && this.core.temperatureAgeMs(this.nowMs) === 0) {
      expect(this.core.level('pwm5')).toBe(0);
    }
    this.check();
  }

  check(): void {
    for (const output of outputIds) {
      if (this.core.level(output) === 0) continue;
      expect(this.nowMs - this.lastSeenMs).toBeLessThan(stallMs);
      const holder = [...this.leases.values()].find(
        (lease) =>
          lease.outputs.includes(output) &&
          this.nowMs - lease.renewedMs < leaseMs &&
          lease.generation > (this.stops.get(output) ?? 0),
      );
      expect(holder, `${output} is on without a lease`).toBeDefined();
    }
    if (this.core.level('pwm5') > 0) expect(this.nowMs - this.readMs).toBeLessThan(30_000);
  }

  /** In every hour that ends with a stretch of pumping. */
  checkPump(): void {
    for (const { toMs: endMs } of this.pumpOn) {
      const hour = this.pumpOn.filter(({ fromMs, toMs }) => fromMs >= endMs - 3_600_000 && toMs <= endMs);
      const onMs = hour.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
      const ml = hour.reduce((sum, { fromMs, toMs, percent }) => sum + ((toMs - fromMs) / 1e5) * percent * 0.1, 0);
      expect(onMs).toBeLessThanOrEqual(pump.maxHourMs + 1e-6);
      expect(ml).toBeLessThanOrEqual(pump.maxHourMl + 1e-9);
    }
  }
}

describe('for any requests in any order', () => {
  it('nothing is on without a valid lease, after a stop of its generation, or beyond a limit', () => {
    let timesOn = 0;
    fc.assert(
      fc.property(fc.array(anyStep, { minLength: 20, maxLength: 120 }), (steps) => {
        const model = new ReferenceModel();
        model.request({ kind: 'limits', limits });
        model.read(30);
        model.request({ kind: 'acquire', lease: 'lease 2', generation: 2, outputs: someOutputs });
        for (const { afterMs, input } of steps) {
          model.wait(model.nowMs + afterMs);
          if (typeof input === 'number') model.read(input);
          else model.request(input);
          timesOn += outputIds.filter((output) => model.core.level(output) > 0).length;
        }
        model.checkPump();
      }),
      { numRuns: 300 },
    );
    expect(timesOn).toBeGreaterThan(300);
  });

  it('a pump at its maximum stays within its hourly limit', () => {
    const model = new ReferenceModel();
    model.request({ kind: 'limits', limits });
    model.request({ kind: 'acquire', lease: 'a', generation: 1, outputs: ['pwm2'] });
    for (let round = 0; round < 20_000; round += 1) {
      model.request({ kind: 'renew', leases: ['a'] });
      model.request(set('pwm2', round % 3 === 0 ? 100 : 20, 700));
      model.wait(model.nowMs + 500);
    }
    expect(model.pumpOn.length).toBeGreaterThan(50);
    model.checkPump();
  });
});
