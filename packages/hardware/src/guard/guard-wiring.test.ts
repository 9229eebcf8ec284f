import { describe, expect, it } from 'vitest';
import { GuardCore } from './guard-core.ts';
import { defaultWiring, type GuardLimits, type GuardRequest, type OutputId, outputIds } from './guard-types.ts';

const leaseMs = 5000;
const stallMs = 800;

const pump = { maxRunMs: 10_000, maxRunMl: 0.8, maxHourMs: 30_000, maxHourMl: 2, mlPerSecondAtFull: 0.1 };
const limits: GuardLimits = {
  heat: { reduceCelsius: 63, disableCelsius: 65, shutdownCelsius: 66 },
  pumps: { 2: pump, 3: pump },
};

const newCore = () => new GuardCore({ wiring: defaultWiring, watch: { leaseMs, stallMs } });

/** A core with limits, a warm reading, and a lease of generation 1 on everything. */
function coreInUse(): GuardCore {
  const core = newCore();
  core.handle({ kind: 'limits', limits }, 0);
  core.temperatureRead(30, 0);
  core.handle({ kind: 'acquire', lease: 'a', generation: 1, outputs: outputIds }, 0);
  return core;
}

const set = (output: OutputId, percent: number, forMs?: number): GuardRequest => ({
  kind: 'set',
  lease: 'a',
  generation: 1,
  output,
  percent,
  ...(forMs === undefined ? {} : { forMs }),
});

describe('the wiring', () => {
  const turned = { ...defaultWiring, 1: { use: 'pump', hertz: 250 }, 2: { use: 'stirrer', hertz: 200 } } as const;
  const acquire = (lease: string, outputs: readonly OutputId[]): GuardRequest => {
    return { kind: 'acquire', lease, generation: 1, outputs };
  };

  it('decides which limits an output has', () => {
    const core = newCore();
    core.handle({ kind: 'limits', limits }, 0);
    core.handle({ kind: 'wiring', wiring: turned }, 0);
    core.handle(acquire('a', ['pwm1', 'pwm2']), 0);
    expect(core.handle(set('pwm1', 30), 0)).toMatchObject({ code: 'no_limits' });
    expect(core.handle(set('pwm2', 30), 0)).toEqual({ ok: true });
    core.handle({ kind: 'limits', limits: { ...limits, pumps: { 1: pump } } }, 0);
    expect(core.handle(set('pwm1', 30), 0)).toMatchObject({ code: 'duration_needed' });
    expect(core.handle(set('pwm1', 30, 1000), 0)).toEqual({ ok: true });
  });

  it('waits until no lease holds a PWM output; changed channels cannot be leased meanwhile', () => {
    const core = newCore();
    core.handle({ kind: 'limits', limits }, 0);
    core.handle(acquire('light', ['ledA']), 0);
    core.handle(acquire('a', ['pwm1']), 0);
    core.handle(set('pwm1', 30), 0);
    expect(core.handle({ kind: 'wiring', wiring: turned }, 10)).toEqual({ ok: true });
    expect([core.level('pwm1'), core.wiring]).toEqual([30, defaultWiring]);
    expect(core.handle(acquire('b', ['pwm2']), 20)).toEqual({ ok: false, code: 'wiring_changes' });
    expect(core.handle(acquire('c', ['pwm5']), 20)).toEqual({ ok: true });
    core.handle({ kind: 'release', lease: 'a' }, 30);
    expect(core.wiring).toBe(defaultWiring);
    core.handle({ kind: 'release', lease: 'c' }, 40);
    expect([core.wiring, core.level('pwm1')]).toEqual([turned, 0]);
    expect(core.handle(acquire('b', ['pwm2']), 50)).toEqual({ ok: true });
  });

  it.each([
    ['a stop', (core: GuardCore) => core.handle({ kind: 'stop', generation: 1 }, 100)],
    ['the end of a lease', (core: GuardCore) => core.pass(leaseMs)],
    ['the end of the node', (core: GuardCore) => core.parentLost(100)],
    ['the old wiring again', (core: GuardCore) => core.handle({ kind: 'wiring', wiring: defaultWiring }, 100)],
  ])('is settled after %s', (_what, end) => {
    const core = newCore();
    core.handle(acquire('a', ['pwm1']), 0);
    core.handle({ kind: 'wiring', wiring: turned }, 0);
    end(core);
    core.handle({ kind: 'stop', generation: 1 }, leaseMs);
    expect(core.handle({ kind: 'acquire', lease: 'b', generation: 2, outputs: ['pwm2'] }, leaseMs)).toEqual({
      ok: true,
    });
  });

  it('leaves a channel without an entry off', () => {
    const core = newCore();
    core.handle({ kind: 'limits', limits }, 0);
    core.handle({ kind: 'wiring', wiring: {} }, 0);
    core.temperatureRead(30, 0);
    core.handle(acquire('a', ['pwm5']), 0);
    expect(core.handle(set('pwm5', 10), 0)).toEqual({ ok: false, code: 'unknown_output' });
  });
});

it('reports a cut run when the limits of its pump change', () => {
  const core = coreInUse();
  core.handle(set('pwm2', 100, 5000), 0);
  core.handle(set('pwm3', 100, 5000), 0);
  core.takeNotices();
  core.handle(
    { kind: 'limits', limits: { ...limits, pumps: { 2: { ...pump, mlPerSecondAtFull: 0.2 }, 3: pump } } },
    400,
  );
  expect([core.level('pwm2'), core.level('pwm3')]).toEqual([0, 100]);
  expect(core.takeNotices()).toEqual([{ what: 'cut', output: 'pwm2', ranMs: 400 }]);
});

it('rejects a level that is not a number', () => {
  const core = coreInUse();
  for (const percent of [null, '50', Number.NaN, undefined]) {
    const request = JSON.parse(JSON.stringify({ ...set('ledA', 0), percent }));
    expect(core.handle(request, 0)).toEqual({ ok: false, code: 'bad_request' });
  }
});
